"""A span that came over OTLP → the rows that it is stored as."""

from collections.abc import Mapping
from typing import Any, Final

from opentelemetry.trace import SpanKind

from telemetry import attributes as names
from telemetry.dialects import is_message, translated
from telemetry.openinference import without
from telemetry.otlp_wire import SpanValue
from telemetry.redaction import Capture, Redactor
from telemetry.rows import TOOLS_CALL, Record, text, type_of
from telemetry.texts import sound

OWN_SERVICE: Final = "glassdesk"
MOST: Final = 256
"""Attributes of a span, and events: what is beyond is counted, not kept."""
LONGEST_NAME: Final = 512
DROPPED: Final = "glassdesk.dropped"
OF_SENDER: Final = ("service.name", "service.version", "service.namespace", "deployment.environment.name")
"""What is kept of a sender's own description."""
CHATS: Final = ("chat", "text_completion", "generate_content", "embeddings")
TYPES: Final = {**dict.fromkeys(CHATS, "chat"), "execute_tool": "tool", "invoke_agent": "agent"}


def is_own(span: SpanValue) -> bool:
    """Whether this app recorded it, here or on another machine."""
    return span.resource.get(names.SERVICE) == OWN_SERVICE


def record_of(span: SpanValue, user_id: str, redactor: Redactor) -> Record:
    """The rows of a span, which belongs to `user_id` whatever it says itself."""
    attributes = {
        sound(name): value for name, value in (without(span.attributes) if is_own(span) else adapted(span)).items()
    }
    if names.USER in attributes:
        attributes[names.USER] = user_id
    if span.failed:
        attributes = with_error(span, attributes)
    events = span.events if is_own(span) else [event for event in span.events if not is_message(event)]
    if redactor.capture is not Capture.FULL:
        events = [{**event, "attributes": told(event["attributes"])} for event in events]
        attributes = attributes if is_own(span) else told_or_content(attributes)
    clean = redactor.clean(span.name[:LONGEST_NAME], capped(attributes), events[:MOST])
    row = {
        "span_id": span.span_id,
        "trace_id": span.trace_id,
        "parent_id": span.parent_id,
        "name": clean.name,
        "type": type_of(span.name, attributes, SpanKind[span.kind.upper()])
        if is_own(span)
        else kind_of(attributes, span),
        "kind": span.kind,
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
        "status": "error" if span.failed else "ok",
        "user_id": user_id,
        "conversation_id": conversation_of(attributes),
        "attributes": clean.attributes,
        "events": clean.events,
    }
    ids = {"span_id": span.span_id, "trace_id": span.trace_id}
    return Record(row, [{**ids, "key": whole.key, "text": whole.text, "size": whole.size} for whole in clean.wholes])


def adapted(span: SpanValue) -> dict[str, Any]:
    """Another service's attributes in our words, with who sent them."""
    sender = {name: span.resource[name] for name in OF_SENDER if span.resource.get(name)}
    found = translated(span.name, span.attributes, span.events) | sender
    found.setdefault(names.SERVICE, "unknown_service")
    if span.scope:
        found["otel.scope.name"] = span.scope
    return found


def with_error(span: SpanValue, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes with what went wrong: by the status, else by the exception that was recorded."""
    thrown: Mapping[str, Any] = next((event["attributes"] for event in span.events if event["name"] == "exception"), {})
    message = span.message or thrown.get("exception.message")
    kind = thrown.get("exception.type")
    found = dict(attributes)
    if message:
        found[names.ERROR_MESSAGE] = message
    if kind and not is_own(span):
        found.setdefault(names.ERROR_TYPE, kind)
    return found


def conversation_of(attributes: Mapping[str, Any]) -> str | None:
    """The conversation that a span names, if that can be one's name."""
    found = names.read(attributes, names.CONVERSATION)
    return text(found) if isinstance(found, (str, int)) and 0 < len(str(found)) <= LONGEST_NAME else None


def kind_of(attributes: Mapping[str, Any], span: SpanValue) -> str:
    """The type of another service's span; a model and its tokens make a call even where no operation is named."""
    if attributes.get(names.MCP_METHOD) == TOOLS_CALL:
        return "mcp_server" if span.kind == "server" else "mcp_client"
    operation = attributes.get(names.OPERATION)
    if operation is not None:
        return TYPES.get(str(operation).lower(), "other")
    model = names.read(attributes, names.REQUEST_MODEL) or names.read(attributes, names.RESPONSE_MODEL)
    return "chat" if model and names.read(attributes, names.INPUT_TOKENS) is not None else "other"


def told(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that are known to be no content."""
    return {name: value for name, value in attributes.items() if names.tells(name, value)}


def told_or_content(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that are known to be no content, and those that the redactor knows as content."""
    return {name: value for name, value in attributes.items() if name in names.CONTENT or names.tells(name, value)}


def capped(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """No more attributes than anybody reads; names that count come first."""
    if len(attributes) <= MOST:
        return attributes
    ordered = sorted(attributes, key=lambda name: (name not in names.STRUCTURAL, name not in names.CONTENT))
    return {name: attributes[name] for name in ordered[:MOST]} | {DROPPED: len(attributes) - MOST}
