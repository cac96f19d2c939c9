"""How small models write tool calls as text: what begins one, where it ends, what it says."""

import json
import re
from dataclasses import dataclass
from enum import Enum
from typing import Any

import json_repair

STARTS = "{[`<"
FENCE = "```"
MARKERS = {
    "<tool_call>": "</tool_call>",
    "<tool_calls>": "</tool_calls>",
    "<function_call>": "</function_call>",
    "<tools>": "</tools>",
    "<|tool_call|>": "<|/tool_call|>",
    "<|python_tag|>": "<|eom_id|>",
    "[TOOL_CALLS]": "[/TOOL_CALLS]",
}
FUNCTION, FUNCTION_END = "<function=", "</function>"
NAME_KEYS = ("name", "function", "tool", "tool_name")
ARGUMENT_KEYS = ("arguments", "parameters", "args")
WRAPPER_KEYS = ("tool_calls", "tool_call", "function_call", "function")
OTHER_KEYS = ("type", "id")
KEYS = (*NAME_KEYS, *ARGUMENT_KEYS, *WRAPPER_KEYS, *OTHER_KEYS)
# Held back at most so long while nothing in it names a tool: characters.
PATIENCE = 20_000

FENCE_HEAD = re.compile(r"```[\w-]{0,20}\s*")
FUNCTION_HEAD = re.compile(r"<function=([\w.-]*)(>\s*)?")
PARAMETER = re.compile(r"<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
OBJECT_HEAD = re.compile(r"(?:\[\s*)?\{\s*")
KEY = re.compile(r"""(["'])(\w*)(\1\s*(?::\s*)?)?""")
NAMED = re.compile(r"""["'](?:name|function|tool|tool_name)["']\s*:\s*["']([\w.-]+)["']""")
STRING = r""""(?:[^"\\]|\\.)*(?:"|\\?\Z)|'(?:[^'\\]|\\.)*(?:'|\\?\Z)"""


class Verdict(Enum):
    """What a text that may begin a call is, where it is not one."""

    NO = "ordinary text"
    MORE = "not decided yet"


@dataclass(frozen=True)
class TextCall:
    """A call: a tool's name and its arguments as a JSON object."""

    name: str
    arguments: str


@dataclass(frozen=True)
class Found:
    """Calls that take up the first `length` characters; `closers` end their wrapping and may follow."""

    calls: tuple[TextCall, ...]
    length: int
    closers: tuple[str, ...] = ()


class CutCall(Exception):
    """The text ended in the middle of a call's arguments, so nobody knows what was meant."""


def look(text: str, names: frozenset[str], ended: bool, closers: tuple[str, ...] = ()) -> Found | Verdict:
    """Judge a text that begins with one of `STARTS`. A verdict other than MORE holds for every continuation.

    Raises:
        CutCall: it has ended, and is a call whose arguments are not complete.
    """
    if (opened := opener(text)) is not None:
        skipped, closer = opened
        if skipped < len(text):
            return wrapped(text, skipped, closer, names, ended, closers)
    elif not any(start.startswith(text) for start in (FENCE, FUNCTION, *MARKERS)):
        if text.startswith(FUNCTION):
            return function(text, names, ended)
        return objects(text, names, ended, closers) if text[0] in "{[" else Verdict.NO
    return Verdict.NO if ended else Verdict.MORE


def opener(text: str) -> tuple[int, str] | None:
    """What wraps a call, with the blanks after it: its length and what closes it."""
    if head := FENCE_HEAD.match(text):
        return head.end(), FENCE
    for marker, closer in MARKERS.items():
        if text.startswith(marker):
            return len(text) - len(text[len(marker) :].lstrip()), closer
    return None


def wrapped(
    text: str, skipped: int, closer: str, names: frozenset[str], ended: bool, closers: tuple[str, ...]
) -> Found | Verdict:
    """Judge what follows an opener; tags with nothing in them mean nothing."""
    if closer != FENCE and closer.startswith(text[skipped : skipped + len(closer)]):
        whole = len(text) - skipped >= len(closer)
        return Found((), skipped + len(closer)) if whole else Verdict.NO if ended else Verdict.MORE
    if text[skipped] not in STARTS:
        return Verdict.NO
    found = look(text[skipped:], names, ended, (*closers, closer))
    return Found(found.calls, found.length + skipped, (*found.closers, closer)) if isinstance(found, Found) else found


def objects(text: str, names: frozenset[str], ended: bool, closers: tuple[str, ...]) -> Found | Verdict:
    """Judge a JSON object, or an array of them."""
    if not plausible(text, names):
        return Verdict.NO
    end, whole = extent(text, closers)
    if (end is None or end > PATIENCE) and len(text) >= PATIENCE and not named(text[:PATIENCE], names):
        return Verdict.NO
    if end is None:
        return last_words(text, names) if ended else Verdict.MORE
    calls = read(text[:end], names, broken=not whole)
    return Found(calls, end) if calls else Verdict.NO


def plausible(text: str, names: frozenset[str]) -> bool:
    """Whether the beginning of a JSON text is that of a call, as far as it goes."""
    head = OBJECT_HEAD.match(text)
    if head is None:
        return text.startswith("[") and not text[1:].strip()
    rest = text[head.end() :]
    key = KEY.match(rest)
    if not rest or key is None:
        return not rest
    _, name, closed = key.groups()
    if not closed:
        return key.end() == len(rest) and any(known.startswith(name) for known in KEYS)
    value = rest[key.end() :]
    if name not in NAME_KEYS or not value or (name in WRAPPER_KEYS and value[0] in "{["):
        return name in KEYS
    return value[0] in "\"'" and names_a_tool(value, names)


def names_a_tool(value: str, names: frozenset[str]) -> bool:
    """Whether a quoted text, or as much as there is of it, is the name of a tool."""
    name, closed, _ = value[1:].partition(value[0])
    return name in names if closed else any(known.startswith(name) for known in names)


def named(text: str, names: frozenset[str]) -> bool:
    """Whether a text clearly means a call: a key says a tool's name."""
    return any(name in names for name in NAMED.findall(text))


def extent(text: str, closers: tuple[str, ...]) -> tuple[int | None, bool]:
    """Where the brackets that open a text are closed (None: not yet), and whether they are.

    What closes the wrapping ends a text whose brackets do not close.
    """
    depth = 0
    marks = "|".join([STRING, r"[{}\[\]]", *map(re.escape, closers)])
    for token in re.finditer(marks, text, re.DOTALL):
        mark = token[0]
        if mark in closers:
            return token.start(), False
        depth += (mark in "{[") - (mark in "}]") if len(mark) == 1 else 0
        if depth == 0:
            return token.end(), True
    return None, False


def last_words(text: str, names: frozenset[str]) -> Found | Verdict:
    """Judge a JSON text that ended before its brackets closed.

    Raises:
        CutCall: it was a call.
    """
    if not named(text, names):
        return Verdict.NO
    if calls := read(text, names, broken=True) if text.rstrip("` \n\t").endswith(("}", "]")) else ():
        return Found(calls, len(text))
    raise CutCall


def function(text: str, names: frozenset[str], ended: bool) -> Found | Verdict:
    """Judge `<function=name>` with a JSON object or `<parameter=…>` tags in it."""
    head = FUNCTION_HEAD.match(text)
    name, closed = head.groups() if head else ("", None)
    if head is None or not (name in names if closed else any(known.startswith(name) for known in names)):
        return Verdict.NO
    if not closed and head.end() < len(text):
        return Verdict.NO
    body = text[head.end() :]
    if body.startswith("{"):
        end, whole = extent(body, (FUNCTION_END,))
        if end is not None:
            calls = read(
                json.dumps({"name": name})[:-1] + ', "arguments": ' + body[:end] + "}", names, broken=not whole
            )
            return Found(calls, head.end() + end, (FUNCTION_END,)) if calls else Verdict.NO
    elif FUNCTION_END in body:
        values = dict(PARAMETER.findall(body.partition(FUNCTION_END)[0]))
        length = text.index(FUNCTION_END) + len(FUNCTION_END)
        return Found((TextCall(name, json.dumps(values, ensure_ascii=False)),), length)
    elif body and not any(mark.startswith(body[: len(mark)]) for mark in ("<parameter=", FUNCTION_END)):
        return Verdict.NO
    if ended and name in names:
        raise CutCall
    return Verdict.NO if ended else Verdict.MORE


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
