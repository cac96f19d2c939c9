"""Over real sockets: a write reaches the server at most once."""

import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import parse_headers
from typing import BinaryIO

import httplib2
import pytest

from core.google.transport import SafeHttp

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextmanager
def server(answers: list[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """Answers each request in turn; an empty answer drops the connection after reading it."""
    received: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection, connection.makefile("rb") as stream:
                    while method := read_request(stream):
                        received.append(method)
                        answer = answers.pop(0) if answers else OK
                        if not answer:
                            break
                        connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/", received
    listener.close()


def read_request(stream: BinaryIO) -> bytes:
    """The method of the next request, read to its end; empty where there is none."""
    method = stream.readline().split(b" ", 1)[0]
    headers = parse_headers(stream) if method else {}
    stream.read(int(headers.get("content-length", 0)))
    return method


def test_a_write_whose_answer_is_lost_is_not_sent_again() -> None:
    with server([b""]) as (url, received):
        with pytest.raises(http.client.RemoteDisconnected):
            SafeHttp().request(url, "POST", body=b"{}")
        assert received == [b"POST"]


def test_httplib2_itself_would_have_sent_it_twice() -> None:
    with server([b""]) as (url, received):
        httplib2.Http(timeout=5).request(url, "POST", body=b"{}")
        assert received == [b"POST", b"POST"]


def test_a_write_after_an_idle_connection_was_closed_works_once() -> None:
    with server([OK, b""]) as (url, received):
        http_object = SafeHttp()
        assert http_object.request(url)[1] == b"ok"
        with pytest.raises(http.client.RemoteDisconnected):
            http_object.request(url, "PUT", body=b"{}")
        assert http_object.request(url, "POST", body=b"{}")[1] == b"ok"
        assert received == [b"GET", b"PUT", b"POST"]


def test_a_read_may_be_sent_again() -> None:
    with server([b""]) as (url, received):
        assert SafeHttp().request(url)[1] == b"ok"
        assert received == [b"GET", b"GET"]


def test_a_server_that_never_answers_is_given_up_after_the_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        for method in ("GET", "POST"):
            with pytest.raises(TimeoutError):
                SafeHttp(timeout=0.05).request(url, method, body=None if method == "GET" else b"{}")


def test_the_timeout_is_twenty_seconds_unless_said_otherwise() -> None:
    assert SafeHttp().timeout == 20.0
