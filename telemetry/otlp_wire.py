"""OTLP's protobuf and JSON ↔ spans as plain values."""

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from telemetry.errors import TelemetryError

Attributes = dict[str, Any]
KINDS: Final = {0: "internal", 1: "internal", 2: "server", 3: "client", 4: "producer", 5: "consumer"}
KIND_NUMBERS: Final = {name: number for number, name in KINDS.items() if number}
LARGEST: Final = 2**63 - 1
ID_BYTES: Final = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


class Malformed(TelemetryError):
    """What came is not OTLP; the sentence says where."""


class Rejected(TelemetryError):
    """One span cannot be taken; the sentence says why."""


@dataclass(frozen=True)
class SpanValue:
    """One span as it travels. Times: Unix nanoseconds. Ids: lower-case hex.

    Attributes:
        failed: its status is an error, which `message` describes.
        events: each with name, time_ns, attributes; links are events called `link` with the ids they lead to.
        resource: what the sender says of itself.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    kind: str
    start_ns: int
    end_ns: int
    failed: bool = False
    message: str = ""
    attributes: Attributes = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    resource: Attributes = field(default_factory=dict)
    scope: str = ""


def from_protobuf(body: bytes) -> ExportTraceServiceRequest:
    """A request in protobuf.

    Raises:
        Malformed: it is none.
    """
    try:
        return ExportTraceServiceRequest.FromString(body)
    except DecodeError as error:
        raise Malformed("The body is not OTLP in protobuf. Check the Content-Type that is sent with it.") from error


def from_json(text: str | bytes) -> ExportTraceServiceRequest:
    """A request in OTLP's JSON, whose ids are hexadecimal.

    Raises:
        Malformed: it is none; names the field.
    """
    try:
        return from_object(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise Malformed(f"This is not JSON: {error}.") from error


def from_object(value: Any) -> ExportTraceServiceRequest:
    """As `from_json`, of JSON that was read already.

    Raises:
        Malformed: it is none; names the field.
    """
    if not isinstance(value, dict) or not ({"resourceSpans", "resource_spans"} & value.keys() or not value):
        raise Malformed("OTLP needs an object with resourceSpans.")
    try:
        return ParseDict(with_base64_ids(value), ExportTraceServiceRequest(), ignore_unknown_fields=True)
    except (ParseError, RecursionError, TypeError, AttributeError) as error:
        raise Malformed(f"This is not OTLP: {error}") from error


def with_base64_ids(value: Any) -> Any:
    """OTLP's JSON as protobuf's: ids in base64 instead of hexadecimal."""
    if isinstance(value, list):
        return [with_base64_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, item in value.items():
        if key in ("attributes", "body", "resource"):
            found[key] = item
        elif isinstance(item, str) and camel(key) in ID_BYTES:
            found[key] = in_base64(camel(key), item)
        else:
            found[key] = with_base64_ids(item)
    return found


def camel(key: str) -> str:
    """`trace_id` as `traceId`."""
    first, *others = key.split("_")
    return first + "".join(part.title() for part in others)


def in_base64(key: str, text: str) -> str:
    """An id; protobuf's own JSON has base64 already."""
    try:
        return base64.b64encode(bytes.fromhex(text)).decode()
    except ValueError as error:
        try:
            if len(base64.b64decode(text, validate=True)) == ID_BYTES[key]:
                return text
        except binascii.Error:
            pass
        raise ParseError(f"{key} has to be {ID_BYTES[key] * 2} hexadecimal digits, not {text[:40]!r}.") from error


def spans_of(request: ExportTraceServiceRequest) -> Iterator[SpanValue | Rejected]:
    """The spans of a request; in place of one that cannot be taken, why."""
    for group in request.resource_spans:
        resource = values_of(group.resource.attributes)
        for scoped in group.scope_spans:
            for span in scoped.spans:
                try:
                    yield span_of(span, resource, scoped.scope.name)
                except Rejected as error:
                    yield error


def span_of(span: Span, resource: Attributes, scope: str) -> SpanValue:
    """One span. Its end is not before its start, whatever the sender's clock says.

    Raises:
        Rejected: an id or the time is missing or impossible.
    """
    trace_id, span_id, parent_id = span.trace_id, span.span_id, span.parent_span_id
    if len(trace_id) != 16 or not any(trace_id):
        raise Rejected("A trace id has to be 16 bytes, not all of them 0.")
    if len(span_id) != 8 or not any(span_id):
        raise Rejected("A span id has to be 8 bytes, not all of them 0.")
    start = span.start_time_unix_nano or span.end_time_unix_nano
    end = max(start, span.end_time_unix_nano)
    if not 0 < start <= end <= LARGEST:
        raise Rejected("A span needs a startTimeUnixNano, in nanoseconds since 1970.")
    parent = parent_id.hex() if any(parent_id) and parent_id != span_id else None
    links = [
        {
            "name": "link",
            "time_ns": start,
            "attributes": {
                **values_of(link.attributes),
                "span_id": link.span_id.hex(),
                "trace_id": link.trace_id.hex(),
            },
        }
        for link in span.links
    ]
    events = [
        {"name": event.name, "time_ns": min(event.time_unix_nano, LARGEST), "attributes": values_of(event.attributes)}
        for event in span.events
    ]
    return SpanValue(
        trace_id.hex(),
        span_id.hex(),
        parent,
        span.name,
        KINDS.get(span.kind, "internal"),
        start,
        end,
        span.status.code == Status.STATUS_CODE_ERROR,
        span.status.message,
        values_of(span.attributes),
        [*events, *links],
        resource,
        scope,
    )


def values_of(pairs: Iterable[KeyValue]) -> Attributes:
    """Attributes as plain values."""
    return {pair.key: value_of(pair.value) for pair in pairs}


def value_of(value: AnyValue) -> Any:
    """A value; bytes become base64."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return values_of(value.kvlist_value.values)
    if kind == "bytes_value":
        return base64.b64encode(value.bytes_value).decode()
    return None if kind is None else getattr(value, kind)


def request_of(spans: Sequence[SpanValue]) -> ExportTraceServiceRequest:
    """A request with spans, those of one sender together."""
    request = ExportTraceServiceRequest()
    groups: dict[str, Any] = {}
    for one in spans:
        key = repr((sorted(one.resource.items(), key=lambda item: item[0]), one.scope))
        if key not in groups:
            group = request.resource_spans.add()
            group.resource.attributes.extend(pairs_of(one.resource))
            groups[key] = group.scope_spans.add()
            groups[key].scope.name = one.scope
        groups[key].spans.append(proto_of(one))
    return request


def proto_of(one: SpanValue) -> Span:
    """A span in protobuf."""
    span = Span(
        trace_id=bytes.fromhex(one.trace_id),
        span_id=bytes.fromhex(one.span_id),
        parent_span_id=bytes.fromhex(one.parent_id or ""),
        name=one.name,
        kind=KIND_NUMBERS[one.kind],  # type: ignore[arg-type]
        start_time_unix_nano=one.start_ns,
        end_time_unix_nano=one.end_ns,
        attributes=pairs_of(one.attributes),
    )
    if one.failed:
        span.status.code = Status.STATUS_CODE_ERROR
        span.status.message = one.message
    for event in one.events:
        found = dict(event["attributes"])
        if event["name"] == "link" and {"trace_id", "span_id"} <= found.keys():
            link = span.links.add()
            link.trace_id, link.span_id = (bytes.fromhex(found.pop(key)) for key in ("trace_id", "span_id"))
            link.attributes.extend(pairs_of(found))
        else:
            pairs = pairs_of(found)
            span.events.add(name=event["name"], time_unix_nano=event["time_ns"], attributes=pairs)
    return span


def pairs_of(values: Mapping[str, Any]) -> list[KeyValue]:
    """Plain values as attributes."""
    return [KeyValue(key=key, value=any_value(value)) for key, value in values.items()]


def any_value(value: Any) -> AnyValue:
    """A plain value; a whole number beyond 64 bits becomes its text."""
    if value is None:
        return AnyValue()
    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int) and -LARGEST - 1 <= value <= LARGEST:
        return AnyValue(int_value=value)
    if isinstance(value, float):
        return AnyValue(double_value=value)
    found = AnyValue()
    if isinstance(value, Mapping):
        found.kvlist_value.SetInParent()
        found.kvlist_value.values.extend(pairs_of({str(key): item for key, item in value.items()}))
    elif isinstance(value, (list, tuple)):
        found.array_value.SetInParent()
        found.array_value.values.extend([any_value(item) for item in value])
    else:
        found.string_value = str(value)
    return found


def to_json(request: ExportTraceServiceRequest) -> dict[str, Any]:
    """A request as OTLP's JSON, with hexadecimal ids."""
    return with_hex_ids(MessageToDict(request, use_integers_for_enums=True))  # type: ignore[no-any-return]


def with_hex_ids(value: Any) -> Any:
    """Protobuf's JSON as OTLP's."""
    if isinstance(value, list):
        return [with_hex_ids(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64decode(item).hex()
        if key in ID_BYTES and isinstance(item, str)
        else item
        if key in ("attributes", "resource")
        else with_hex_ids(item)
        for key, item in value.items()
    }
