"""The steps of an answer in words: where it was routed, which tools ran and what they found."""

from collections.abc import Mapping, Sequence
from typing import Any

from pages.components.markdown import code, literal
from telemetry.formats import counted, duration

SHOWN = 80
"""Characters of an argument in a step's line."""


def routed(route: str, titles: Sequence[str], score: float | None = None) -> str:
    """Where the question went: straight to one agent, by a plan or through the Assistant to several, or nowhere."""
    if route == "direct" and titles:
        return f"Routed to {literal(titles[0])}" + (f" ({score:.2f})" if score is not None else "")
    if route == "planned" and titles:
        return f"Planned for {literal(together(titles))}"
    return "Remembered from before" if route == "cache" else "Taken by the Assistant"


def tool_line(step: Mapping[str, Any]) -> str:
    """A call: the tool, what it was asked, and once it has ended its time and result."""
    asked = code(main_argument(step.get("arguments") or {}))
    parts = [f"{literal(str(step['tool']))} {asked}".strip()]
    if step.get("ns") is not None:
        parts.append(duration(step["ns"]))
    if step.get("status") == "error":
        parts.append("failed")
    elif step.get("summary"):
        parts.append(literal(shortened(str(step["summary"]))))
    return " · ".join(parts)


def tool_details(step: Mapping[str, Any]) -> str:
    """What a call was asked in full, and how it failed; Markdown lines."""
    arguments = [f"{literal(str(name))} {code(str(value))}" for name, value in (step.get("arguments") or {}).items()]
    if step.get("status") == "error" and step.get("summary"):
        arguments.append(literal(str(step["summary"])))
    return "  \n".join(arguments)


def main_argument(arguments: Mapping[str, Any]) -> str:
    """The argument that says most: the first text, else the first of all."""
    texts = [value for value in arguments.values() if isinstance(value, str) and value]
    return shortened(texts[0] if texts else str(next(iter(arguments.values()), "")))


def shortening(told: Mapping[str, int]) -> str:
    """That the model heard earlier turns only in part."""
    whole = counted(told["kept"], "turn")
    return f":material/compress: This conversation was shortened for the model: {whole} of {told['turns']} came whole."


def heading(titles: Sequence[str], tools: int) -> str:
    """The one line that stands for all steps."""
    names = literal(together(titles)) or "Assistant"
    return f"{names} · {counted(tools, 'tool')}" if tools else names


def together(titles: Sequence[str]) -> str:
    """Titles as a list in a sentence."""
    return " and ".join([part for part in (", ".join(titles[:-1]), *titles[-1:]) if part])


def shortened(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN].rstrip()}…"
