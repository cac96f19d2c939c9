"""One OpenTelemetry span for each HTTP request to Google."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httplib2
from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from core.google.transport import HttpLike


@dataclass(frozen=True)
class Traced:
    """An HTTP object that records what goes over it: method, path without query, status, size, repetition.

    Args:
        http: the way to Google.
        name: the span's name, such as `gmail.users.messages.list`.
        resend: how often the same request was sent before.
    """

    http: HttpLike
    name: str
    resend: int = 0

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: bytes | str | None = None,
        headers: Mapping[str, str] | None = None,
        **_: Any,
    ) -> tuple[httplib2.Response, bytes]:
        """Send one request inside a span."""
        with start(self.name, uri, method, self.resend) as span:
            try:
                response, content = self.http.request(uri, method=method, body=body, headers=headers)
            except Exception as error:
                fail(span, type(error).__name__)
                raise
            finish(span, response, content)
            return response, content


def start(name: str, uri: str, method: str, resend: int) -> Any:
    """Open the span of a request."""
    attributes: dict[str, str | int] = {"http.request.method": method, "url.path": urlsplit(uri).path}
    if resend:
        attributes["http.request.resend_count"] = resend
    return trace.get_tracer("glassdesk").start_as_current_span(
        name, kind=SpanKind.CLIENT, attributes=attributes, record_exception=False, set_status_on_exception=False
    )


def finish(span: Span, response: httplib2.Response, content: bytes) -> None:
    """Record the answer."""
    span.set_attributes({"http.response.status_code": response.status, "http.response.body.size": len(content)})
    if response.status >= 400:
        fail(span, str(response.status))


def fail(span: Span, kind: str) -> None:
    """Mark the request as failed; the exception's own text could hold an address or a token."""
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR, kind))
