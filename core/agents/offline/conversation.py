"""A model's input items read as a conversation: turns with their calls and what came back."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.registry.display import MORE

Item = Mapping[str, Any]
ATTACHED = "\n\nAttached files:"
"""What stands between a question and the files that come with it: they are not what is asked."""
ENOUGH = 2_000
"""Characters of a question that are read."""


@dataclass(frozen=True)
class Output:
    """What a tool returned: an object, or else only words (as when it failed); `note` is what was said after it."""

    text: str
    value: dict[str, Any] | None = None
    note: str = ""


@dataclass(frozen=True)
class Done:
    """A tool call; `output` is None while there is none."""

    name: str
    args: dict[str, Any]
    output: Output | None = None


@dataclass
class Turn:
    """A question, the calls made for it in order, and the answer where there is one."""

    question: str
    calls: list[Done] = field(default_factory=list)
    answer: str = ""


def read(items: str | Sequence[Item]) -> list[Turn]:
    """The turns, oldest first; the last one is to be answered. Never empty."""
    if isinstance(items, str):
        return [Turn(asked(items))]
    turns: list[Turn] = []
    places: dict[str, tuple[Turn, int]] = {}
    for item in items:
        role, kind = item.get("role"), item.get("type")
        if role == "user":
            turns.append(Turn(asked(words(item.get("content")))))
            continue
        turn = turns[-1] if turns else Turn("")
        if kind == "function_call":
            places[str(item.get("call_id"))] = (turn, len(turn.calls))
            turn.calls.append(Done(str(item.get("name")), arguments(item.get("arguments"))))
        elif kind == "function_call_output" and str(item.get("call_id")) in places:
            owner, index = places[str(item.get("call_id"))]
            owner.calls[index] = Done(owner.calls[index].name, owner.calls[index].args, output(item.get("output")))
        elif role == "assistant":
            turn.answer = words(item.get("content"))
    for turn in turns:  # that more tools were shown is nothing that was done
        turn.calls = [call for call in turn.calls if call.name != MORE]
    return turns or [Turn("")]


def asked(text: str) -> str:
    """A question without the files that come with it, as far as it is read."""
    return text.partition(ATTACHED)[0][:ENOUGH]


def arguments(text: object) -> dict[str, Any]:
    """A call's arguments; what is no JSON object is none."""
    value = parsed(text)
    return value if isinstance(value, dict) else {}


def output(value: object) -> Output:
    """A tool's output, however it is wrapped: text, a text part, or a list of parts."""
    text = words(value).strip()
    try:
        found, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return Output(text)
    return Output(text, found, text[end:].strip()) if isinstance(found, dict) else Output(text)


def words(content: object) -> str:
    """The text of a message's content or of a tool's output."""
    if isinstance(content, str):
        inner = parsed(content)
        wrapped = isinstance(inner, dict) and set(inner) <= {"type", "text", "annotations", "meta"} and "text" in inner
        return str(inner["text"]) if wrapped else content
    if isinstance(content, Mapping):
        return str(content.get("text", ""))
    if isinstance(content, Iterable):
        return "\n".join(filter(None, (words(part) for part in content)))
    return ""


def parsed(text: object) -> Any:
    """JSON, or None."""
    if not isinstance(text, str) or text[:1] not in "{[":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None
