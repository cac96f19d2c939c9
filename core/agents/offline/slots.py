"""What is heard in a question: typed slots, filled by patterns that are data."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.agents.offline.heard import UNRESOLVED, Heard, Setting, Topic, Words
from core.agents.offline.holes import HOLE, bare, masked, without_holes
from core.agents.offline.shown import resolve
from core.agents.offline.times import Times
from core.datafile import read_data
from core.registry.references import References, alternatives
from core.settings import ROOT

SLOTS = ROOT / "data" / "language" / "slots.yaml"
NO_FILTER = frozenset({"item", "list", "minutes"})
NAME = (
    r"(?:[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?:(?:dr|mrs?|ms|prof)\.? )?(?-i:[A-ZÀ-ÞА-Я][\w-]*(?: (?:de |von |van )?[A-ZÀ-ÞА-Я][\w-]*)+)"
    r"|[^\W\d_][\w-]*)"
)
NAMES = rf"{NAME}(?:(?:, and|,| and) (?-i:[A-ZÀ-Þ])[\w-]*)*"
WORD = re.compile(r"[\w@][\w@.+'’/-]*")
Patterns = tuple[re.Pattern[str], ...]


class SlotsFile(BaseModel):
    """The data."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    stop: tuple[str, ...]
    quoted: tuple[str, ...]
    label: tuple[str, ...]
    people: dict[str, tuple[str, ...]]
    topic: tuple[str, ...]
    boundary: str
    count: tuple[str, ...]
    single: tuple[str, ...]
    signals: dict[str, tuple[str, ...]]
    ask: str


class Ears:
    """Fills slots.

    Args:
        file: the patterns.
        times: finds ranges.
        references: finds what refers back.
    """

    def __init__(self, file: SlotsFile, times: Times, references: References) -> None:
        self._file, self.times, self._references = file, times, references
        self._stop = frozenset(word.casefold() for word in (*file.stop, *references.ordinals))
        self._signals = {
            name: compiled((pattern.replace("{ask}", file.ask) for pattern in patterns), times)
            for name, patterns in file.signals.items()
        }
        self._single = compiled(file.single, times)
        self._patterns = {
            name: self.patterns(patterns)
            for name, patterns in {
                "quoted": file.quoted, "label": file.label, **file.people, "topic": file.topic, "count": file.count,
            }.items()
        }  # fmt: skip

    def patterns(self, patterns: Iterable[str]) -> Patterns:
        """Patterns of the data with their names filled in."""
        words = rf"[^{HOLE}?!,;]+?{self._file.boundary}"
        filled = (one.replace("{ask}", self._file.ask).replace("{words}", words) for one in patterns)
        return compiled((one.replace("{names}", NAMES).replace("{name}", NAME) for one in filled), self.times)

    def asks_for_a_deed(self, text: str, setting: Setting) -> bool:
        """Whether a question asks to change something."""
        rest = self.when(text, {}, setting)
        return any(pattern.search(rest) for pattern in self._signals["writes"])

    def hear(self, text: str, setting: Setting) -> Heard:
        """All slots of an English (or glossed) question."""
        text = text.strip()
        values: dict[str, Any] = {}
        rest = self.text_slot("quoted", text, values, setting)
        rest = self.when(rest, values, setting)
        signals = {name for name, patterns in self._signals.items() if any(p.search(rest) for p in patterns)}
        rest = self._count(self.minutes(rest, values), values)
        rest = words_of(setting.words, rest, values)
        rest = self.find_shown(text, rest, values, signals, setting)
        for name in ("label", *self._file.people, "topic"):
            rest = self.text_slot(name, rest, values, setting)
        if "topic" not in values and "item" not in values and (left := self.left(rest, setting)):
            values["topic"] = " ".join(left)
            rest = " ".join(word for word in re.split(r"[\s-]+", rest) if bare(word) not in left)
        if "topic" in values:
            values["topic"] = Topic(values["topic"], setting.origins)
        if values.keys() - NO_FILTER - {shown_name(setting)}:
            signals.add("filter")
        return Heard(values, frozenset(signals), without_holes(rest))

    def range_of(self, text: str, setting: Setting) -> Any:
        """The range that a phrase means, None where it means none."""
        return self.times.find(text, setting.now, setting.tense).value

    def when(self, text: str, values: dict[str, Any], setting: Setting) -> str:
        """Fill `range`; returns the text without it."""
        found = self.times.find(text, setting.now, setting.tense)
        if found.value is not None:
            values["range"] = found.value
            text = masked(text, found.places)
        return text

    def minutes(self, text: str, values: dict[str, Any]) -> str:
        """Fill `minutes`; returns the text without them."""
        minutes, places = self.times.minutes(text)
        if minutes is not None:
            values["minutes"] = minutes
            text = masked(text, places)
        return text

    def _count(self, text: str, values: dict[str, Any]) -> str:
        for pattern in self._patterns["count"]:
            if (match := pattern.search(text)) and (count := self.times.number(match["value"])):
                values["count"] = count
                return masked(text, [match.span("value")])
        if any(pattern.search(text) for pattern in self._single):
            values["count"] = 1
        return text

    def find_shown(self, text: str, rest: str, values: dict[str, Any], signals: set[str], setting: Setting) -> str:
        """Fill what was shown and is meant; returns the rest of the text without it."""
        shown = setting.shown
        if shown is None or not shown.items:
            return rest
        if "all_items" in signals:
            values[f"all_{shown.name}s"] = list(shown.items)
            return rest
        item, place = resolve(rest, shown, self._references)
        if item is not None and place is not None:
            values["item"] = values[shown.name] = item
            return masked(rest, [place])
        if self._references.refers_back(text):
            values["list"] = shown
            signals.update({UNRESOLVED} if place else ())
        return rest

    def text_slot(
        self, name: str, text: str, values: dict[str, Any], setting: Setting, patterns: Patterns | None = None
    ) -> str:
        """Fill a slot of words, by its own patterns or by others; returns the text without them."""
        for pattern in self._patterns[name] if patterns is None else patterns:
            for match in pattern.finditer(text):
                value = match["value"] if name == "quoted" else self._trimmed(match["value"], setting)
                if value and HOLE not in value:
                    values[name] = "-".join(value.split()) if name == "label" else value
                    return masked(text, [match.span()])
        return text

    def _trimmed(self, value: str, setting: Setting) -> str:
        words = value.strip(" .").split()
        while words and self._idle(words[0], setting):
            words.pop(0)
        while words and self._idle(words[-1], setting):
            words.pop()
        return " ".join(words)

    def left(self, text: str, setting: Setting) -> list[str]:
        """The words that may say what something is about."""
        words = [bare(word) for word in WORD.findall(text.replace(HOLE, " ").replace("-", " "))]
        return [word for word in words if word and not self._idle(word, setting)]

    def _idle(self, word: str, setting: Setting) -> bool:
        plain = word.casefold()
        return bool({plain, bare(plain)} & (self._stop | setting.nouns | setting.marks))


def shown_name(setting: Setting) -> str:
    """The slot of the kind that was shown."""
    return setting.shown.name if setting.shown else ""


def words_of(words: Words, text: str, values: dict[str, Any]) -> str:
    """Slots of which each value has phrases that mean it; several values stand side by side."""
    for slot, meanings in words.items():
        found = []
        for value, phrases in meanings.items():
            if match := whole_words(tuple(phrases)).search(text):
                found.append(value)
                text = masked(text, [match.span()])
        if found:
            values[slot] = " ".join(found)
    return text


@lru_cache(maxsize=2_048)
def whole_words(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """Any of some phrases, as words of their own."""
    return re.compile(rf"(?<!\w){alternatives(phrases)}(?!\w)", re.IGNORECASE)


def compiled(patterns: Iterable[str], times: Times) -> Patterns:
    """Patterns of the data."""
    return tuple(re.compile(times.filled(pattern), re.IGNORECASE) for pattern in patterns)


def load_ears(times: Times, references: References, path: Path = SLOTS) -> Ears:
    """Read the data."""
    return Ears(SlotsFile.model_validate(read_data(path)), times, references)
