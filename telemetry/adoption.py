"""What the root of another agent's trace says of the whole, gathered from the spans below it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from telemetry import attributes as names

Row = Mapping[str, Any]
LONGEST: Final = 2_000
ASKED_UNDER: Final = ("question", "query", "input", "message", "text", "prompt")
BELOW_TOOLS: Final = frozenset({"agent", "tool", "mcp_client", "mcp_server"})


def is_foreign(row: Row) -> bool:
    """Whether a span came from another service; those say which."""
    return names.SERVICE in row["attributes"]


def adopted(root: Row, rows: Sequence[Row]) -> dict[str, Any]:
    """The root as if it had said what the roots of our own turns say: question, agents, conversation, service.

    Args:
        rows: All spans of the trace, in order of start.
    """
    found = dict(root["attributes"])
    attributes = {
        **found,
        names.QUESTION: found.get(names.QUESTION) or first(rows, names.QUESTION),
        names.AGENTS: found.get(names.AGENTS) or agents_in(rows),
    }
    conversation = root["conversation_id"] or next(
        (row["conversation_id"] for row in rows if row["conversation_id"]), None
    )
    return {**root, "conversation_id": conversation, "attributes": attributes}


def first(rows: Sequence[Row], name: str) -> Any:
    """The first value that any span has; None if none has one."""
    return next((row["attributes"][name] for row in rows if row["attributes"].get(name)), None)


def agents_in(rows: Sequence[Row]) -> list[str]:
    """The agents that took part, in order."""
    called = (row["attributes"].get(names.AGENT_NAME) for row in rows if row["type"] == "agent")
    return list(dict.fromkeys(str(name) for name in called if name))


def foreign_chats(rows: Sequence[Row], by_id: Mapping[str, Row]) -> list[Row]:
    """The model calls: where two instrumentations recorded the same one, the inner."""
    chats = [row for row in rows if row["type"] == "chat"]
    above = {ancestor for row in chats for ancestor in ancestors(row, by_id)}
    return [row for row in chats if row["span_id"] not in above]


def foreign_tools(rows: Sequence[Row], by_id: Mapping[str, Row]) -> list[Row]:
    """The tool spans of other services that are calls themselves: no agent and no closer account below."""
    above = {ancestor for row in rows if row["type"] in BELOW_TOOLS for ancestor in ancestors(row, by_id)}
    return [row for row in rows if row["type"] == "tool" and is_foreign(row) and row["span_id"] not in above]


def ancestors(row: Row, by_id: Mapping[str, Row]) -> Iterator[str]:
    """The ids of the spans above; a ring is walked once."""
    seen = {row["span_id"]}
    at = row["parent_id"]
    while at is not None and at in by_id and at not in seen:
        yield at
        seen.add(at)
        at = by_id[at]["parent_id"]


def question_in(recorded: Any) -> str | None:
    """What a person asked last, in recorded input messages or a plain text; at most 2,000 characters."""
    if not isinstance(recorded, str) or not recorded.strip():
        return None
    try:
        value = json.loads(recorded)
    except ValueError:
        return recorded[:LONGEST]
    text = asked(value)
    return text[:LONGEST] if text else None


def asked(value: Any) -> str | None:
    """What a person asked in recorded messages, or in the usual fields of an input."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        if isinstance(value.get("messages"), list):
            return asked(value["messages"])
        if "role" in value:
            return asked([value])
        return next((value[key] for key in ASKED_UNDER if isinstance(value.get(key), str)), None)
    if not isinstance(value, list):
        return None
    said = [item for item in flattened(value) if isinstance(item, Mapping)]
    user = [item for item in said if item.get("role") in ("user", "human") or item.get("type") == "human"]
    texts = (words(item) for item in reversed(user))
    return next((text for text in texts if text), None)


def flattened(items: Sequence[Any]) -> Iterator[Any]:
    """A list of messages, or of lists of them, as one."""
    for item in items:
        if isinstance(item, list):
            yield from item
        else:
            yield item


def words(message: Mapping[str, Any]) -> str:
    """The text of one message."""
    content = message.get("parts") or message.get("content") or message.get("text") or ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    found = [part if isinstance(part, str) else text_of(part) for part in parts]
    return "\n".join(text for text in found if text)


def text_of(part: Any) -> str:
    """The text of one part; pictures and files have none."""
    text = part.get("text", part.get("content")) if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else ""
