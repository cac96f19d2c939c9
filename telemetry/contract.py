"""Turns as the HTTP contract has them: money as decimal text, durations in nanoseconds, unknown as null."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from telemetry.formats import usd
from telemetry.tables import LlmCall, Span, ToolCall, Turn

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def turn_summary(turn: Turn) -> dict[str, Any]:
    """What a list of turns shows of one."""
    return {
        "turn_id": turn.turn_id,
        "conversation_id": turn.conversation_id,
        "status": turn.status,
        "question": turn.question,
        "route": turn.route,
        "agents": list(turn.agents),
        "model": turn.model,
        "started_at": timestamp(turn.start_ns),
        "wall_ns": turn.wall_ns,
        "first_token_ns": turn.first_token_ns,
        "error": turn.error,
        "service": turn.service,
        "usage": usage(turn),
        "cost_usd": usd(turn.cost_pico_usd),
        "unpriced_calls": turn.unpriced,
        "cached": turn.cached,
        "saved_usd": usd(turn.saved_pico_usd),
    }


def finished_turn(turn: Turn, llm_calls: Sequence[LlmCall], tool_calls: Sequence[ToolCall]) -> dict[str, Any]:
    """The finished turn without `response` and `approvals`, which the store of spans does not know.

    `sum(phases.ns) == wall_ns` as soon as the turn has ended.
    """
    return turn_summary(turn) | {
        "phases": [{"phase": phase, "ns": ns} for phase, ns in turn.phases.items()],
        "llm_calls": [llm_call(call) for call in llm_calls],
        "tool_calls": [
            {"tool": call.tool, "agent": call.agent, "ns": call.duration_ns, "status": call.status, "error": call.error}
            for call in tool_calls
        ],
    }


def llm_call(call: LlmCall) -> dict[str, Any]:
    """One model call; `unpriced_reason` says why its cost is null."""
    return {
        "agent": call.agent,
        "provider": call.provider,
        "model": call.model,
        "ns": call.duration_ns,
        "first_chunk_ns": call.first_chunk_ns,
        "status": call.status,
        "input_tokens": call.input_tokens,
        "cached_input_tokens": call.cached_input_tokens,
        "output_tokens": call.output_tokens,
        "reasoning_tokens": call.reasoning_tokens,
        "cost_usd": usd(call.cost_pico_usd),
        "unpriced_reason": call.unpriced_reason,
    }


def usage(turn: Turn) -> dict[str, Any]:
    """Tokens of a turn; null is unknown, `estimated` marks counts of our own."""
    return {
        "requests": turn.requests,
        "input_tokens": turn.input_tokens,
        "cached_input_tokens": turn.cached_input_tokens,
        "output_tokens": turn.output_tokens,
        "reasoning_tokens": turn.reasoning_tokens,
        "estimated": turn.estimated,
    }


def span_tree(spans: Sequence[Span]) -> list[dict[str, Any]]:
    """The spans of a turn as nested objects, in order of start; an orphan stands at the top."""
    nodes: dict[str, dict[str, Any]] = {span.span_id: span_node(span) for span in spans}
    top: list[dict[str, Any]] = []
    for span in sorted(spans, key=lambda span: (span.start_ns, span.span_id)):
        parent = nodes.get(span.parent_id or "")
        (parent["children"] if parent else top).append(nodes[span.span_id])
    return top


def span_node(span: Span) -> dict[str, Any]:
    """One span; `ns` is null while it is open."""
    return {
        "span_id": span.span_id,
        "name": span.name,
        "type": span.type,
        "status": span.status,
        "started_at": timestamp(span.start_ns),
        "start_ns": span.start_ns,
        "ns": None if span.end_ns is None else span.end_ns - span.start_ns,
        "attributes": span.attributes,
        "children": [],
    }


def timestamp(ns: int) -> str:
    """Unix nanoseconds as RFC 3339 in UTC, to the microsecond."""
    return (EPOCH + timedelta(microseconds=ns // 1000)).isoformat().replace("+00:00", "Z")
