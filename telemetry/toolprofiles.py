"""What tools really take: medians of a user's calls, tokens by a tokenizer that is passed in."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

from sqlalchemy import and_
from sqlmodel import col, select

from telemetry.attributes import TOOL_ARGUMENTS, TOOL_RESULT
from telemetry.queries import Readable
from telemetry.tables import Payload, Span, ToolCall

NEWEST = 20_000
"""Calls that are looked at, the newest first."""


@dataclass(frozen=True)
class Call:
    """One call that went well: texts of arguments and result, nanoseconds."""

    arguments: str
    result: str
    ns: int


@dataclass(frozen=True)
class Profile:
    """Medians of a tool's calls that went well.

    Attributes:
        tokens_in, tokens_out: of the arguments and of the result.
        latency_ms: of a call, as the agent waits for it.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    latency_ms: int


def tool_profiles(
    store: Readable, user_id: str, count_tokens: Callable[[str], int], least: int = 3
) -> dict[str, Profile]:
    """Tool → its medians; tools with fewer kept calls than `least` are left out.

    A call whose contents were not kept tells nothing.
    """
    calls: dict[str, list[Call]] = defaultdict(list)
    for tool, call in kept_calls(store, user_id):
        calls[tool].append(call)
    return {tool: profile(known, count_tokens) for tool, known in sorted(calls.items()) if len(known) >= least}


def profile(calls: list[Call], count_tokens: Callable[[str], int]) -> Profile:
    """The medians of some calls; at least one."""
    return Profile(
        calls=len(calls),
        tokens_in=round(median(count_tokens(call.arguments) for call in calls)),
        tokens_out=round(median(count_tokens(call.result) for call in calls)),
        latency_ms=round(median(call.ns for call in calls) / 10**6),
    )


def kept_calls(store: Readable, user_id: str) -> Iterator[tuple[str, Call]]:
    """(tool, call) of the user's calls that went well and whose result was kept."""
    made = and_(col(Span.trace_id) == ToolCall.turn_id, col(Span.span_id) == ToolCall.span_id)
    query = select(ToolCall, Span.parent_id).join(Span, made)
    query = query.where(ToolCall.user_id == user_id, ToolCall.status == "ok")
    with store.reader() as session:
        rows = session.exec(query.order_by(col(ToolCall.start_ns).desc()).limit(NEWEST)).all()
        for call, parent_id in rows:
            asked = session.get(Span, {"span_id": parent_id, "trace_id": call.turn_id}) if parent_id else None
            if asked is None or call.duration_ns is None or TOOL_RESULT not in asked.attributes:
                continue
            long = session.exec(
                select(Payload).where(Payload.trace_id == call.turn_id, Payload.span_id == asked.span_id)
            ).all()
            texts = {**asked.attributes, **{payload.key: payload.text for payload in long}}
            yield call.tool, Call(str(texts.get(TOOL_ARGUMENTS, "")), given(texts[TOOL_RESULT]), call.duration_ns)


def given(result: object) -> str:
    """What the model was given: the text of a result that is kept as a text part."""
    text = str(result)
    try:
        part = json.loads(text)
    except ValueError:
        return text
    return str(part["text"]) if isinstance(part, dict) and part.get("type") == "text" and "text" in part else text
