"""How bytes reach Google: one connection a thread, and a write leaves this machine at most once."""

import http.client
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import httplib2

TIMEOUT = 20.0
READS = ("GET", "HEAD")


class HttpLike(Protocol):
    """What googleapiclient needs of an HTTP object: httplib2's `request`."""

    def request(
        self, uri: str, method: str = "GET", body: bytes | str | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[httplib2.Response, bytes]:
        """One request and its answer."""
        ...


Transport = Callable[[str], HttpLike]
UserTransport = Callable[[str, str], HttpLike]
"""Of a user's id and one of their accounts."""


class Transports:
    """The HTTP object of each thread, user and account; httplib2's are not thread-safe.

    Args:
        make: opens the way for a user's account.
    """

    def __init__(self, make: UserTransport) -> None:
        self._make = make
        self._local = threading.local()

    def of(self, user_id: str, account: str) -> HttpLike:
        """This thread's HTTP object for a user's account."""
        held: dict[tuple[str, str], HttpLike] = self._local.__dict__.setdefault("held", {})
        if (user_id, account) not in held:
            held[user_id, account] = self._make(user_id, account)
        return held[user_id, account]


class SafeHttp(httplib2.Http):  # type: ignore[misc]
    """httplib2 without its silent second request.

    httplib2 sends a request again when the connection breaks before the answer, a POST too; one send can become two
    mails. Here anything but a GET or HEAD gets a fresh connection and must not open a second one.
    """

    def __init__(self, timeout: float = TIMEOUT, **options: Any) -> None:
        super().__init__(timeout=timeout, **options)

    def _conn_request(self, conn: Any, request_uri: str, method: str, body: Any, headers: Any) -> Any:
        if method in READS:
            return super()._conn_request(conn, request_uri, method, body, headers)
        conn.close()
        open_connection, opened = conn.connect, False

        def connect_once() -> None:
            nonlocal opened
            if opened:
                raise http.client.RemoteDisconnected("the connection broke after the request was sent")
            open_connection()
            opened = True

        conn.connect = connect_once
        try:
            return super()._conn_request(conn, request_uri, method, body, headers)
        finally:
            conn.connect = open_connection
