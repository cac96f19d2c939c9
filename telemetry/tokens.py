"""How many tokens a tool's result is for a model: an estimate by a tokenizer that is passed in."""

from collections.abc import Callable
from typing import Any

from telemetry.jsontext import dumps

Counts = Callable[[str], int]
SAMPLE, PIECES = 600, 4
"""Characters that are counted at most, so that a call waits a tenth of a millisecond for it; and in how many places."""


def tokens_of(text: str, count: Counts) -> int:
    """Tokens of a text. Of a long one some pieces all along it are counted, and stand for the rest."""
    if len(text) <= SAMPLE:
        return count(text)
    length = SAMPLE // PIECES
    starts = (place * (len(text) - length) // (PIECES - 1) for place in range(PIECES))
    return round(count("".join(text[start : start + length] for start in starts)) * len(text) / SAMPLE)


def given(output: Any) -> str:
    """What the model was given, of what the Agents SDK keeps of a call."""
    if isinstance(output, dict) and output.get("type") == "text" and isinstance(output.get("text"), str):
        return str(output["text"])
    return output if isinstance(output, str) else dumps(output)
