"""The text of a shape or a table's cell: one unit an index, its last newline implicit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, Self

from core.sandbox.docs.bullets import PRESETS
from core.sandbox.docs.edits import refuse
from core.sandbox.docs.text import DROPPED, behind_cluster, style_at
from core.sandbox.docs.units import Json, Kind, Unit, Units, length, loaded, newline, stored, text_of, text_units
from core.sandbox.slides.numbering import Numbering

PLAIN: Json = {"style": {"direction": "LEFT_TO_RIGHT"}}


@dataclass
class Text:
    """Units, and the lists that its paragraphs are in: id → preset. Without units there is no text."""

    units: Units = field(default_factory=list)
    lists: dict[str, str] = field(default_factory=dict)

    @property
    def plain(self) -> str:
        """What a reader sees, without the last newline."""
        return text_of(self.units).removesuffix("\n")

    def insert(self, index: int, text: str) -> None:
        """Put text in, never into the middle of what a reader sees as one character."""
        if not text:
            refuse("The insertion text must not be empty.")
        units = self.units or [newline(PLAIN)]
        if not 0 <= index <= len(units) - 1:
            refuse(
                f"The insertion index ({index}) should not be greater than the existing text length ({len(units) - 1})."
            )
        index = behind_cluster(units, index)
        end = next(at for at in range(index, len(units)) if units[at].kind is Kind.NEWLINE)
        new = list(text_units(DROPPED.sub("", text), style_at(units, index), units[end].data))
        self.units = [*units[:index], *new, *units[index:]]

    def delete(self, start: int, end: int) -> None:
        """Take text out; where paragraphs merge, the first one's style stays if any of it is left."""
        end = min(end, len(self.units) - 1)
        first_end = next((at for at in range(start, end) if self.units[at].kind is Kind.NEWLINE), None)
        begun = start > 0 and self.units[start - 1].kind is not Kind.NEWLINE
        rest = [*self.units[:start], *self.units[end:]]
        if first_end is not None and begun:
            stop = next(at for at in range(start, len(rest)) if rest[at].kind is Kind.NEWLINE)
            rest[stop] = newline(self.units[first_end].data, rest[stop].style)
        self.units = rest if len(rest) > 1 else []

    def span(self, asked: Mapping[str, Any], owner: str) -> tuple[int, int]:
        """The units of a range.

        Args:
            owner: id of the object, for the refusal.
        """
        if not self.units:
            refuse(f"The object ({owner}) has no text.")
        if asked.get("type") == "ALL":
            return 0, len(self.units)
        if asked.get("type") not in ("FIXED_RANGE", "FROM_START_INDEX"):
            refuse("The range type is required.")
        start = asked.get("startIndex", 0)
        end = asked.get("endIndex", 0) if asked["type"] == "FIXED_RANGE" else len(self.units)
        if end > len(self.units):
            refuse(f"The end index ({end}) should not be greater than the existing text length ({len(self.units)}).")
        if not 0 <= start < end:
            refuse(f"The startIndex {start} must be less than the endIndex {end}")
        return self._uncut(start, end)

    def _uncut(self, start: int, end: int) -> tuple[int, int]:
        """A range that cuts no character in two."""
        start -= self.units[start].kind is Kind.TAIL
        return start, end + (end < len(self.units) and self.units[end].kind is Kind.TAIL)

    def paragraphs(self) -> Iterator[tuple[Units, Unit]]:
        """Each paragraph's characters, and its end."""
        start = 0
        for end, unit in enumerate(self.units):
            if unit.kind is Kind.NEWLINE:
                yield self.units[start:end], unit
                start = end + 1

    def shown(self) -> Json:
        """Google's TextContent; `{}` where there is no text."""
        if not self.units:
            return {}
        elements: list[Json] = []
        numbering, at = Numbering(self.lists), 0
        for characters, end in self.paragraphs():
            marker: Json = {"style": end.data["style"]}
            if "bullet" in end.data:
                marker["bullet"] = numbering.bullet(**end.data["bullet"])
            elements.append({**indices(at, at + len(characters) + 1), "paragraphMarker": marker})
            for style, run in groupby([*characters, end], lambda unit: unit.style):
                content = text_of(run)
                elements.append(
                    {**indices(at, at + length(content)), "textRun": {"content": content, "style": dict(style)}}
                )
                at += length(content)
        used = {unit.data["bullet"]["list_id"] for unit in self.units if "bullet" in unit.data}
        lists = {key: shown_list(key) for key in self.lists if key in used}
        return {"textElements": elements, **({"lists": lists} if lists else {})}

    def stored(self) -> Json:
        """The text as JSON; `{}` where there is none."""
        return {"units": stored(self.units), "lists": self.lists} if self.units else {}

    @classmethod
    def loaded(cls, data: Json) -> Self:
        """A text from its JSON."""
        return cls(loaded(data["units"]), dict(data["lists"])) if data else cls()


def indices(start: int, end: int) -> Json:
    """Where something is; a start of 0 is left out."""
    return {"startIndex": start, "endIndex": end} if start else {"endIndex": end}


def shown_list(list_id: str) -> Json:
    """A list as Google shows it."""
    return {"listId": list_id, "nestingLevel": {str(level): {"bulletStyle": {}} for level in range(9)}}


def documents_preset(preset: str) -> str:
    """The name that Docs has for a preset of bullets.

    Raises:
        Refused: there is no such preset.
    """
    known = preset.replace("ZERODIGIT", "ZERODECIMAL").replace("DIGIT", "DECIMAL")
    if known not in PRESETS:
        refuse("The bullet preset must be specified.")
    return known
