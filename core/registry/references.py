"""How a question refers back to what was shown before it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.datafile import read_data
from core.settings import ROOT

REFERENCES = ROOT / "data" / "language" / "references.yaml"
WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"


class ReferenceFile(BaseModel):
    """The data: words and patterns over English words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ordinals: dict[str, int]
    superlatives: dict[str, str]
    noun: str
    items: tuple[str, ...]
    pronouns: tuple[str, ...]
    day: str
    all: tuple[str, ...]
    leans: tuple[str, ...]
    again: str
    more: str


@dataclass(frozen=True)
class References:
    """The patterns, ready for use.

    Attributes:
        items: groups `number`, `ordinal`, `superlative`, `person` or `topic` say which.
        day: the day of what was shown.
        leans: the question can only be understood with what was shown.
        again: it is the question before it, with something else in it.
        more: it asks for the next page.
    """

    ordinals: dict[str, int]
    superlatives: dict[str, str]
    items: tuple[re.Pattern[str], ...]
    pronouns: tuple[re.Pattern[str], ...]
    day: re.Pattern[str]
    all: tuple[re.Pattern[str], ...]
    leans: tuple[re.Pattern[str], ...]
    again: re.Pattern[str]
    more: re.Pattern[str]

    def refers_back(self, text: str) -> bool:
        """Whether an (English or glossed) question leans on what was shown before."""
        plain = text.strip()
        return bool(self.more.search(plain)) or any(pattern.search(plain) for pattern in self.leans)


def load_references(nouns: Iterable[str] = (), path: Path = REFERENCES) -> References:
    """Read the data; `nouns` are the words for what the domains hold."""
    file = ReferenceFile.model_validate(read_data(path))
    words = {
        "{ordinal}": alternatives(file.ordinals),
        "{superlative}": alternatives(file.superlatives),
        "{noun}": file.noun,
        "{weekday}": WEEKDAYS,
        "{domain_noun}": alternatives(nouns),
    }

    def compiled(pattern: str) -> re.Pattern[str]:
        for name, value in words.items():
            pattern = pattern.replace(name, value)
        return re.compile(pattern, re.IGNORECASE)

    patterns: dict[str, Any] = {
        name: tuple(compiled(pattern) for pattern in getattr(file, name))
        for name in ("items", "pronouns", "all", "leans")
    }
    return References(
        file.ordinals,
        file.superlatives,
        day=compiled(file.day),
        again=compiled(file.again),
        more=compiled(file.more),
        **patterns,
    )


def alternatives(words: Iterable[str]) -> str:
    """Words as a group of a pattern, the longest first; nothing matches no word."""
    found = sorted(words, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(word) for word in found) + ")" if found else "(?!)"
