"""Recorded model messages as a conversation, whichever of the usual shapes they were recorded in."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

TEXT_KEYS = ("text", "content", "refusal", "output", "response", "result")
CALL_TYPES = ("tool_call", "function_call", "function")
RESULT_TYPES = ("tool_call_response", "function_call_output")


@dataclass(frozen=True)
class Message:
    """One thing that was said; `role` in a person's words: system, user, assistant, calls, result."""

    role: str
    text: str


def read_messages(recorded: str) -> list[Message] | None:
    """The conversation in a recorded attribute; None if it is none (cut, or some other text)."""
    try:
        parsed = json.loads(recorded)
    except ValueError:
        return None
    items = parsed if isinstance(parsed, list) else [parsed]
    if not all(isinstance(item, dict) for item in items):
        return None
    return [message for item in items for message in messages_of(item)]


def messages_of(item: dict[str, Any]) -> Iterator[Message]:
    """What one recorded item says: a message with parts or calls, or a bare call or result."""
    kind = item.get("type")
    if kind in CALL_TYPES:
        yield call_of(item)
        return
    role = "result" if kind in RESULT_TYPES or item.get("role") == "tool" else str(item.get("role", "assistant"))
    content = item.get("parts", item.get("content", item.get("output")))
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("type") in CALL_TYPES:
            yield call_of(part)
        elif part not in (None, ""):
            is_result = isinstance(part, dict) and part.get("type") in RESULT_TYPES
            yield Message("result" if is_result else role, text_of(part))
    for call in item.get("tool_calls") or ():
        yield call_of(call)


def call_of(item: dict[str, Any]) -> Message:
    """A tool call as `name(arguments)`."""
    inner = item.get("function") if isinstance(item.get("function"), dict) else item
    assert isinstance(inner, dict)
    arguments = inner.get("arguments", "")
    written = arguments if isinstance(arguments, str) else readable(arguments)
    return Message("calls", f"{inner.get('name', 'a tool')}({written})")


def text_of(part: Any) -> str:
    """The text of a part; what has none is shown as it is."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        found = next((part[key] for key in TEXT_KEYS if part.get(key) not in (None, "")), None)
        if isinstance(found, list):
            return "\n".join(text_of(inner) for inner in found)
        if found is not None:
            return found if isinstance(found, str) else readable(found)
    return readable(part)


def indented(recorded: str) -> str:
    """A recorded text for people: JSON set out in lines, a tool's text content without its wrapping."""
    try:
        value = json.loads(recorded)
    except ValueError:
        return recorded
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, dict) and value.get("type") == "text" and isinstance(value.get("text"), str):
        return indented(value["text"])
    return value if isinstance(value, str) else readable(value)


def readable(value: Any) -> str:
    """JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2)
