"""OTLP requests as other services send them."""

from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from telemetry.otlp_wire import SpanValue, request_of

SECOND = 10**9
START = 1_796_000_000 * SECOND
TRACE = "0af7651916cd43dd8448eb211c80319c"


def sent(
    number: int,
    parent: int | None = None,
    name: str = "work",
    *,
    trace_id: str = TRACE,
    start: float = 0,
    end: float = 1,
    service: str | None = "travel-agent",
    **more: Any,
) -> SpanValue:
    """A span; times in seconds after `START`, ids as small numbers."""
    return SpanValue(
        trace_id=trace_id,
        span_id=f"{number:016x}",
        parent_id=None if parent is None else f"{parent:016x}",
        name=name,
        kind=more.pop("kind", "internal"),
        start_ns=START + round(start * SECOND),
        end_ns=START + round(end * SECOND),
        resource={"service.name": service} if service else {},
        **more,
    )


def request(*spans: SpanValue) -> ExportTraceServiceRequest:
    """The spans as one request."""
    return request_of(spans)


def body(*spans: SpanValue) -> bytes:
    """The spans as the body of one request in protobuf."""
    return request_of(spans).SerializeToString()
