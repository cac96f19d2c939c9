"""How small models write tool calls as text: bare, in a code block, in tags."""

import json
import re
from html import unescape

from core.agents.call_json import CutCall, Found, Verdict, extent, objects
from core.agents.call_values import ARGUMENT_KEYS, TextCall, as_arguments, read

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
TAG = "<function name="
FENCE_HEAD = re.compile(r"```[\w-]{0,20}\s*")
FUNCTION_HEAD = re.compile(r"<function=([\w.-]*)(>\s*)?")
TAG_HEAD = re.compile(r"""<function name=(?:(["'])([\w.-]*)(\1\s*)?)?""")
TAG_VALUE = re.compile(r"""(?:arguments|parameters|args)=(["'])(.*?)\1\s*/?>""", re.DOTALL)
AFTER_NAME = (*(f"{key}=" for key in ARGUMENT_KEYS), "/>", ">")
PARAMETER = re.compile(r"<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)


def look(text: str, names: frozenset[str], ended: bool, closers: tuple[str, ...] = ()) -> Found | Verdict:
    """Judge a text that begins with one of `STARTS`. A verdict other than MORE holds for every continuation.

    Raises:
        CutCall: it has ended, and is a call whose arguments are not complete.
    """
    if (opened := opener(text)) is not None:
        skipped, closer = opened
        if skipped < len(text):
            return wrapped(text, skipped, closer, names, ended, closers)
    elif not any(start.startswith(text) for start in (FENCE, FUNCTION, TAG, *MARKERS)):
        if text.startswith(FUNCTION):
            return function(text, names, ended)
        if text.startswith(TAG):
            return tag(text, names, ended)
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


def tag(text: str, names: frozenset[str], ended: bool) -> Found | Verdict:
    """Judge `<function name="…" arguments='…'/>`, or one with its arguments behind it."""
    head = TAG_HEAD.match(text)
    _, name, closed = head.groups() if head else ("", "", None)
    if head is None or not (name in names if closed else any(known.startswith(name or "") for known in names)):
        return Verdict.NO
    rest = text[head.end() :]
    if not closed and rest:
        return Verdict.NO
    if rest.startswith(">"):
        same = f"{FUNCTION}{name}{rest}"
        found = function(same, names, ended)
        longer = len(text) - len(same)
        return Found(found.calls, found.length + longer, found.closers) if isinstance(found, Found) else found
    if rest.startswith("/>"):
        return Found((TextCall(name, "{}"),), head.end() + len("/>"))
    if value := TAG_VALUE.match(rest):
        arguments = as_arguments(unescape(value[2]))
        length = head.end() + value.end()
        return Found((TextCall(name, arguments),), length, (FUNCTION_END,)) if arguments else Verdict.NO
    if not any(mark.startswith(rest[: len(mark)]) for mark in AFTER_NAME):
        return Verdict.NO
    if ended and closed:
        raise CutCall
    return Verdict.NO if ended else Verdict.MORE
