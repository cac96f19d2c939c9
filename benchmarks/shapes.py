"""The shapes of turns in a generated world, rolled up by the code that rolls up real ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from telemetry.jsontext import dumps
from telemetry.turns import roll_up

MS = 10**6
ORIGIN_NS = 1_790_000_000 * 10**9
TOOLS = (
    ("Gmail", "search_gmail_messages", "gmail.users.messages.list"),
    ("Gmail", "read_gmail_message", "gmail.users.messages.get"),
    ("Gmail", "send_gmail_message", "gmail.users.messages.send"),
    ("Gmail", "list_gmail_labels", "gmail.users.labels.list"),
    ("Calendar", "get_events", "calendar.events.list"),
    ("Calendar", "query_calendar_freebusy", "calendar.freebusy.query"),
    ("Calendar", "create_event", "calendar.events.insert"),
    ("Drive", "search_drive_files", "drive.files.list"),
    ("Drive", "read_drive_file", "drive.files.get"),
    ("Docs", "read_document", "docs.documents.get"),
    ("Sheets", "read_sheet_values", "sheets.spreadsheets.values.get"),
    ("Slides", "get_presentation", "slides.presentations.get"),
)
QUESTIONS = (
    "Show my unread emails",
    "What is on my calendar tomorrow?",
    "Find the mail from Ana about the invoice",
    "Which files did Kenji share with me last week?",
    "Summarise the offsite document",
    "When are Lena and I both free on Friday?",
    "Draft an answer to the latest mail from the bank",
    "How much did we spend on travel in the sheet?",
)
CACHED, DIRECT, ORCHESTRATED = "cache", "direct", "orchestrated"


@dataclass(frozen=True)
class Kind:
    """A kind of turn; `share` is how many of all are of it."""

    share: float
    route: str
    tool: int
    status: str = "done"
    tool_fails: bool = False
    unpriced: bool = False


@dataclass(frozen=True)
class Shape:
    """A turn that begins at 0: spans (parent's place, name, type, start, end, status, JSON), and its roll-up."""

    spans: Sequence[tuple[Any, ...]]
    row: Mapping[str, Any]
    llm_calls: Sequence[Mapping[str, Any]]
    tool_calls: Sequence[Mapping[str, Any]]

    def turn(self, ids: Mapping[str, Any], start_ns: int, stretch: float) -> dict[str, Any]:
        """The row of a turn with this shape; its phases add up to its wall time."""
        phases = {name: int(ns * stretch) for name, ns in self.row["phases"].items()}
        wall, first = sum(phases.values()), self.row["first_token_ns"]
        times = {"wall_ns": wall, "latency_ns": wall - phases.get("approval_wait", 0), "phases": phases}
        first_word = {"first_token_ns": None if first is None else int(first * stretch)}
        return {**self.row, **ids, "start_ns": start_ns, **times, **first_word}

    def call(
        self, call: Mapping[str, Any], ids: Mapping[str, Any], first: int, start_ns: int, stretch: float
    ) -> dict[str, Any]:
        """The row of a call in such a turn; `first` is the number of its root span."""
        began = start_ns + int((call["start_ns"] - ORIGIN_NS) * stretch)
        span = f"{first + int(call['span_id'], 16):016x}"
        return {**call, **ids, "span_id": span, "start_ns": began, "duration_ns": int(call["duration_ns"] * stretch)}


def kinds() -> tuple[Kind, ...]:
    """All of them: the first tools are asked for most."""
    found = [Kind(8, CACHED, 0)]
    for place in range(len(TOOLS)):
        share = 100 / (place + 1)
        found += [Kind(share * 0.6, DIRECT, place), Kind(share * 0.3, ORCHESTRATED, place)]
        found += [Kind(share * 0.03, DIRECT, place, "failed"), Kind(share * 0.02, ORCHESTRATED, place, "stopped")]
        found += [Kind(share * 0.03, DIRECT, place, tool_fails=True), Kind(share * 0.02, DIRECT, place, unpriced=True)]
    return tuple(found)


SHAPES = kinds()


@cache
def shape_of(kind: Kind, model: str) -> Shape:
    """The shape of a kind of turn on a model."""
    rows = [row(place, *span) for place, span in enumerate(spans_of(kind, model))]
    rolled = roll_up(rows)
    assert rolled is not None
    spans = [
        (
            None if one["parent_id"] is None else int(one["parent_id"], 16),
            *(one["name"], one["type"], one["start_ns"] - ORIGIN_NS, one["end_ns"] - ORIGIN_NS),
            *(one["status"], dumps(one["attributes"])),
        )
        for one in rows
    ]
    return Shape(spans, rolled.turn, rolled.llm_calls, rolled.tool_calls)


def row(
    place: int, above: int | None, name: str, type_: str, begin: float, end: float, attributes: dict[str, Any]
) -> dict[str, Any]:
    """A row of `span`; what has an `error.type` failed."""
    return {
        "span_id": f"{place:016x}",
        "trace_id": "0" * 32,
        "parent_id": None if above is None else f"{above:016x}",
        "name": name,
        "type": type_,
        "kind": "internal",
        "start_ns": ORIGIN_NS + int(begin * MS),
        "end_ns": ORIGIN_NS + int(end * MS),
        "status": "error" if "error.type" in attributes else "ok",
        "user_id": "local",
        "conversation_id": "c",
        "attributes": attributes,
        "events": [],
    }


def spans_of(kind: Kind, model: str) -> list[tuple[Any, ...]]:
    """(parent's place, name, type, start ms, end ms, attributes), ten of them but for remembered answers."""
    agent, tool, request = TOOLS[kind.tool]
    said = said_of(kind, model)
    if kind.route == CACHED:
        hit = {"glassdesk.cache.hit": True, "glassdesk.cache.saved_usd": "0.000306"}
        return [
            (None, "turn", "turn", 0, 6, said),
            (0, "cache.lookup", "cache", 0.2, 3, hit),
            (0, "persist", "persist", 3, 5, {}),
        ]
    failed = {"error.type": "RateLimitError"} if kind.status == "failed" else {}
    refused = {"error.type": "tool_error", "http.response.status_code": 404} if kind.tool_fails else {}
    called = {"gen_ai.tool.name": tool, "mcp.method.name": "tools/call"}
    first = 1 if kind.route == DIRECT else 2
    inner = [
        (first, f"chat {model}", "chat", 8, 700, chat(model, kind)),
        (
            first,
            f"execute_tool {tool}",
            "tool",
            702,
            840,
            {**called, "gen_ai.tool.call.result": "x" * (200 * (kind.tool + 1))},
        ),
        (first + 2, f"tools/call {tool}", "mcp_client", 703, 839, {**called, **refused}),
        (
            first + 3,
            request,
            "google",
            706,
            830,
            {"http.request.method": "GET", "http.response.status_code": 200, **refused},
        ),
        (first, f"chat {model}", "chat", 842, 1_600, chat(model, kind) | failed),
    ]
    outer = [(0, "invoke_agent Assistant", "agent", 3, 1_640, {"gen_ai.agent.name": "Assistant"})]
    mine = (len(outer) if first == 2 else 0, f"invoke_agent {agent}", "agent", 5, 1_610, {"gen_ai.agent.name": agent})
    rest: list[tuple[Any, ...]] = [(0, "persist", "persist", 1_650, 1_655, {}), (0, "route", "route", 0.3, 2.5, {})]
    if kind.route == DIRECT:
        rest.append((0, "cache.lookup", "cache", 0.1, 0.3, {}))
    head = [(None, "turn", "turn", 0, 1_660, said | failed), *(outer if first == 2 else []), mine]
    return [*head, *inner, *rest]


def said_of(kind: Kind, model: str) -> dict[str, Any]:
    """What the root says."""
    agent = TOOLS[kind.tool][0]
    said = {
        "glassdesk.question": QUESTIONS[kind.tool % len(QUESTIONS)],
        "glassdesk.status": kind.status,
        "glassdesk.route": kind.route,
        "glassdesk.agents": ["Assistant", agent] if kind.route == ORCHESTRATED else [agent],
        "glassdesk.model": model,
    }
    if kind.status != "failed":
        said["glassdesk.first_token_ns"] = (1_200 if kind.route != CACHED else 3) * MS
    return said


def chat(model: str, kind: Kind) -> dict[str, Any]:
    """What a model call says."""
    usage = (
        {} if kind.unpriced else {"gen_ai.usage.input_tokens": 1_200 + 90 * kind.tool, "gen_ai.usage.output_tokens": 80}
    )
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openrouter" if "/" in model else "house",
        "gen_ai.request.model": model,
        "gen_ai.usage.cache_read.input_tokens": 1_000,
        "glassdesk.usage.cost_usd": "0.000153",
        **usage,
    }
