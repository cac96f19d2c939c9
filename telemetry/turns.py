"""The spans of one turn → its row, its model calls and its tool calls: pure, summed from the leaves."""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

from telemetry import attributes as names
from telemetry import phases, pricing
from telemetry.adoption import adopted, foreign_chats, foreign_tools, is_foreign
from telemetry.texts import original_size

log = logging.getLogger(__name__)

Row = Mapping[str, Any]
UNKNOWN: Final = ""
SUMS: Final = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens", "cost_pico_usd")


@dataclass(frozen=True)
class RollUp:
    """The rows of one turn."""

    turn: dict[str, Any]
    llm_calls: list[dict[str, Any]]
    tool_calls: list[dict[str, Any]]


def is_root(row: Row) -> bool:
    """Whether a span is a whole turn: one of ours, or the first span of another service's trace."""
    return row["parent_id"] is None and (row["type"] == "turn" or is_foreign(row))


def root_of(rows: Sequence[Row]) -> Row | None:
    """The root of one trace: our own turn before another service's span, the earliest of several."""
    roots = [row for row in rows if is_root(row)]
    return min(roots, key=lambda row: (row["type"] != "turn", row["start_ns"], row["span_id"]), default=None)


def running_turn(root: Row) -> dict[str, Any]:
    """The row of a turn that has just started, so that it is listed at once."""
    return turn_row(root, "running") | {"wall_ns": None, "latency_ns": None}


def roll_up(rows: Sequence[Row], own: Sequence[pricing.Override] = ()) -> RollUp | None:
    """The roll-up of one trace; None if it is no turn. Spans that did not end, end where the turn ends.

    Args:
        own: Prices that were set on the page.
    """
    root = root_of(rows)
    if root is not None and root["status"] == "running":
        return RollUp(running_turn(root), [], [])  # its calls count with its end
    return Trace(root, rows, own).roll_up() if root is not None else None


def root_alone(rows: Sequence[Row]) -> RollUp | None:
    """The roll-up of a turn of which nothing but its root can be read: all its time is `framework`."""
    root = root_of(rows)
    if root is None:
        return None
    trace = Trace(root, rows)
    wall = trace.end_ns - trace.root["start_ns"]
    times = {"wall_ns": wall, "latency_ns": wall, "phases": {phases.Phase.FRAMEWORK.value: wall}}
    return RollUp(turn_row(trace.root, trace.status) | times, [], [])


class Trace:
    """The spans of one turn, and what can be said about it."""

    def __init__(self, root: Row, rows: Sequence[Row], own: Sequence[pricing.Override] = ()) -> None:
        self.own = own
        self.rows = sorted(rows, key=lambda row: (row["start_ns"], row["span_id"]))
        self.root = adopted(root, self.rows) if is_foreign(root) else root
        self.by_id = {row["span_id"]: row for row in rows}

    @cached_property
    def end_ns(self) -> int:
        """Where the turn ended, or was last heard of."""
        if self.root["end_ns"] is not None:
            return int(self.root["end_ns"])
        return max(int(max(row["start_ns"], row["end_ns"] or 0)) for row in self.rows)

    @property
    def status(self) -> str:
        """How the turn ended."""
        if self.root["status"] in ("running", "interrupted"):
            return str(self.root["status"])
        fallback = "failed" if self.root["status"] == "error" else "done"
        return str(self.root["attributes"].get(names.STATUS) or fallback)

    def roll_up(self) -> RollUp:
        """All rows of the turn."""
        chats = foreign_chats(self.rows, self.by_id) if is_foreign(self.root) else self.of_type("chat")
        llm_calls = [self.llm_call(row) for row in chats]
        tool_calls = [self.tool_call(row) for row in self.called_tools()]
        turn = turn_row(self.root, self.status) | sums(llm_calls)
        turn["model"] = turn["model"] or next((call["model"] for call in reversed(llm_calls) if call["model"]), None)
        turn["wall_ns"] = None if self.status == "running" else self.end_ns - self.root["start_ns"]
        turn["phases"] = {} if self.status == "running" else self.phases()
        turn["latency_ns"] = latency_of(turn)
        turn["first_token_ns"] = self.first_word(turn["first_token_ns"])
        turn["tools"] = len(tool_calls)
        turn["google_requests"] = len(self.of_type("google"))
        turn |= self.remembered()
        return RollUp(turn, llm_calls, tool_calls)

    def first_word(self, since_start_ns: int | None) -> int | None:
        """Nanoseconds to the first word, without the waits for a person that had begun before it."""
        if since_start_ns is None:
            return None
        word = int(self.root["start_ns"]) + since_start_ns
        waits = [(row["start_ns"], min(row["end_ns"] or word, word)) for row in self.of_type("approval")]
        return max(0, since_start_ns - sum(max(0, int(end - start)) for start, end in waits))

    def remembered(self) -> dict[str, Any]:
        """Whether the answer was remembered, and what that saved."""
        hit = next((row["attributes"] for row in self.of_type("cache") if row["attributes"].get(names.CACHE_HIT)), None)
        saved = None if hit is None else pricing.pico_usd(hit.get(names.CACHE_SAVED_USD))
        return {"cached": hit is not None, "saved_pico_usd": saved}

    @cached_property
    def types(self) -> dict[str, list[Row]]:
        """The spans by type, in order of start."""
        found: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows:
            found[row["type"]].append(row)
        return found

    @cached_property
    def twins(self) -> dict[str, Row]:
        """The server's span of a tool call by the client's."""
        clients = {row["span_id"] for row in self.of_type("mcp_client")}
        return {row["parent_id"]: row for row in self.of_type("mcp_server") if row["parent_id"] in clients}

    def of_type(self, type_: str) -> Sequence[Row]:
        """The spans of a type, in order of start."""
        return self.types.get(type_, ())

    def called_tools(self) -> list[Row]:
        """One span a tool call: the client's, or the server's where the client is in the process and makes none.

        A call that no tool server serves is no more than a tool that ran; so may be one of another service.
        """
        servers = [row for row in self.of_type("mcp_server") if row["parent_id"] not in self.twins]
        ran = [row for row in self.of_type("tool") if row["attributes"].get(names.TOOL_LOCAL)]
        ran += foreign_tools(self.rows, self.by_id) if is_foreign(self.root) else []
        return sorted([*self.of_type("mcp_client"), *servers, *ran], key=lambda row: (row["start_ns"], row["span_id"]))

    def phases(self) -> dict[str, int]:
        """The time account; it sums to the wall time."""
        times = [
            phases.SpanTime(
                row["span_id"],
                row["parent_id"],
                row["type"],
                row["start_ns"],
                row["end_ns"],
                str(row["attributes"].get(names.AGENT_NAME) or row["name"]),
            )
            for row in self.rows
        ]
        return phases.account(times, self.end_ns).phases

    def agent_of(self, row: Row) -> str | None:
        """The nearest agent above a span."""
        above = next((span for span in self.upwards(row) if span["type"] == "agent"), None)
        name = None if above is None else above["attributes"].get(names.AGENT_NAME)
        return None if name is None else str(name)

    def upwards(self, row: Row) -> Iterator[Row]:
        """A span and those above it, the nearest first; a ring is walked once."""
        seen: set[str] = set()
        at: Row | None = row
        while at is not None and at["span_id"] not in seen:
            yield at
            seen.add(at["span_id"])
            at = self.by_id.get(at["parent_id"] or "")

    def call(self, row: Row) -> dict[str, Any]:
        """What a model call and a tool call have in common."""
        return {
            "span_id": row["span_id"],
            "turn_id": row["trace_id"],
            "user_id": self.root["user_id"] or UNKNOWN,
            "conversation_id": self.root["conversation_id"] or UNKNOWN,
            "agent": self.agent_of(row),
            "start_ns": row["start_ns"],
            "duration_ns": None if row["end_ns"] is None else row["end_ns"] - row["start_ns"],
            "status": row["status"],
            "error": error_of(row),
        }

    def llm_call(self, row: Row) -> dict[str, Any]:
        """One model call with its tokens and cost; what the provider did not report is NULL."""
        found = row["attributes"]
        provider, model = names.read(found, names.PROVIDER), model_of(found)
        tokens = {
            "input_tokens": number(names.read(found, names.INPUT_TOKENS)),
            "cached_input_tokens": number(names.read(found, names.CACHE_READ_TOKENS)),
            "output_tokens": number(names.read(found, names.OUTPUT_TOKENS)),
            "reasoning_tokens": number(names.read(found, names.REASONING_TOKENS)),
        }
        cost = price_of(found, provider, model, row["start_ns"], tokens, self.own)
        first_chunk = names.read(found, names.FIRST_CHUNK)
        return {
            **self.call(row),
            "provider": provider,
            "model": model,
            "first_chunk_ns": round(first_chunk * 1e9) if isinstance(first_chunk, (int, float)) else None,
            **tokens,
            "estimated": bool(found.get(names.ESTIMATED)),
            "cost_pico_usd": cost.pico_usd,
            "unpriced_reason": cost.reason if cost.pico_usd is None else None,
        }

    def tool_call(self, row: Row) -> dict[str, Any]:
        """One tool call. Only the server knows that a result is an error, so its twin decides with it."""
        twin = self.twins.get(row["span_id"], row)
        failed = next((span for span in (twin, row) if span["status"] == "error"), None)
        name = row["attributes"].get(names.TOOL_NAME) or row["name"].removeprefix("tools/call ")
        call = self.call(row) | {"tool": name, "error_kind": None, **self.result_of(row)}
        if failed is None:
            return call
        kind = self.refusals.get(row["span_id"]) or failed["attributes"].get(names.ERROR_TYPE)
        return call | {"status": "error", "error": error_of(failed), "error_kind": None if kind is None else str(kind)}

    @cached_property
    def refusals(self) -> dict[str, Any]:
        """What Google answered to the last failed request, by each span above that request."""
        found: dict[str, Any] = {}
        for row in self.of_type("google"):
            if row["status"] == "error":
                kind = row["attributes"].get(names.HTTP_STATUS) or row["attributes"].get(names.ERROR_TYPE)
                found.update(dict.fromkeys((above["span_id"] for above in self.upwards(row)), kind))
        return found

    def result_of(self, row: Row) -> dict[str, int | None]:
        """Size of what the tool gave to the model, as the `execute_tool` span right above the call recorded it."""
        above = row if row["type"] == "tool" else self.by_id.get(row["parent_id"] or "")
        found = above["attributes"] if above is not None and above["type"] == "tool" else {}
        result = found.get(names.TOOL_RESULT)
        return {
            "result_bytes": original_size(result) if isinstance(result, str) else None,
            "result_tokens": number(found.get(names.TOOL_RESULT_TOKENS)),
        }


def turn_row(root: Row, status: str) -> dict[str, Any]:
    """What a turn's root alone says; the sums are those of no calls."""
    found = root["attributes"]
    agents = found.get(names.AGENTS)
    return {
        "turn_id": root["trace_id"],
        "user_id": root["user_id"] or UNKNOWN,
        "conversation_id": root["conversation_id"] or UNKNOWN,
        "question": found.get(names.QUESTION),
        "status": status,
        "route": found.get(names.ROUTE),
        "agents": list(agents) if isinstance(agents, (list, tuple)) else [],
        "model": found.get(names.MODEL),
        "error": found.get(names.ERROR) or error_of(root),
        "service": found.get(names.SERVICE),
        "start_ns": root["start_ns"],
        "first_token_ns": number(found.get(names.FIRST_TOKEN_NS)),
        "phases": {},
        "tools": 0,
        "google_requests": 0,
        "cached": False,
        "saved_pico_usd": None,
        **sums(()),
    }


def latency_of(turn: Row) -> int | None:
    """A turn's wall time without the wait for a person; None while it runs."""
    wall = turn["wall_ns"]
    return None if wall is None else int(wall) - int(turn["phases"].get(phases.Phase.APPROVAL_WAIT, 0))


def sums(calls: Sequence[Row]) -> dict[str, Any]:
    """Requests, tokens and money of the calls. What no call reported is unknown; no call at all is zero."""
    totals: dict[str, Any] = {}
    for name in SUMS:
        known = [call[name] for call in calls if call[name] is not None]
        totals[name] = sum(known) if known or not calls else None
    estimated = any(call["estimated"] for call in calls)
    unpriced = sum(call["cost_pico_usd"] is None for call in calls)
    return {"requests": len(calls), **totals, "estimated": estimated, "unpriced": unpriced}


def price_of(
    found: Row,
    provider: str | None,
    model: str | None,
    start_ns: int,
    tokens: Row,
    own: Sequence[pricing.Override],
) -> pricing.Price:
    """The cost of a call; prices that cannot be read leave it unknown, never the span unstored."""
    try:
        return pricing.price(
            model,
            provider,
            tokens["input_tokens"],
            tokens["cached_input_tokens"],
            tokens["output_tokens"],
            datetime.fromtimestamp(start_ns / 1e9, UTC),
            cache_write_tokens=number(names.read(found, names.CACHE_WRITE_TOKENS)),
            reported_usd=found.get(names.COST_USD),
            own=own,
        )
    except Exception:
        log.exception("A model call could not be priced.")
        return pricing.Price(None, "The price list could not be read.")


def model_of(found: Row) -> str | None:
    """The model that answered, else the one that was asked."""
    model = names.read(found, names.RESPONSE_MODEL) or names.read(found, names.REQUEST_MODEL)
    return None if model is None else str(model)


def number(value: Any) -> int | None:
    """A count; None if it is not one."""
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def error_of(row: Row) -> str | None:
    """What went wrong in a span, in words if there are any."""
    if row["status"] != "error":
        return None
    error = row["attributes"].get(names.ERROR_MESSAGE) or row["attributes"].get(names.ERROR_TYPE)
    return None if error is None else str(error)
