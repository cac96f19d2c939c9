"""The process's services while they start, serve and stop; whoever needs them asks here."""

import logging
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import cache
from typing import TYPE_CHECKING

from core.errors import GlassdeskError, Unavailable
from core.memory import settle
from core.settings import Settings

if TYPE_CHECKING:
    from core.bootstrap import Services

TALKATIVE = ("alembic", "httpx2", "mcp", "oauthlib", "requests_oauthlib", "google.auth", "google_auth_httplib2")
"""Libraries that report their everyday work as news; those of the sign-in would even tell tokens."""
logger = logging.getLogger(__name__)


class Host:
    """Builds the services once, in a thread, because the libraries under them take seconds to import."""

    def __init__(self) -> None:
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

    def ready(self) -> "Services | None":
        """The services, None while they are being built.

        Raises:
            GlassdeskError: they could not be built.
        """
        return self._services.result() if self._services.done() else None

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

    def _build(self, settings: Settings) -> None:
        for library in TALKATIVE:
            logging.getLogger(library).setLevel(logging.WARNING)
        try:
            from core.bootstrap import build  # imported here: it brings every library with it

            services = build(settings)
            settle()
            self._services.set_result(services)
        except GlassdeskError as error:
            logger.error("%s", error.sentence)
            self._services.set_exception(error)
        except Exception as error:
            logger.exception("Glassdesk could not start")
            failed = Unavailable("Glassdesk could not start. The log of the process says why.")
            failed.__cause__ = error
            self._services.set_exception(failed)


@cache
def host() -> Host:
    """The host of this process."""
    return Host()
