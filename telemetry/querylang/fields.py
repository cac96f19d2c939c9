"""The fields of the query line: what each is about, and what it accepts."""

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import Final


class Kind(Enum):
    """What the values of a field are."""

    TEXT = "words, or a sentence in quotation marks"
    NAME = "a name, with * for any letters"
    CHOICE = "one of a few words"
    DURATION = "a duration such as >2s, <=300ms, 1s..5s or >1min"
    MONEY = "an amount in US dollars such as >0.01 or 0.001..0.01"
    COUNT = "a number such as >1000, 5k.. or 1000..5000"


@dataclass(frozen=True)
class Field:
    """One field; `choices` word → what it means."""

    name: str
    kind: Kind
    meaning: str
    examples: tuple[str, ...] = ()
    choices: Mapping[str, str] | None = None

    @property
    def accepts(self) -> str:
        """What may follow the colon, in words."""
        return f"one of {', '.join(self.choices)}" if self.choices else self.kind.value


LEVELS: Final = {
    "error": "failed or interrupted",
    "warning": "stopped, or a model or tool call in it failed",
    "ok": "neither",
}
STATUSES: Final = {
    "running": "not ended yet",
    "done": "answered",
    "failed": "ended with an error",
    "stopped": "stopped by its person",
    "interrupted": "the process ended before",
}
HAS: Final = {
    "approval": "waited for a person",
    "error": "a model or tool call in it failed",
    "tool": "called a tool",
    "google": "asked Google",
    "cache": "was answered from the cache",
    "unpriced": "has calls of unknown cost",
    "estimate": "its tokens are our own estimate",
    "reasoning": "a model reasoned before it spoke",
    "question": "its question is kept",
}
FIELDS: Final[Mapping[str, Field]] = {
    field.name: field
    for field in (
        Field("level", Kind.CHOICE, "how bad it was", ("error",), LEVELS),
        Field("status", Kind.CHOICE, "how it ended", ("failed",), STATUSES),
        Field("latency", Kind.DURATION, "time without waiting for a person", (">2s", "<500ms")),
        Field("first", Kind.DURATION, "time to the first word", (">1s",)),
        Field("cost", Kind.MONEY, "what the models cost", (">0.01",)),
        Field("tokens", Kind.COUNT, "tokens in and out", (">10k", "1000..5000")),
        Field("calls", Kind.COUNT, "how many tools were called", (">3",)),
        Field("tool", Kind.NAME, "a tool that it called", ("send_*",)),
        Field("agent", Kind.NAME, "an agent that took part", ("Gmail",)),
        Field("model", Kind.NAME, "a model that it asked; the maker may be left out", ("gpt*",)),
        Field("route", Kind.NAME, "the way it took", ("direct",)),
        Field("has", Kind.CHOICE, "what happened in it", ("approval",), HAS),
        Field("text", Kind.TEXT, "words of questions, answers, messages, arguments and results", ('"free text"',)),
        Field("conv", Kind.NAME, "the id of its conversation"),
        Field("turn", Kind.NAME, "its own id"),
        Field("user", Kind.NAME, "whose it is; for administrators"),
    )
}
TEXT: Final = "text"


def unknown(name: str) -> str:
    """What is said of a field that does not exist."""
    near = get_close_matches(name.lower(), FIELDS, n=1)
    meant = f" Did you mean {near[0]}?" if near else f" There are {', '.join(FIELDS)}."
    return f'There is no field {name}.{meant} Words with a colon go in quotation marks: "{name}: …".'
