"""A span as OpenTelemetry hands it over → a row of the `span` table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, SpanKind, StatusCode, format_span_id, format_trace_id

from telemetry import attributes as names
from telemetry.jsontext import dumps, loads
from telemetry.redaction import Redactor
from telemetry.texts import sound

MCP_SCOPE: Final = "mcp-python-sdk"
TOOLS_CALL: Final = "tools/call"
BY_NAME: Final[Mapping[str, str]] = {
    "turn": "turn",
    "cache.lookup": "cache",
    "route": "route",
    "plan": "route",
    "read.ahead": "route",
    "approval.wait": "approval",
    "persist": "persist",
    "mcp.connect": "mcp_setup",
}
BY_OPERATION: Final[Mapping[str, str]] = {"invoke_agent": "agent", "chat": "chat", "execute_tool": "tool"}
KINDS: Final = {kind: kind.name.lower() for kind in SpanKind}
GOOGLE: Final = re.compile(r"(?:gmail|calendar|drive|docs|sheets|slides|tasks|people|forms|chat)\.\w")


@dataclass(frozen=True)
class Identity:
    """Whose trace it is."""

    user_id: str | None = None
    conversation_id: str | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is left to learn."""
        return bool(self.user_id and self.conversation_id)

    def learn(self, attributes: Mapping[str, Any]) -> "Identity":
        """This identity with what a span's attributes add to it."""
        if self.whole:
            return self
        user, conversation = attributes.get(names.USER), names.read(attributes, names.CONVERSATION)
        return Identity(self.user_id or text(user), self.conversation_id or text(conversation))


SCALARS: Final = (
    *("span_id", "trace_id", "parent_id", "name", "type", "kind", "start_ns", "end_ns", "status"),
    *("user_id", "conversation_id"),
)
JSON_TEXTS: Final = ("attributes", "events")
COLUMNS: Final = (*SCALARS, *JSON_TEXTS)
"""The columns of `span` in the order of `Record.values`."""


@dataclass(frozen=True, slots=True)
class Record:
    """One row of `span` and its rows of `payload`.

    Attributes:
        texts: Attributes and events as JSON, where they were made already: journal and database take the same.
    """

    row: dict[str, Any]
    payloads: Sequence[dict[str, Any]] = ()
    texts: tuple[str, str] | None = None

    def values(self) -> tuple[Any, ...]:
        """The row in the order of `COLUMNS`, JSON as text."""
        texts = self.texts or tuple(dumps(self.row[name]) for name in JSON_TEXTS)
        return (*map(self.row.__getitem__, SCALARS), *texts)


def record_of(values: Sequence[Any], payloads: Sequence[dict[str, Any]]) -> Record:
    """The record that has these values.

    Raises:
        ValueError: They are not as many as there should be, or a text is no JSON.
    """
    row = dict(zip(COLUMNS, values, strict=True))
    texts = tuple(str(row[name]) for name in JSON_TEXTS)
    return Record({**row, **{name: loads(row[name]) for name in JSON_TEXTS}}, payloads, (texts[0], texts[1]))


def text(value: Any) -> str | None:
    """A value as text that a database takes; None stays None."""
    return None if value is None else sound(str(value))


def attributes_now(span: ReadableSpan) -> dict[str, Any]:
    """A copy of a span's attributes, cheap and safe while they change."""
    found: Any = span.attributes
    copied: dict[str, Any] = found.copy()
    return copied


def is_housekeeping(span: ReadableSpan) -> bool:
    """Whether it is the MCP SDK's span of anything but a tool call."""
    scope = span.instrumentation_scope
    if scope is None or scope.name != MCP_SCOPE:
        return False
    return (span.attributes or {}).get(names.MCP_METHOD) != TOOLS_CALL


def type_of(name: str, attributes: Mapping[str, Any], kind: SpanKind) -> str:
    """The type of a span, from its name and attributes."""
    if attributes.get(names.MCP_METHOD) == TOOLS_CALL:
        return "mcp_server" if kind is SpanKind.SERVER else "mcp_client"
    if name in BY_NAME:
        return BY_NAME[name]
    operation = BY_OPERATION.get(str(attributes.get(names.OPERATION)))
    if operation is not None:
        return operation
    return "google" if GOOGLE.match(name) else "other"


def record(
    span: ReadableSpan, attributes: Mapping[str, Any], identity: Identity, redactor: Redactor, *, running: bool = False
) -> Record:
    """The rows of a span.

    Args:
        attributes: The span's own, or a copy taken when it started.
        running: It has just started; whatever it holds by now, its row says `running`.
    """
    context, parent = span.get_span_context(), span.parent
    assert context is not None
    failed = not running and span.status.status_code is StatusCode.ERROR
    if failed and span.status.description:
        attributes = {**attributes, names.ERROR_MESSAGE: span.status.description}
    clean = redactor.clean(stored_name(span.name), attributes, () if running else events_of(span))
    row = {
        "span_id": format_span_id(context.span_id),
        "trace_id": format_trace_id(context.trace_id),
        "parent_id": format_span_id(parent.span_id) if parent else None,
        "name": clean.name,
        "type": type_of(span.name, attributes, span.kind),
        "kind": KINDS[span.kind],
        "start_ns": span.start_time,
        "end_ns": None if running else span.end_time,
        "status": "running" if running else "error" if failed else "ok",
        "user_id": identity.user_id,
        "conversation_id": identity.conversation_id,
        "attributes": clean.attributes,
        "events": clean.events,
    }
    texts = (dumps(clean.attributes), dumps(clean.events) if clean.events else "[]")
    if not clean.wholes:
        return Record(row, texts=texts)
    ids = {"span_id": row["span_id"], "trace_id": row["trace_id"]}
    wholes = [{**ids, "key": whole.key, "text": whole.text, "size": whole.size} for whole in clean.wholes]
    return Record(row, wholes, texts)


def stored_name(name: str) -> str:
    """The name by the conventions: the MCP client's `MCP send tools/call X` is `tools/call X`."""
    return name.removeprefix("MCP send ")


def events_of(span: ReadableSpan) -> Sequence[dict[str, Any]]:
    """A span's events, and its links as events of their own."""
    events, links = span.events, span.links
    if not events and not links:
        return ()
    return [
        *(
            {"name": event.name, "time_ns": event.timestamp, "attributes": dict(event.attributes or {})}
            for event in events
        ),
        *(
            {
                "name": "link",
                "time_ns": span.start_time,
                "attributes": {**(link.attributes or {}), **linked(link.context)},
            }
            for link in links
        ),
    ]


def linked(context: SpanContext) -> dict[str, str]:
    """The ids of a span that another one points to."""
    return {"span_id": format_span_id(context.span_id), "trace_id": format_trace_id(context.trace_id)}
