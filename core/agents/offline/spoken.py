"""What an item speaks of: a day, and the points of a list."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from core.agents.offline.days import Range
from core.agents.offline.shown import Item, Kind, Shown
from core.agents.offline.times import Times
from core.registry.glossary import Languages

SENTENCE = re.compile(r"(?<=[。！？!?])|(?<=\.)\s|\n")
POINT = re.compile(r"^\s*(?:[-*•–☐]|\d{1,2}[.)]|[A-Za-z][.)])\s+(?:\[[ x]?\]\s*)?(.+)$", re.MULTILINE)
ASKS = re.compile(
    r"\?$|\b(?:please|could you|can you|would you|until|bitte|bis|s'il te plaît|por favor)\b", re.IGNORECASE
)
APART = re.compile(r"\s*[,;\n]\s*")
REPLY = re.compile(r"^(?:(?:re|fwd?|aw|wg|tr|rv):\s*)+", re.IGNORECASE)
MOST, LONGEST = 30, 300
NAME = "checklist"


@dataclass(frozen=True)
class Checklist:
    """Points to tick off, and a title for them."""

    title: str
    points: list[str]


def spoken_day(item: Item, kind: Kind, times: Times, languages: Languages, now: datetime) -> date | None:
    """The day that an item is about: its own, or the first that its text speaks of, seen from when it was written.

    Args:
        now: aware, in the user's zone.
    """
    said = str(item.get(kind.time) or "")
    if kind.dated:
        return day_in(said, now)
    written = local(said, now) or now
    texts = [str(item.get(field) or "") for field in (kind.text[0], *kind.body)]
    for words in (one for text in texts for one in SENTENCE.split(text)):
        value = times.find(languages.gloss(words).text, written, "future").value
        if isinstance(value, Range) and value.dated and value.begin:
            return value.begin.date()
    return None


def day_in(said: str, now: datetime) -> date | None:
    """The day of a time as results have it, in the user's zone."""
    moment = local(said, now)
    return moment.date() if moment else None


def local(said: str, now: datetime) -> datetime | None:
    """A time as results have it, aware; None where it is none."""
    try:
        moment = datetime.fromisoformat(said)
    except ValueError:
        return None
    return moment.astimezone(now.tzinfo) if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)


def listed(words: str, title: str | None) -> Checklist:
    """A checklist of what a person says, its points apart by commas, semicolons or lines."""
    points = [one.strip(" .-") for one in APART.split(words)]
    return Checklist(headed(title), kept(points))


def checklist_of(shown: Shown | None, title: str | None) -> Checklist | None:
    """The points of the item that was spoken of last: its list, else what it asks for; None where it has neither."""
    item = shown.focus or (shown.items[0] if len(shown.items) == 1 else None) if shown else None
    if shown is None or item is None:
        return None
    text = next((str(item[field]) for field in shown.kind.body if item.get(field)), "")
    points = kept(POINT.findall(text)) or kept([one for one in SENTENCE.split(text) if ASKS.search(one.strip())])
    name = next((str(item[field]) for field in shown.kind.text if item.get(field)), "")
    return Checklist(headed(title or REPLY.sub("", name).split(":", 1)[0]), points) if points else None


def headed(title: str | None) -> str:
    """A title that says what it is."""
    words = (title or "").strip()
    if not words:
        return NAME.capitalize()
    return words if NAME in words.casefold() else f"{words[:1].upper()}{words[1:]} {NAME}"


def kept(points: Sequence[str]) -> list[str]:
    """The points that say something, each once, as one line."""
    lines = [" ".join(point.split())[:LONGEST] for point in points]
    return list(dict.fromkeys(filter(None, lines)))[:MOST]
