"""The persona's calendars at the start: read from data/sandbox/calendar, dated around today."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from hashlib import sha256
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from sqlmodel import Session, select

from core.datafile import read_data
from core.sandbox.calendar import plan, shelf
from core.sandbox.calendar.resource import instance
from core.sandbox.calendar.tables import AccessRow, CalendarRow, EventRow
from core.sandbox.calendar.times import utc_text
from core.sandbox.world import World
from core.settings import ROOT
from core.users import SANDBOX_ACCOUNT

FILES = ROOT / "data" / "sandbox" / "calendar"
EVENT_FILES = ("mine", "shared", "colleagues")


def seed(world: World, today: date) -> None:
    """Bring the seed up to a day: unchanged seeded events move, changed and own ones stay."""
    people = {str(name): person for name, person in read("people").items()}
    events = [plan.Planning.model_validate(entry) for name in EVENT_FILES for entry in read(name)]
    with world.change() as session:
        for position, entry in enumerate(read("calendars")):
            put_calendar(session, entry, position, world.zone)
        session.flush()
        kept, numbers = seeded(session), count(shelf.next_change(session))
        for event in events:
            renew(session, list(rows(session, event, today, people)), kept.pop(event.key, []), numbers)
        for old in kept.values():
            renew(session, [], old, numbers)


def read(name: str) -> Any:
    """A seed file."""
    return read_data(FILES / f"{name}.yaml")


def put_calendar(session: Session, entry: dict[str, Any], position: int, zone: str) -> None:
    """Make or renew a calendar and the persona's access to it."""
    own_zone = zone if entry["zone"] == "persona" else entry["zone"]
    calendar_id, about = entry["id"], entry.get("description", "")
    session.merge(CalendarRow(id=calendar_id, summary=entry["summary"], description=about, zone=own_zone))
    session.merge(
        AccessRow(
            account=SANDBOX_ACCOUNT,
            calendar_id=calendar_id,
            role=entry["role"],
            listed=entry.get("listed", True),
            color_id=entry.get("color", "14"),
            position=position,
        )
    )


def seeded(session: Session) -> dict[str, list[EventRow]]:
    """What earlier seeds made, by seed key: a series stands together with its exceptions."""
    found: dict[str, list[EventRow]] = {}
    for row in session.exec(select(EventRow).where(EventRow.seed != "")).all():
        found.setdefault(row.seed, []).append(row)
    return found


def renew(session: Session, new: list[EventRow], old: list[EventRow], numbers: Iterator[int]) -> None:
    """Replace what the seed made, unless it is the same already or somebody has changed any of it.

    Args:
        numbers: the next change numbers.
    """
    if any(row.touched for row in old) or {row.id: row.body for row in old} == {row.id: row.body for row in new}:
        return
    for row in old:
        session.delete(row)
    if old:
        session.flush()
    for row in new:
        row.change = next(numbers)
        session.add(row)


def rows(session: Session, event: plan.Planning, today: date, people: dict[str, Any]) -> Iterator[EventRow]:
    """The rows of a planned event: itself, and its exceptions."""
    calendar = session.get_one(CalendarRow, event.calendar)
    monday = today - timedelta(days=today.weekday())
    made = utc_text(datetime.combine(monday - timedelta(weeks=10), time(9), ZoneInfo(calendar.zone)))
    event_id = stable_id(event.key)
    body = {
        **plan.body(event, today, calendar.zone, people),
        "iCalUID": f"{event_id}@google.com",
        "created": made,
        "sequence": 0,
    }
    row = EventRow(calendar_id=calendar.id, id=event_id, change=0, body=body, updated=made, first=0, seed=event.key)
    shelf.bound(row, ZoneInfo(calendar.zone))
    yield row
    for change in event.changes:
        yield from exception(row, change, today, calendar)


def exception(row: EventRow, change: plan.Change, today: date, calendar: CalendarRow) -> Iterator[EventRow]:
    """One exception of a series, where that occurrence exists."""
    zone = row.body["start"]["timeZone"]
    wall = plan.span(change.of, today, zone)[0]
    found = shelf.series(row).find(wall.key(), ZoneInfo(calendar.zone))
    if found is None:
        return
    made = instance(row, found)
    made.cancelled, made.updated = change.to is None, row.updated
    if change.to is None:
        made.body = {**made.body, "status": "cancelled"}
    else:
        start, end = plan.span(change.to, today, zone)
        made.body = {**made.body, "start": start.store(), "end": end.store()}
        made.body |= {"summary": change.title} if change.title else {}
    made.change = 0
    shelf.bound(made, ZoneInfo(calendar.zone))
    yield made


def stable_id(key: str) -> str:
    """An event id that a key always has."""
    return "".join(shelf.BASE32[byte % 32] for byte in sha256(key.encode()).digest()[:26])
