"""A program on this machine that is told of alerts: real HTTP, with answers that a test chooses."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Hook:
    """What came in; `answers` are the statuses of the next requests, then 200."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.answers: list[int] = []
        self.asked = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked += 1
                status = outer.answers.pop(0) if outer.answers else 200
                if status == 200:
                    outer.messages.append(json.loads(body))
                self.send_response(status)
                self.send_header("Location", f"{outer.url}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/s3cret-path"


@contextmanager
def hook() -> Iterator[Hook]:
    """One that listens."""
    made = Hook()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
