"""What was heard in a question, and in which setting it was asked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from core.agents.offline.days import Tense
from core.agents.offline.shown import Shown

Words = Mapping[str, Mapping[str, Iterable[str]]]
UNRESOLVED = "unresolved"
"""The signal that an item was meant, but none of those shown."""


class Topic(str):
    """What something is about, in English words; `either` also offers a search the words that were said for them."""

    __slots__ = ("either",)
    either: str

    def __new__(cls, words: str, origins: Mapping[str, str]) -> "Topic":
        """Words, with what was said for some of them."""
        topic = super().__new__(cls, words)
        topic.either = " ".join(f"{{{word} {origins[word]}}}" if word in origins else word for word in words.split())
        return topic


@dataclass(frozen=True)
class Setting:
    """What a question is asked in: the moment (aware, the user's zone), what was shown, words of the tools offered.

    Attributes:
        nouns: words for what the domain holds, never a topic.
        marks: small words of the language of the question, never a topic either.
        said: what is to be said in a mail; it is no part of the question any more.
        deeds: words of the tools offered that change something.
        origins: English word → what was said for it.
    """

    now: datetime
    tense: Tense
    shown: Shown | None
    words: Words
    nouns: frozenset[str]
    marks: frozenset[str] = frozenset()
    said: str | None = None
    deeds: Words = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Heard:
    """Slots by name, and the words that remain without them.

    Attributes:
        values: slots that carry a value.
        signals: slots that only say what kind of question it is.
        rest: the question without the values.
    """

    values: Mapping[str, Any]
    signals: frozenset[str]
    rest: str

    def has(self, slot: str) -> bool:
        """Whether a slot is filled or a signal was heard."""
        return slot in self.values or slot in self.signals

    def after(self, before: "Heard") -> "Heard":
        """What was heard before, with these values in place of those."""
        left = {slot: value for slot, value in self.values.items() if slot != "list"}
        return Heard({**before.values, **left}, before.signals | {"filter"}, before.rest)
