"""The spans of requests to Google."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from core.google.errors import GoogleError
from tests.google.conftest import Office


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What is recorded, without touching the process's own provider."""
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    return exporter


def shape(span: ReadableSpan) -> tuple[str, dict[str, object]]:
    assert span.kind is trace.SpanKind.CLIENT
    return span.name, {key: value for key, value in (span.attributes or {}).items() if key != "http.response.body.size"}


def test_each_http_request_is_a_span(office: Office, spans: InMemorySpanExporter) -> None:
    office.trouble("messages/m1", remaining=1, status=503)
    office.google.execute(office.get("m1"))
    path = {"http.request.method": "GET", "url.path": "/gmail/v1/users/me/messages/m1"}
    assert [shape(span) for span in spans.get_finished_spans()] == [
        ("gmail.users.messages.get", {**path, "http.response.status_code": 503, "error.type": "503"}),
        ("gmail.users.messages.get", {**path, "http.response.status_code": 200, "http.request.resend_count": 1}),
    ]


def test_a_batch_is_one_span(office: Office, spans: InMemorySpanExporter) -> None:
    office.google.batch({one: office.get(one) for one in ("m1", "m2")})
    (span,) = spans.get_finished_spans()
    assert shape(span) == (
        "gmail.batch",
        {"http.request.method": "POST", "url.path": "/batch", "http.response.status_code": 200},
    )


def test_a_broken_connection_is_named_and_nothing_of_the_query_is_kept(
    office: Office, spans: InMemorySpanExporter
) -> None:
    office.trouble("messages$", kind="drop")
    with pytest.raises(GoogleError):
        office.google.execute(office.messages.list(userId="me", q="salary"))
    kinds = {(span.attributes or {})["error.type"] for span in spans.get_finished_spans()}
    assert kinds == {"ConnectionRefusedError"}
    assert "salary" not in "".join(span.to_json() for span in spans.get_finished_spans())
