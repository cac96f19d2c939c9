"""Word by word into English: enough for routing and for the offline assistant, not a translation."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from core.datafile import read_data
from core.settings import ROOT

GLOSSARIES = ROOT / "data" / "language" / "glossary"
ENGLISH = "en"
REMEMBERED = 16
"""Texts whose words in English are known: one question is looked at several times."""


class GlossaryFile(BaseModel):
    """One language: `words` maps English to the forms that mean it; `marks` are words by which it is recognised."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    spaced: Annotated[bool, Field(description="Whether spaces stand between words")] = True
    marks: tuple[str, ...]
    patterns: tuple[tuple[str, str], ...] = ()
    words: dict[str, tuple[str, ...]] = {}


@dataclass(frozen=True)
class Glossed:
    """A text in (mostly) English words.

    Attributes:
        language: that it was in.
        origins: English word → what was said for it.
    """

    text: str
    language: str
    origins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Glossary:
    """One language, ready for use."""

    file: GlossaryFile

    @cached_property
    def english(self) -> Mapping[str, str]:
        """Form (without `*`) → English."""
        return {form.rstrip("*").lower(): word for word, forms in self.file.words.items() for form in forms}

    @cached_property
    def forms(self) -> re.Pattern[str]:
        """Any form, the longest first."""
        forms = sorted((form for group in self.file.words.values() for form in group), key=len, reverse=True)
        return self._pattern(forms)

    @cached_property
    def known(self) -> re.Pattern[str]:
        """Any word of the language that is on record."""
        return self._pattern(sorted({*self.file.marks, *self.english}, key=len, reverse=True))

    @cached_property
    def patterns(self) -> list[tuple[re.Pattern[str], str]]:
        """The patterns that come before the words."""
        return [(re.compile(pattern, re.IGNORECASE), to) for pattern, to in self.file.patterns]

    def weight(self, text: str) -> int:
        """How many characters of the text are words of this language."""
        return sum(len(match[0]) for match in self.known.finditer(text))

    def gloss(self, text: str) -> tuple[str, dict[str, str]]:
        """The text with every form on record in English, and what was said for each word."""
        origins: dict[str, str] = {}

        def english(match: re.Match[str]) -> str:
            word = self.english[match[1].lower()]
            origins[word] = match[0]
            return f" {word} "

        for pattern, to in self.patterns:
            text = pattern.sub(to, text)
        return " ".join(self.forms.sub(english, text).split()), origins

    def _pattern(self, forms: list[str]) -> re.Pattern[str]:
        if not forms:
            return re.compile("(?!)")
        if not self.file.spaced:
            return re.compile("(" + "|".join(re.escape(form) for form in forms) + ")", re.IGNORECASE)
        parts = "|".join(re.escape(f.rstrip("*")) + ("" if f.endswith("*") else r"(?![\w-])") for f in forms)
        return re.compile(rf"(?<![\w-])({parts})\w*", re.IGNORECASE)


class Languages:
    """All languages on record."""

    def __init__(self, glossaries: Mapping[str, Glossary]) -> None:
        self._glossaries = glossaries
        self._glossed = lru_cache(maxsize=REMEMBERED)(self._gloss)

    def gloss(self, text: str) -> Glossed:
        """The text in English words. A text in no language on record stays as it is and counts as English."""
        return self._glossed(text)

    def _gloss(self, text: str) -> Glossed:
        plain = text.replace("’", "'")
        weights = {name: glossary.weight(plain) for name, glossary in self._glossaries.items()}
        best = max(weights, key=lambda name: (weights[name], name == ENGLISH))
        return Glossed(plain, best) if best == ENGLISH else self._foreign(plain, best)

    def gloss_from(self, text: str, language: str) -> Glossed:
        """A text of a known language in English words."""
        plain = text.replace("’", "'")
        return Glossed(plain, language) if language == ENGLISH else self._foreign(plain, language)

    def _foreign(self, text: str, language: str) -> Glossed:
        english, origins = self._glossaries[language].gloss(text)
        return Glossed(english, language, origins)

    def marks(self, language: str) -> frozenset[str]:
        """The small words of a language."""
        return frozenset(word.casefold() for word in self._glossaries[language].file.marks)


def load_languages(folder: Path = GLOSSARIES) -> Languages:
    """Read all glossaries of a folder; file name = language code."""
    files = {path.stem: read_data(path) for path in sorted(folder.glob("*.yaml"))}
    return Languages({name: Glossary(GlossaryFile.model_validate(data)) for name, data in files.items()})
