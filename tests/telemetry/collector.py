"""An OTLP collector on this machine, real HTTP, that can be told what to answer."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from telemetry.otlp_wire import SpanValue, from_protobuf, spans_of


class Collector:
    """What came in, and what is answered.

    Attributes:
        answers: statuses of the next requests; then 200.
        poison: a span of this name makes a request 400.
        rejects: the number of spans that each answer calls rejected.
    """

    def __init__(self, port: int = 0) -> None:
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        self.poison, self.rejects = "", 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
                status, more = outer.answer(self.path, body, dict(self.headers))
                response = ExportTraceServiceResponse()
                response.partial_success.rejected_spans = outer.rejects
                content = response.SerializeToString() if outer.rejects else b""
                self.send_response(status)
                for name, value in {**more, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, path: str, body: bytes, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
        if path != "/v1/traces":
            return 404, {}
        if self.answers:
            return self.answers.pop(0)
        if self.poison and self.poison in [span.name for span in values(body)]:
            return 400, {}
        self.bodies.append(body)
        self.headers.append(headers)
        return 200, {}

    @property
    def spans(self) -> list[SpanValue]:
        return [span for body in self.bodies for span in values(body)]


def values(body: bytes) -> list[SpanValue]:
    return [span for span in spans_of(from_protobuf(body)) if isinstance(span, SpanValue)]


@contextmanager
def collecting(port: int = 0) -> Iterator[Collector]:
    made = Collector(port)
    thread = threading.Thread(target=lambda: made.server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        thread.join()
