"""OpenInference's attributes beside ours, for viewers such as Phoenix that know spans by them."""

from collections.abc import Mapping
from typing import Any, Final

from telemetry import attributes as names

Row = Mapping[str, Any]
KIND: Final = "openinference.span.kind"
KINDS: Final = {"chat": "LLM", "agent": "AGENT", "tool": "TOOL"}
"""By our type; all else is a CHAIN."""
COUNTS: Final = {
    "llm.token_count.prompt": names.INPUT_TOKENS,
    "llm.token_count.completion": names.OUTPUT_TOKENS,
    "llm.token_count.prompt_details.cache_read": names.CACHE_READ_TOKENS,
    "llm.token_count.completion_details.reasoning": names.REASONING_TOKENS,
}
TOTAL: Final = "llm.token_count.total"
TEXTS: Final = {
    "chat": (names.INPUT_MESSAGES, names.OUTPUT_MESSAGES),
    "agent": (names.INPUT_MESSAGES, names.OUTPUT_MESSAGES),
    "tool": (names.TOOL_ARGUMENTS, names.TOOL_RESULT),
    "turn": (names.QUESTION, names.OUTPUT_MESSAGES),
}
ADDED: Final = frozenset(
    {KIND, TOTAL, *COUNTS, "llm.model_name", "llm.provider", "agent.name", "tool.name", "session.id"}
    | {"input.value", "output.value"}
)
"""All that `added` may add."""


def added(row: Row, attributes: Row) -> dict[str, Any]:
    """What OpenInference calls a span's kind, model, tokens and texts.

    Args:
        attributes: Those of the span that are sent; what is not among them is not added either.
    """
    type_ = row["type"]
    given, made = TEXTS.get(type_, ("", ""))
    found = {
        KIND: KINDS.get(type_, "CHAIN"),
        "agent.name": attributes.get(names.AGENT_NAME) if type_ == "agent" else None,
        "tool.name": attributes.get(names.TOOL_NAME) if type_ == "tool" else None,
        "session.id": row["conversation_id"],
        "input.value": attributes.get(given),
        "output.value": attributes.get(made),
    }
    if type_ == "chat":
        found |= {ours: names.read(attributes, theirs) for ours, theirs in COUNTS.items()}
        found["llm.model_name"] = attributes.get(names.RESPONSE_MODEL) or attributes.get(names.REQUEST_MODEL)
        found["llm.provider"] = attributes.get(names.PROVIDER)
        tokens = [found[name] for name in ("llm.token_count.prompt", "llm.token_count.completion")]
        found[TOTAL] = None if None in tokens else sum(tokens)
    return {name: value for name, value in found.items() if value is not None}


def without(attributes: Row) -> dict[str, Any]:
    """A span's attributes without what `added` has added."""
    return {name: value for name, value in attributes.items() if name not in ADDED}
