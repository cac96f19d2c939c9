"""Trouble on demand: faults kept in the world's file, so that every process that shares it meets them."""

import http.client
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlmodel import Field, col, delete, select

from core.sandbox.calls import Reply
from core.sandbox.reasons import refusal
from core.sandbox.world import Table, World


class Kind(StrEnum):
    """What goes wrong."""

    LATENCY = "latency"
    STATUS = "status"
    LOST_REPLY = "lost_reply"
    DROP = "drop"
    EMPTY_PAGE = "empty_page"


START = "start-over"
"""Page token of the first page, after an empty one in its place."""


@dataclass(frozen=True)
class Fault:
    """One kind of trouble.

    Args:
        match: regular expression, searched in `METHOD /path`.
        kind: `latency` waits, `status` answers with Google's error and has no effect, `drop` refuses the connection and
            has no effect, `lost_reply` does what was asked and then drops the connection, `empty_page` gives a page
            with nothing but the token of the same page, as Google may.
        status: HTTP status; 0 is the usual one of the reason.
        reason: Google's reason, such as `rateLimitExceeded`; empty is the usual one of the status.
        retry_after: seconds, sent as `Retry-After`.
        seconds: how long `latency` waits.
        remaining: how many requests it strikes; None is every one until it is cleared.
    """

    match: str = ""
    kind: Kind | str = Kind.STATUS
    status: int = 0
    reason: str = ""
    retry_after: int | None = None
    seconds: float = 0.0
    remaining: int | None = None


class FaultRow(Table, table=True):
    """A fault that waits for its request."""

    __tablename__ = "fault"

    id: int | None = Field(default=None, primary_key=True)
    match: str
    kind: str
    status: int
    reason: str
    retry_after: int | None
    seconds: float
    remaining: int | None


class Faults:
    """The faults of a world."""

    def __init__(self, world: World) -> None:
        self._world = world

    def add(self, fault: Fault) -> None:
        """Arm a fault.

        Raises:
            ValueError: an unknown kind, or a pattern that does not compile.
        """
        kind = Kind(fault.kind)
        try:
            re.compile(fault.match)
        except re.error as error:
            raise ValueError(f"{fault.match!r} is no regular expression: {error}") from error
        with self._world.change() as session:
            session.add(FaultRow(**{**vars(fault), "kind": kind.value}))

    def clear(self) -> None:
        """Disarm all."""
        with self._world.change() as session:
            session.exec(delete(FaultRow))

    def strike(self, line: str) -> list[Fault]:
        """The faults for a request `METHOD /path`, in the order they were added; what is counted is counted down."""
        with self._world.session() as session:
            rows = [row for row in session.exec(select(FaultRow)).all() if re.search(row.match, line)]
        if any(row.remaining is not None for row in rows):
            rows = self._count_down([row.id for row in rows])
        return [Fault(row.match, row.kind, row.status, row.reason, row.retry_after, row.seconds) for row in rows]

    def _count_down(self, ids: Sequence[int | None]) -> list[FaultRow]:
        with self._world.change() as session:
            rows = session.exec(select(FaultRow).where(col(FaultRow.id).in_(ids)).order_by(col(FaultRow.id))).all()
            for row in rows:
                row.remaining = None if row.remaining is None else row.remaining - 1
                if row.remaining is not None and row.remaining <= 0:
                    session.delete(row)
            return list(rows)


def before(faults: Sequence[Fault], path: str, timeout: float) -> None:
    """What happens before the request is served.

    Args:
        timeout: seconds after which the caller gives up.

    Raises:
        TimeoutError: the wait is longer than the caller's patience.
        ConnectionRefusedError: the connection is refused.
        ApiError: Google refuses.
    """
    wait(sum(fault.seconds for fault in faults if fault.kind == Kind.LATENCY), timeout)
    for fault in faults:
        if fault.kind == Kind.DROP:
            raise ConnectionRefusedError("Connection refused")
        if fault.kind == Kind.STATUS:
            raise refusal(path, fault.status, fault.reason, fault.retry_after)


def after(faults: Sequence[Fault], reply: Reply, page_token: str) -> Reply:
    """What happens once the request has had its effect: the answer that arrives.

    Args:
        page_token: the request's.

    Raises:
        http.client.RemoteDisconnected: the answer is lost on its way.
    """
    kinds = {fault.kind for fault in faults}
    if Kind.LOST_REPLY in kinds:
        raise http.client.RemoteDisconnected("Remote end closed connection without response")
    if Kind.EMPTY_PAGE in kinds and isinstance(reply.body, dict) and reply.status == 200:
        rest = {name: value for name, value in reply.body.items() if name != "nextSyncToken"}
        empty = {name: [] if isinstance(value, list) else value for name, value in rest.items()}
        return Reply({**empty, "nextPageToken": page_token or START}, reply.status, reply.headers)
    return reply


def wait(seconds: float, timeout: float) -> None:
    """Wait as a slow server makes a caller wait."""
    if seconds > 0:
        time.sleep(min(seconds, timeout))
    if seconds > timeout:
        raise TimeoutError("The read operation timed out")
