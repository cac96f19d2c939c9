"""What was shown before: lists and single items in earlier results, and which of them a question means."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

from core.agents.offline.conversation import Done
from core.agents.offline.fill import look_up
from core.datafile import read_data
from core.registry.manifests import Catalogue
from core.registry.references import References
from core.settings import ROOT

KINDS = ROOT / "data" / "language" / "kinds.yaml"
Item = Mapping[str, Any]


class Test(BaseModel):
    """A field that is true, or holds a value."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    field: str
    holds: str | None = None


class Kind(BaseModel):
    """How to ask about items of a kind; `body` holds their whole text, and `dated` ones are about the day of `time`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    id: str
    time: str
    people: tuple[str, ...]
    text: tuple[str, ...]
    body: tuple[str, ...] = ()
    dated: bool = False
    answer: str
    tests: dict[str, Test] = {}

    def about(self, item: Item, words: str, fields: Sequence[str]) -> bool:
        """Whether each of the words begins a word of one of the fields."""
        text = " ".join(str(item.get(field) or "") for field in fields)
        return all(re.search(rf"(?<![^\W_]){re.escape(word)}", text, re.IGNORECASE) for word in words.split())

    def holds(self, item: Item, flag: str) -> bool:
        """Whether an item passes a test; False for a test that is not known."""
        test = self.tests.get(flag)
        value = item.get(test.field) if test else None
        return bool(test and (test.holds in (value or ()) if test.holds else value))


@dataclass(frozen=True)
class Shown:
    """Items in the order in which they were shown; `focus` is the one that was spoken of last.

    Attributes:
        result: the result that held them.
        source: the call that brought them, None after a choice among them.
    """

    name: str
    kind: Kind
    items: tuple[Item, ...]
    result: Mapping[str, Any]
    source: Done | None = None
    focus: Item | None = None

    def only(self, item: Item) -> "Shown":
        """The same list with one item in focus."""
        return replace(self, focus=item)

    def knowing(self, before: "Shown") -> "Shown":
        """The one item with what was known of it before: it may be the same file, shown by another tool."""
        (item,) = self.items
        known = [one for one in (before.focus, *before.items) if one and one.get("file_id") == item.get("file_id", "")]
        if self.name != before.name or not known:
            return self
        whole = {**known[0], **{name: value for name, value in item.items() if value is not None}}
        return replace(self, items=(whole,), focus=whole)

    def kept(self, items: Sequence[Item]) -> "Shown":
        """Some of the items."""
        return replace(self, items=tuple(items), source=None, focus=items[0] if len(items) == 1 else None)

    def newest(self, oldest: bool = False) -> Item | None:
        """By time."""
        by_time = sorted(self.items, key=lambda item: str(item.get(self.kind.time)), reverse=not oldest)
        return by_time[0] if by_time else None

    def by_number(self, number: int) -> Item | None:
        """Counted from 1, or from the end with −1."""
        index = number - 1 if number > 0 else number
        return self.items[index] if -len(self.items) <= index < len(self.items) else None


def shown_in(done: Done, catalogue: Catalogue, kinds: Mapping[str, Kind]) -> Shown | None:
    """What a call's result shows, None where it shows nothing."""
    shows = next((tool.shows for _, tool in catalogue.tools() if tool.name == done.name), None)
    value = done.output.value if done.output else None
    if shows is None or value is None:
        return None
    held = value.get(shows.items, []) if shows.items else value
    items = [called(item, value, shows.fields) for item in (held if isinstance(held, list) else [held])]
    focus = items[0] if len(items) == 1 else None
    return Shown(shows.kind, kinds[shows.kind], tuple(items), value, done, focus)


def called(item: Item, result: Mapping[str, Any], fields: Mapping[str, str]) -> Item:
    """An item with its fields also under the names that its kind has for them."""
    more = {name: look_up(path, {**result, **item, "result": result}) for name, path in fields.items()}
    return {**item, **{name: value for name, value in more.items() if value is not None}} if more else item


def resolve(text: str, shown: Shown, references: References) -> tuple[Item | None, tuple[int, int] | None]:
    """The item that a text means, and the place that says so; the place alone where it says which, but none is."""
    for pattern in references.items:
        if match := pattern.search(text):
            return one_of(match.groupdict(), shown, references), match.span()
    for pattern in references.pronouns:
        if match := pattern.search(text):
            return shown.focus, match.span()
    return None, None


def one_of(said: Mapping[str, str | None], shown: Shown, references: References) -> Item | None:
    """The item of a number, an ordinal, a superlative, a person or a topic."""
    if said.get("number"):
        return shown.by_number(int(said["number"] or 0))
    if said.get("ordinal"):
        return shown.by_number(references.ordinals[(said["ordinal"] or "").lower()])
    if said.get("superlative"):
        return shown.newest(oldest=references.superlatives[(said["superlative"] or "").lower()] == "oldest")
    fields = shown.kind.people if said.get("person") else shown.kind.text
    words = said.get("person") or said.get("topic") or ""
    return next((item for item in shown.items if shown.kind.about(item, words, fields)), None)


def load_kinds(path: Path = KINDS) -> dict[str, Kind]:
    """Read the kinds."""
    return TypeAdapter(dict[str, Kind]).validate_python(read_data(path))
