"""The seed's events as people write them in YAML, and their place on the real calendar."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr
from pydantic import BaseModel, ConfigDict, Field

from core.sandbox.calendar.conferences import meeting
from core.sandbox.calendar.times import When
from core.users import SANDBOX_ACCOUNT

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Response = Literal["accepted", "declined", "tentative", "needsAction"]


class Planned(BaseModel):
    """Base of what is read from the seed: nothing unknown, frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Place(Planned):
    """When something happens, relative to today.

    Either `weekday` in `week` (0 is the week of today), or `coming`: the next such day after today, `week` weeks on.
    With `time` it is timed and takes `minutes`; without, it takes whole `days`.
    """

    week: int = 0
    weekday: Weekday = "mon"
    coming: Weekday | None = None
    time: str = ""
    minutes: int = 60
    days: int = 1

    def day(self, today: date) -> date:
        """The day that is meant."""
        monday = today - timedelta(days=today.weekday())
        if self.coming is None:
            return monday + timedelta(weeks=self.week, days=WEEKDAYS.index(self.weekday))
        ahead = (WEEKDAYS.index(self.coming) - today.weekday()) % 7 or 7
        return today + timedelta(days=ahead, weeks=self.week)

    def wall(self, today: date) -> datetime:
        """What the clock on the wall shows then; midnight for whole days."""
        return datetime.combine(self.day(today), time.fromisoformat(self.time or "00:00"))


class Change(Planned):
    """An exception of a series: the occurrence on `of` is moved to `to`, or cancelled."""

    of: Place
    to: Place | None = None
    title: str = ""


class Planning(Planned):
    """One event of the seed."""

    key: str
    title: str
    when: Place
    calendar: str = SANDBOX_ACCOUNT
    repeat: str = ""
    zone: str = ""
    host: str = "sam"
    people: Mapping[str, Response] = {}
    me: Response = "accepted"
    place: str = ""
    text: str = ""
    meet: bool = False
    free: bool = False
    private: bool = False
    tentative: bool = False
    kind: Literal["default", "focusTime", "birthday"] = "default"
    color: str = ""
    changes: list[Change] = Field(default_factory=list)


def span(place: Place, today: date, zone: str, repeat: str = "") -> tuple[When, When]:
    """Start and end; a series starts at its first occurrence on or after its place."""
    wall = place.wall(today)
    if repeat:
        wall = rrulestr(repeat, dtstart=wall).after(wall, inc=True) or wall
    if not place.time:
        start = When(None, wall.date())
        return start, start.plus(timedelta(days=place.days))
    start = When(datetime(2000, 1, 1, tzinfo=ZoneInfo("UTC")), None, zone).at(wall)
    return start, start.plus(timedelta(minutes=place.minutes))


def body(event: Planning, today: date, zone: str, people: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """The stored body of a planned event, without ids.

    Args:
        zone: the calendar's.
        people: address and name by the short names that the seed uses.
    """
    start, end = span(event.when, today, event.zone or zone, event.repeat)
    guests = guest_list(event, people)
    known: dict[str, Any] = {
        "status": "tentative" if event.tentative else "confirmed",
        "summary": event.title,
        "description": event.text.strip(),
        "location": event.place,
        "start": start.store(),
        "end": end.store(),
        "recurrence": [f"RRULE:{event.repeat}"] if event.repeat else [],
        "attendees": guests,
        "organizer": dict(people[event.host]),
        "creator": dict(people[event.host]),
        "transparency": "transparent" if event.free else "",
        "visibility": "private" if event.private else "",
        "eventType": event.kind,
        "colorId": event.color,
        "reminders": {"useDefault": True},
    }
    if event.meet:
        known["conferenceData"] = meeting(event.key)
        known["hangoutLink"] = known["conferenceData"]["entryPoints"][0]["uri"]
    return {name: value for name, value in known.items() if value not in ("", [])}


def guest_list(event: Planning, people: Mapping[str, Mapping[str, str]]) -> list[dict[str, str]]:
    """The guests: the host first, then the persona, then the others; nobody for an event alone or of another's."""
    if event.calendar != SANDBOX_ACCOUNT or (not event.people and event.host == "sam"):
        return []
    mine = {} if event.host == "sam" else {"sam": event.me}
    responses = {event.host: "accepted", **mine, **event.people}
    return [{**people[name], "responseStatus": response} for name, response in responses.items()]
