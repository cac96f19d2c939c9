"""What a JSON value means as a tool call."""

import json
import re
from dataclasses import dataclass
from typing import Any

import json_repair

NAME_KEYS = ("name", "function", "tool", "tool_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args")
WRAPPER_KEYS = ("tool_calls", "tool_call", "function_call", "function")
OTHER_KEYS = ("type", "id")
NAMED = re.compile(r"""["'](?:name|function|tool|tool_name)["']\s*:\s*["']([\w.-]+)["']""")


@dataclass(frozen=True)
class TextCall:
    """A call: a tool's name and its arguments as a JSON object."""

    name: str
    arguments: str


def named(text: str, names: frozenset[str]) -> bool:
    """Whether a text clearly means a call: a key says a tool's name."""
    return any(name in names for name in NAMED.findall(text))


def read(text: str, names: frozenset[str], broken: bool) -> tuple[TextCall, ...]:
    """The calls that a JSON text means; none where any part of it is something else.

    Args:
        text: one JSON value.
        names: the tools that there are.
        broken: its brackets do not close; then it is repaired.
    """
    try:
        return tuple(calls_in(loads(text, broken and named(text, names)), names))
    except ValueError:
        return tuple(calls_in(json_repair.loads(text), names)) if named(text, names) else ()


def loads(text: str, broken: bool) -> Any:
    """A JSON value; line breaks within strings are let pass.

    Raises:
        ValueError: it is none.
    """
    return json_repair.loads(text) if broken else json.loads(text, strict=False)


def calls_in(value: Any, names: frozenset[str]) -> list[TextCall]:
    """The calls that a value means, or none."""
    if isinstance(value, list):
        found = [calls_in(item, names) for item in value]
        return [call for calls in found for call in calls] if all(found) else []
    if not isinstance(value, dict):
        return []
    for key in WRAPPER_KEYS:
        if isinstance(value.get(key), dict | list) and set(value) <= {key, *OTHER_KEYS}:
            return calls_in(value[key], names)
    name = next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str)), None)
    given = next((key for key in ARGUMENT_KEYS if key in value), None)
    if name not in names or not (given or set(value) <= {*NAME_KEYS, *OTHER_KEYS}):
        return []
    arguments = as_arguments(value[given] if given else None)
    return [TextCall(str(name), arguments)] if arguments else []


def as_arguments(value: Any) -> str | None:
    """Arguments as a JSON object: an object, its text, or nothing; None where it is anything else."""
    given = value.strip() if isinstance(value, str) else value
    if isinstance(given, str) and given:
        try:
            given = json.loads(given, strict=False)
        except ValueError:
            return None
    return json.dumps(given or {}, ensure_ascii=False) if isinstance(given or {}, dict) else None
