"""What came of a call: its result, changed by a person or not, or why there is none."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from core.agents.offline.conversation import Done

REFUSED = ("The person rejected this.", "Nobody decided about this in time")
Template = Literal["failed", "not_done"]


@dataclass(frozen=True)
class Ending:
    """The end of a call.

    Attributes:
        value: the result; None where there is none.
        edited: a person changed the arguments before it was made.
        words: what was said instead of a result.
    """

    value: dict[str, Any] | None
    edited: bool = False
    words: str = ""

    @property
    def done(self) -> bool:
        """Whether there is a result."""
        return self.value is not None

    @property
    def template(self) -> Template:
        """The answer for a call without a result."""
        return "not_done" if self.words.startswith(REFUSED) else "failed"


def ending(done: Done) -> Ending:
    """The end of a call."""
    if done.output is None:
        return Ending(None, words="The tool gave no answer.")
    if done.output.value is not None:
        return Ending(done.output.value, edited=bool(done.output.note))
    text = done.output.text.strip()
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return Ending(None, words=text)
    return Ending(value, edited=bool(text[end:].strip())) if isinstance(value, dict) else Ending(None, words=text)
