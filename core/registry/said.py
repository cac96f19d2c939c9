"""What a person wants to be said in a mail, apart from what they want done."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from core.datafile import read_data
from core.registry.glossary import ENGLISH
from core.settings import ROOT

SAID = ROOT / "data" / "language" / "said.yaml"
WHOLE = "{said}"
OPENING, CLOSING = ' "“„«「', ' "”“»」'
CONTRACTED = re.compile(r"^i(?=['’ ])")


class Way(BaseModel):
    """One way to say what is to be said: a pattern, and how it is written."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    match: str
    form: str = WHOLE


class SaidFile(BaseModel):
    """One language."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    verb: str
    name: str
    relative: str
    says: tuple[Way, ...]
    end: str
    asked: str

    def pattern(self, match: str) -> re.Pattern[str]:
        """A pattern with its names filled in."""
        for name in ("relative", "verb", "name"):
            match = match.replace(f"{{{name}}}", getattr(self, name))
        return re.compile(match, re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Said:
    """Words for a mail, and their place in the question."""

    text: str
    place: tuple[int, int]

    def cut_from(self, question: str, mark: str = " ") -> str:
        """The question without them."""
        start, end = self.place
        return f"{question[:start].rstrip(OPENING)} {mark} {question[end:].lstrip(CLOSING)}".strip()


class Sayings:
    """Finds what is to be said.

    Args:
        files: by language.
    """

    def __init__(self, files: Mapping[str, SaidFile]) -> None:
        self._ways = {
            language: [(file.pattern(way.match), way.form) for way in file.says] for language, file in files.items()
        }
        self._ends = {language: file.pattern(file.end) for language, file in files.items()}
        self._asked = {language: file.pattern(file.asked) for language, file in files.items()}

    def find(self, question: str, language: str) -> Said | None:
        """What is to be said, written as a sentence; None where nothing is."""
        for pattern, form in self._ways.get(language, self._ways[ENGLISH]):
            if match := pattern.search(question):
                start, end = match.span("value")
                second = self._ends.get(language, self._ends[ENGLISH]).search(question, start, end)
                end = second.start() if second else end
                asks = form == WHOLE and self._asked.get(language, self._asked[ENGLISH]).search(question)
                words = unquoted(question[start:end].strip(" ,;\n" + ("?" if asks else "")))
                if words:
                    return Said(written(words, form), (start, end))
        return None

    def all_places(self, question: str, language: str) -> Iterator[tuple[int, int]]:
        """The places of all that is to be said."""
        said = self.find(question, language)
        while said is not None:
            yield said.place
            start, end = said.place
            question = question[:start] + "\x00" * (end - start) + question[end:]
            said = self.find(question, language)
            if said is not None and "\x00" in question[slice(*said.place)]:
                return


def unquoted(words: str) -> str:
    """Words without the marks around all of them."""
    quoted = len(words) > 1 and words[0] in OPENING and words[-1] in CLOSING
    return words[1:-1].strip() if quoted and not set(words[1:-1]) & set(OPENING.strip() + CLOSING.strip()) else words


def written(words: str, form: str) -> str:
    """Words as a sentence: a capital letter, `I`, and a full stop where there is none and one is usual."""
    words = CONTRACTED.sub("I", words)
    if form != WHOLE:
        words = words.rstrip(" .?!") if form.endswith("?") else words
        words = form.format(said=words)
    text = words[:1].upper() + words[1:]
    return f"{text}." if text[-1].isascii() and text[-1].isalnum() else text


def load_sayings(path: Path = SAID) -> Sayings:
    """Read the data."""
    return Sayings(TypeAdapter(dict[str, SaidFile]).validate_python(read_data(path)))
