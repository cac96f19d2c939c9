"""The process's services while they start, serve and stop; whoever needs them asks here."""

import logging
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import cache
from typing import TYPE_CHECKING

from core.errors import GlassdeskError, Unavailable
from core.memory import hurry, settle
from core.settings import Settings

if TYPE_CHECKING:
    from core.bootstrap import Services
    from core.front import Front

TALKATIVE = ("alembic", "httpx2", "mcp", "oauthlib", "requests_oauthlib", "google.auth", "google_auth_httplib2")
"""Libraries that report their everyday work as news; those of the sign-in would even tell tokens."""
logger = logging.getLogger(__name__)


class Host:
    """Builds the services once, in a thread, because the libraries under them take seconds to import.

    First what takes spans and tells numbers is there, the front; then the assistant.
    """

    def __init__(self) -> None:
        self._front: Future[Front] = Future()
        self._services: Future[Services] = Future()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self, settings: Settings) -> bool:
        """Begin to build; a second call does nothing. Returns whether this call began it."""
        with self._lock:
            if self._thread is not None:
                return False
            self._thread = threading.Thread(target=self._build, args=(settings,), name="glassdesk-start")
            self._thread.start()
            return True

    def front(self) -> "Front | None":
        """What serves while the assistant is being built; None before.

        Raises:
            GlassdeskError: it could not be opened.
        """
        return self._front.result() if self._front.done() else None

    def ready(self) -> "Services | None":
        """The services, None while they are being built.

        Raises:
            GlassdeskError: they could not be built.
        """
        return self._services.result() if self._services.done() else None

    def serving(self) -> "Services | None":
        """The services; waits for them where the front is there already, None before.

        Raises:
            GlassdeskError: as of `wait`.
        """
        return None if self.front() is None else self.wait()

    def wait(self, timeout: float = 60) -> "Services":
        """The services, as soon as they are there.

        Raises:
            Unavailable: they are not there in `timeout` seconds.
            GlassdeskError: they could not be built.
        """
        try:
            return self._services.result(timeout)
        except FutureTimeout as error:
            raise Unavailable("Glassdesk is still starting. Reload this page in a few seconds.") from error

    def stop(self) -> None:
        """End running turns, flush, close; waits for a start that is under way."""
        if self._thread is None:
            return
        self._thread.join(60)
        if self._services.done() and not self._services.exception():
            self._services.result().close()
        elif self._front.done() and not self._front.exception():
            self._front.result().leave()

    def _build(self, settings: Settings) -> None:
        for library in TALKATIVE:
            logging.getLogger(library).setLevel(logging.WARNING)
        hurry()
        try:
            from core.front import open_front  # here, not above: who imports the host does not wait for databases

            front = open_front(settings)
            self._front.set_result(front)
            from core.bootstrap import build  # after that: it brings every library with it

            services = build(settings, front)
            self._services.set_result(services)
            services.polish()
        except GlassdeskError as error:
            logger.error("%s", error.sentence)
            self._fail(error)
        except Exception as error:
            logger.exception("Glassdesk could not start")
            failed = Unavailable("Glassdesk could not start. The log of the process says why.")
            failed.__cause__ = error
            self._fail(failed)
        finally:
            settle()

    def _fail(self, error: GlassdeskError) -> None:
        for one in (self._front, self._services):
            if not one.done():
                one.set_exception(error)


@cache
def host() -> Host:
    """The host of this process."""
    return Host()
