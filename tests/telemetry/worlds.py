"""Telemetry databases filled with invented turns, through the tables and the real time account."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlmodel import Session

from telemetry.phases import SpanTime, account
from telemetry.store import Store
from telemetry.tables import LlmCall, Payload, Span, ToolCall, Turn

MS = 10**6
NOON = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()) * 10**9
MODEL = "openai/gpt-4o-mini"
MAILS = (
    '{"messages": [{"from": "Ana Ruiz", "subject": "Invoice 2041 is due on Friday"}, '
    '{"from": "Kenji Mori", "subject": "製品ロードマップのレビュー"}]}'
)


@dataclass
class Sketch:
    """A turn as rows (name, type, start ms, end ms or None, children); `scale` stretches its model calls' world."""

    question: str
    tree: Sequence[Any]
    route: str = "direct"
    agents: list[str] = field(default_factory=lambda: ["Gmail"])
    status: str = "done"
    model: str = MODEL
    error: str | None = None
    first_word_ms: float | None = 900


def tool(name: str, request: str, start: float, end: float) -> tuple[Any, ...]:
    """A tool call with its MCP twins and its Google request."""
    google = (request, "google", start + 4, end - 3, ())
    server = (f"tools/call {name}", "mcp_server", start + 2, end - 1, (google,))
    client = (f"tools/call {name}", "mcp_client", start + 1, end, (server,))
    return (f"execute_tool {name}", "tool", start, end + 1, (client,))


def chat(start: float, end: float) -> tuple[Any, ...]:
    return (f"chat {MODEL}", "chat", start, end, ())


def direct(scale: float = 1, **more: Any) -> Sketch:
    """Route → Gmail: model, search, model."""
    one, two, three = 700 * scale, 700 * scale + 120, 700 * scale + 120 + 800 * scale
    inner = (
        chat(4, one),
        tool("search_gmail_messages", "gmail.users.messages.list", one + 1, two),
        chat(two + 3, three),
    )
    tree = [
        ("route", "route", 0.4, 2, ()),
        ("invoke_agent Gmail", "agent", 3, three + 2, inner),
        ("persist", "persist", three + 3, three + 5, ()),
    ]
    return Sketch("Show my unread emails", tree, first_word_ms=two + 250 * scale, **more)


def orchestrated(scale: float = 1, **more: Any) -> Sketch:
    """Assistant → Gmail and Calendar at once → Assistant; the calendar is off the critical path."""
    s = scale
    gmail = (
        ("mcp.connect", "mcp_setup", 1422 * s, 1450 * s, ()),
        chat(1450 * s, 2300 * s),
        tool("search_gmail_messages", "gmail.users.messages.list", 2310 * s, 2750 * s),
        chat(2760 * s, 3580 * s),
    )
    calendar = (
        chat(1460 * s, 2400 * s),
        tool("query_calendar_freebusy", "calendar.freebusy.query", 2410 * s, 2700 * s),
        chat(2710 * s, 3080 * s),
    )
    outer = (
        chat(30 * s, 1400 * s),
        (
            "execute_tool gmail_task",
            "tool",
            1420 * s,
            3600 * s,
            (("invoke_agent Gmail", "agent", 1421 * s, 3595 * s, gmail),),
        ),
        (
            "execute_tool google_calendar_task",
            "tool",
            1420 * s,
            3100 * s,
            (("invoke_agent Calendar", "agent", 1421 * s, 3095 * s, calendar),),
        ),
        chat(3620 * s, 6050 * s),
    )
    tree = [
        ("route", "route", 0.4, 22 * s, ()),
        ("invoke_agent Assistant", "agent", 25 * s, 6060 * s, outer),
        ("persist", "persist", 6070 * s, 6080 * s, ()),
    ]
    question = "Find Ana's last mail about the offsite and a free slot to talk to her"
    return Sketch(question, tree, "orchestrated", ["Assistant", "Gmail", "Calendar"], first_word_ms=3900 * s, **more)


def approved(**more: Any) -> Sketch:
    """A turn that waited a minute for a person."""
    wait = ("approval.wait", "approval", 900, 60_900, ())
    inner = (
        chat(4, 880),
        wait,
        tool("send_gmail_message", "gmail.users.messages.send", 60_910, 61_200),
        chat(61_210, 61_900),
    )
    return Sketch("Tell Ana I'll pay on Friday", [("invoke_agent Gmail", "agent", 2, 61_910, inner)], **more)


def failed(**more: Any) -> Sketch:
    """The model's endpoint refused the key."""
    tree = [("route", "route", 0.4, 1, ()), ("invoke_agent Gmail", "agent", 2, 60, (chat(4, 58),))]
    error = "The model's provider refused the key. Check GLASSDESK_MODEL_API_KEY."
    return Sketch("Show my unread emails", tree, status="failed", error=error, first_word_ms=None, **more)


def running(**more: Any) -> Sketch:
    """A turn that waits for a slow Google request."""
    open_request = ("gmail.users.messages.list", "google", 710, None, ())
    open_tool = ("execute_tool search_gmail_messages", "tool", 705, None, (open_request,))
    tree = [("invoke_agent Gmail", "agent", 2, None, (chat(4, 700), open_tool))]
    return Sketch("Show my unread emails", tree, status="running", first_word_ms=None, **more)


class World:
    """A store and the turns put into it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._ids = 0

    def add(self, sketch: Sketch, start_ns: int = NOON, user_id: str = "local", conversation: str = "c1") -> str:
        """Write a turn with everything that belongs to it; gives its id."""
        self._ids += 1
        # Spread over the whole range of ids, as random ones are.
        turn_id = f"{self._ids * 0x9E3779B97F4A7C15 % 2**64:016x}{self._ids:016x}"
        spans = [self._root(turn_id, start_ns)]
        self._below(spans, sketch.tree, spans[0], start_ns)
        for span in spans:
            span.user_id, span.conversation_id = user_id, conversation
            span.attributes = attributes(span, sketch)
        if sketch.status != "running":
            last = max(span.end_ns or span.start_ns for span in spans)
            spans[0].end_ns = None if sketch.status == "interrupted" else last + 1 * MS
            spans[0].status = {"failed": "error", "interrupted": "interrupted"}.get(sketch.status, "ok")
        rows = [*spans, *self._rollup(sketch, spans, user_id, conversation)]
        with Session(self.store.engine, expire_on_commit=False) as session:
            session.add_all(rows)
            session.commit()
        return turn_id

    def _root(self, turn_id: str, start_ns: int) -> Span:
        return self._span(turn_id, None, ("turn", "turn", 0, None, ()), start_ns)

    def _span(self, turn_id: str, parent: str | None, item: Sequence[Any], zero: int) -> Span:
        self._ids += 1
        name, kind, start, end, _ = item
        return Span(
            span_id=f"{self._ids:016x}",
            trace_id=turn_id,
            parent_id=parent,
            name=name,
            type=kind,
            kind="internal",
            start_ns=zero + round(start * MS),
            end_ns=None if end is None else zero + round(end * MS),
            status="running" if end is None else "ok",
        )

    def _below(self, spans: list[Span], tree: Sequence[Any], parent: Span, zero: int) -> None:
        for item in tree:
            span = self._span(parent.trace_id, parent.span_id, item, zero)
            spans.append(span)
            self._below(spans, item[4], span, zero)

    def _rollup(self, sketch: Sketch, spans: list[Span], user_id: str, conversation: str) -> list[Any]:
        whose = {"turn_id": spans[0].trace_id, "user_id": user_id, "conversation_id": conversation}
        by_id = {span.span_id: span for span in spans}
        calls = [llm_call(whose, span, sketch, by_id) for span in spans if span.type == "chat"]
        used = [tool_call(whose, span, by_id) for span in spans if span.type == "mcp_client"]
        payloads = [payload(span) for span in spans if span.name == SEARCHED]
        return [turn_of(whose, sketch, spans), *calls, *used, *payloads]


SEARCHED = "execute_tool search_gmail_messages"


def turn_of(whose: dict[str, str], sketch: Sketch, spans: list[Span]) -> Turn:
    result = account([SpanTime(s.span_id, s.parent_id, s.type, s.start_ns, s.end_ns, label(s)) for s in spans])
    ended = sketch.status != "running"
    chats = sum(span.type == "chat" for span in spans)
    return Turn(
        **whose,
        question=sketch.question,
        status=sketch.status,
        route=sketch.route,
        agents=sketch.agents,
        model=sketch.model,
        error=sketch.error,
        start_ns=spans[0].start_ns,
        wall_ns=result.wall_ns if ended else None,
        latency_ns=result.wall_ns - result.phases.get("approval_wait", 0) if ended else None,
        first_token_ns=None if sketch.first_word_ms is None else round(sketch.first_word_ms * MS),
        phases=result.phases if ended else {},
        requests=chats,
        tools=sum(span.type == "mcp_client" for span in spans),
        input_tokens=1200 * chats,
        cached_input_tokens=1000 * chats,
        output_tokens=80 * chats,
        cost_pico_usd=153_000_000 * chats,
        google_requests=sum(span.type == "google" for span in spans),
    )


def llm_call(whose: dict[str, str], span: Span, sketch: Sketch, by_id: dict[str, Span]) -> LlmCall:
    return LlmCall(
        **whose,
        span_id=span.span_id,
        agent=agent_of(span, by_id),
        provider="openrouter",
        model=sketch.model,
        start_ns=span.start_ns,
        duration_ns=None if span.end_ns is None else span.end_ns - span.start_ns,
        status=span.status,
        input_tokens=1200,
        cached_input_tokens=1000,
        output_tokens=80,
        cost_pico_usd=153_000_000,
    )


def tool_call(whose: dict[str, str], span: Span, by_id: dict[str, Span]) -> ToolCall:
    return ToolCall(
        **whose,
        span_id=span.span_id,
        agent=agent_of(span, by_id),
        tool=span.name.removeprefix("tools/call "),
        start_ns=span.start_ns,
        duration_ns=None if span.end_ns is None else span.end_ns - span.start_ns,
        status=span.status,
    )


def payload(span: Span) -> Payload:
    size = len(MAILS.encode())
    return Payload(span_id=span.span_id, trace_id=span.trace_id, key="gen_ai.tool.call.result", text=MAILS, size=size)


def label(span: Span) -> str:
    return span.name.removeprefix("invoke_agent ")


def agent_of(span: Span, by_id: dict[str, Span]) -> str | None:
    at: Span | None = span
    while at is not None and at.type != "agent":
        at = by_id.get(at.parent_id or "")
    return label(at) if at else None


def attributes(span: Span, sketch: Sketch) -> dict[str, Any]:
    """What a span of its type says."""
    if span.type == "turn":
        return {
            "glassdesk.question": sketch.question,
            "glassdesk.status": sketch.status,
            "glassdesk.route": sketch.route,
        }
    if span.type == "chat":
        question = f'[{{"role": "user", "parts": [{{"type": "text", "content": "{sketch.question}"}}]}}]'
        answer = '[{"role": "assistant", "parts": [{"type": "text", "content": "You have **2 unread emails**."}]}]'
        usage = {
            "gen_ai.usage.input_tokens": 1200,
            "gen_ai.usage.output_tokens": 80,
            "gen_ai.usage.cache_read.input_tokens": 1000,
        }
        return {
            "gen_ai.request.model": sketch.model,
            "gen_ai.input.messages": question,
            "gen_ai.output.messages": answer,
            **usage,
        }
    if span.type == "tool":
        name = span.name.removeprefix("execute_tool ")
        return {
            "gen_ai.tool.name": name,
            "gen_ai.tool.call.arguments": '{"query": "is:unread"}',
            "gen_ai.tool.call.result": MAILS[:60] + "… [cut: 60 of 153 bytes]",
        }
    if span.type == "google":
        return {"http.request.method": "GET", "http.response.status_code": 200, "http.response.body.size": 8_192}
    return {}
