"""How many tokens a tool's result is for a model: an estimate by a tokenizer that is passed in."""

from collections.abc import Callable
from typing import Any, Final

from telemetry.jsontext import dumps

Counts = Callable[[str], int]
SAMPLE: Final = 2_000
"""Characters that are counted at most, so that a call waits a third of a millisecond for it and no longer."""


def tokens_of(text: str, count: Counts) -> int:
    """Tokens of a text. Of a long one its beginning and its middle are counted, and stand for the rest."""
    if len(text) <= SAMPLE:
        return count(text)
    half, middle = SAMPLE // 2, len(text) // 2
    return round(count(text[:half] + text[middle : middle + half]) * len(text) / SAMPLE)


def given(output: Any) -> str:
    """What the model was given, of what the Agents SDK keeps of a call."""
    if isinstance(output, dict) and output.get("type") == "text" and isinstance(output.get("text"), str):
        return str(output["text"])
    return output if isinstance(output, str) else dumps(output)
