"""What is heard in a request to change something: which deed, and on what, for whom, when."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.agents.offline.heard import UNRESOLVED, Heard, Setting, Topic
from core.agents.offline.holes import HOLE, bare, masked, without_holes
from core.agents.offline.shown import Item, Shown
from core.agents.offline.slots import Ears, words_of
from core.datafile import read_data
from core.registry.references import References
from core.settings import ROOT

DEEDS = ROOT / "data" / "language" / "deeds.yaml"
SUBJECT_LENGTH = 60
WHICH = frozenset({"topic", "person", "to", "guest", "range", "flags"})
"""Slots that say which items are meant."""
NO_TOPIC = frozenset({"sends", "drafts", "creates"})
PASSED = "◇"
"""Stands for a hole that does not say which item is meant: `the second one` is one, whatever follows."""
NO_FILTER = frozenset({"said", "title", "subject", "minutes", "new", "new_name", "item", "add", "remove", "label"})


class DeedsFile(BaseModel):
    """The data."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    signals: dict[str, tuple[str, ...]]
    new_time: str
    new_name: tuple[str, ...]
    slots: dict[str, tuple[str, ...]]
    title: tuple[str, ...]
    title_end: str
    title_start: str
    untitled: str
    saying: str
    verbs: tuple[str, ...]


class DeedEars:
    """Fills the slots of such a request.

    Args:
        file: the patterns.
        ears: what is heard in any question.
        references: finds what refers back.
    """

    def __init__(self, file: DeedsFile, ears: Ears, references: References) -> None:
        self._ears, self._references = ears, references
        self._verbs = frozenset(file.verbs)
        self._signals = {name: ears.patterns(patterns) for name, patterns in file.signals.items()}
        self._slots = {name: ears.patterns(patterns) for name, patterns in file.slots.items()}
        self._new_name, self._title = ears.patterns(file.new_name), ears.patterns(file.title)
        patterns = (file.new_time, file.title_end, file.title_start, file.untitled, file.saying)
        self._new_time, self._title_end, self._title_start, self._untitled, self._saying = ears.patterns(patterns)

    def only_tells(self, text: str) -> bool:
        """Whether a request is to tell somebody something, and nothing else."""
        heard = {name for name, patterns in self._signals.items() if any(p.search(text) for p in patterns)}
        return "sends" in heard and not heard & {"creates", "moves", "cancels", "relabels", "forwards"}

    def hear(self, text: str, setting: Setting) -> Heard:
        """All slots of an English (or glossed) request, what is to be said apart."""
        values: dict[str, Any] = {"said": setting.said} if setting.said else {}
        rest = self._ears.text_slot("quoted", text.strip(), values, setting)
        signals = {name for name, patterns in self._signals.items() if any(p.search(rest) for p in patterns)}
        rest = self._times(rest, values, signals, setting)
        if "creates" in signals and (title := values.get("quoted") or self._titled(rest, setting)):
            values["title"] = title
        if "renames" in signals or "label_itself" in signals:
            rest = self._renamed(rest, values)
        if setting.said:
            rest = self._saying.sub(" ", rest)
        if setting.shown is None and any(pattern.search(rest) for pattern in self._references.pronouns):
            signals.add(UNRESOLVED)
        rest = self._items(text, rest.replace(HOLE, PASSED), values, signals, setting).replace(PASSED, HOLE)
        if "item" in values and "title" in values and "quoted" not in values:
            values.pop("title")
            values |= {"title": title} if (title := self._titled(rest, setting)) else {}
        rest = words_of(setting.deeds, rest, values)
        if "relabels" in signals:
            rest = self._ears.text_slot("label", rest, values, setting, self._slots["label"])
        rest = words_of(setting.words, rest, values) if "creates" not in signals else rest
        skipped = {*values, *(() if signals & {"relabels", "label_itself", "unlabels"} else ("label",))}
        for name, patterns in [one for one in self._slots.items() if one[0] not in skipped]:
            rest = self._ears.text_slot(name, rest, values, setting, patterns)
        for name in ("person", "guest"):
            rest = self._ears.text_slot(name, rest, values, setting) if name not in values else rest
        self._about(rest, values, signals, setting)
        if values.keys() - NO_FILTER - {setting.shown.name if setting.shown else ""}:
            signals.add("filter")
        return Heard(values, frozenset({*signals, "writes"}), without_holes(rest))

    def _times(self, text: str, values: dict[str, Any], signals: set[str], setting: Setting) -> str:
        """The time of what is meant, and apart from it the new time of what is moved."""
        if "moves" in signals:
            for match in reversed(list(self._new_time.finditer(text))):
                right = text[match.end() :]
                found = self._ears.times.find(f"at {right}" if right[:1].isdigit() else right, setting.now, "future")
                if found.value is not None and not found.places[0][0] > len("at the "):
                    values["new"] = found.value
                    text = f"{text[: match.start()]} {HOLE}"
                    break
        rest = self._ears.minutes(text, values)
        return self._ears.when(rest, values, setting)

    def _titled(self, text: str, setting: Setting) -> str | None:
        match = next((found for pattern in self._title if (found := pattern.search(text))), None)
        if match is None:
            return None
        words = self._title_end.sub("", match["value"])
        words = self._title_start.sub("", " ".join(words.split()))
        words = re.sub(rf"\s*(?:\b(?:for|on|at|from|of|in|to|by|this|the)\s*)?{HOLE}[\s{HOLE}]*", " ", words)
        title = as_said(" ".join(words.split()).strip(" .,;:!?"), setting.origins)
        return None if self._untitled.search(title) else title[:1].upper() + title[1:]

    def _renamed(self, text: str, values: dict[str, Any]) -> str:
        if "quoted" in values:
            values["new_name"] = values["quoted"]
            return text
        for pattern in self._new_name:
            if (match := pattern.search(text)) and HOLE not in match["value"]:
                values["new_name"] = match["value"].strip()
                return masked(text, [match.span()])
        return text

    def _items(self, text: str, rest: str, values: dict[str, Any], signals: set[str], setting: Setting) -> str:
        """The items that are meant: one, all that were shown, or the one that was spoken of last."""
        shown = setting.shown
        if shown is None:
            return rest
        if any(pattern.search(rest) for pattern in self._references.all):
            values[f"all_{shown.name}s"] = list(shown.items)
            return rest
        return self._ears.find_shown(text, rest, values, signals, setting)

    def _about(self, rest: str, values: dict[str, Any], signals: set[str], setting: Setting) -> None:
        """What it is about, a subject for what is said, and the item in focus where nothing else says which."""
        nothing = "item" not in values and not any(name.startswith("all_") for name in values)
        left = [word for word in self._ears.left(rest, setting) if bare(word).casefold() not in self._verbs]
        if "topic" not in values and nothing and left and (signals & {"replies", "invites"} or not signals & NO_TOPIC):
            values["topic"] = " ".join(left)
        if "topic" in values:
            values["topic"] = Topic(values["topic"], setting.origins)
        if said := values.get("topic") or values.get("said"):
            values["subject"] = subject(as_said(str(said), setting.origins))
        shown, which = setting.shown, WHICH & values.keys()
        if shown and "many" in signals and nothing and not which:
            values[f"all_{shown.name}s"] = list(shown.items)
        if shown and which and (meant := values.get(f"all_{shown.name}s")):
            values[f"all_{shown.name}s"] = fitting(meant, shown, values)
        if shown and shown.focus and nothing and not which and not signals & {"creates", "many"}:
            values["item"] = values[shown.name] = shown.focus


def fitting(items: Sequence[Item], shown: Shown, values: Mapping[str, Any]) -> list[Item]:
    """The items that pass what was heard: people, words of a search, topic."""
    for slot, fields in (("person", shown.kind.people), ("to", shown.kind.people), ("topic", shown.kind.text)):
        items = [item for item in items if shown.kind.about(item, str(values.get(slot, "")), fields)]
    flags = str(values.get("flags", "")).split()
    return [item for item in items if all(shown.kind.holds(item, flag) for flag in flags)]


def as_said(words: str, origins: Any) -> str:
    """English words that were glossed, as they were said."""
    for english in sorted(origins, key=len, reverse=True):
        said = str(origins[english]).replace("\\", "\\\\")
        words = re.sub(rf"(?<!\w){re.escape(english)}(?!\w)", said, words)
    return words


def subject(words: str) -> str:
    """A subject: the first sentence, cut between words."""
    first = re.split(r"(?<=\w)[.!?。！？](?:\s|$)|\n", words.strip())[0].strip(" :;,")
    if len(first) > SUBJECT_LENGTH:
        first = f"{first[:SUBJECT_LENGTH].rsplit(' ', 1)[0]} …"
    return first[:1].upper() + first[1:]


def load_deed_ears(ears: Ears, references: References, path: Path = DEEDS) -> DeedEars:
    """Read the data."""
    return DeedEars(DeedsFile.model_validate(read_data(path)), ears, references)
