"""The entry points from Python: a question in, the finished turn or its events out; the app starts with the first."""

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from core.host import host
from core.runtime.events import EventType
from core.settings import load_settings
from core.users import local_user

if TYPE_CHECKING:
    from core.bootstrap import Services
    from core.runtime.turn import Turn

REST = (EventType.WAITING, EventType.FINISHED)


def service(query: str, conversation_id: str | None = None) -> dict[str, Any]:
    """Answer a question; blocks until that is done, or waits for a person.

    Args:
        conversation_id: of an earlier turn, to go on with that conversation; None begins a new one.

    Returns:
        The turn as the HTTP contract has it; where `status` is `waiting_approval`, its `approvals` say for what.

    Raises:
        GlassdeskError: nothing was asked, the conversation is not there or busy, or the app could not be started.
    """
    return begun(query, conversation_id).pause()


def service_streaming(query: str, conversation_id: str | None = None) -> Iterator[dict[str, Any]]:
    """Answer a question, and tell what happens meanwhile; the turn goes on when nobody listens any more.

    Args:
        conversation_id: as of `service`.

    Yields:
        each event: `event` (its type, as in the HTTP contract), `id` (its offset), `at` (RFC 3339), and its data; the
        last one is `finished` or `waiting`.

    Raises:
        GlassdeskError: as of `service`, when the first event is asked for.
    """
    for event in begun(query, conversation_id).log.read(wait=1.0):
        if event is None:
            continue
        yield {"event": event.type.value, "id": event.offset, "at": event.at.isoformat(), **event.data}
        if event.type in REST:
            return


def begun(query: str, conversation_id: str | None) -> "Turn":
    """The turn of a question, begun."""
    services = running_services()
    return services.runtime.start(local_user(services.settings), query, conversation_id)


def running_services() -> "Services":
    """The services of this process; whoever starts them here stops them when Python ends."""
    process = host()
    started_here = process.start(load_settings())
    services = process.wait(timeout=120)
    if started_here:
        at_exit(process.stop)
    return services


def at_exit(stop: Callable[[], object]) -> None:
    """Have something stopped when Python ends, while threads can still be used.

    `atexit` comes too late for that: by then no executor takes work, and a running turn could not be kept. What is
    registered last is called first, so this comes after the loop has made its workers.
    """
    register: Callable[[Callable[[], object]], None] = getattr(threading, "_register_atexit")  # noqa: B009
    register(stop)
