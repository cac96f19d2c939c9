"""The persona's calendars at the start: read from data/sandbox/calendar, dated around today."""

from datetime import date
from pathlib import Path
from typing import Any

import yaml
from sqlmodel import Session

from core.sandbox.calendar.tables import AccessRow, CalendarRow
from core.sandbox.world import World
from core.settings import ROOT
from core.users import SANDBOX_ACCOUNT

FILES = ROOT / "data" / "sandbox" / "calendar"


def seed(world: World, today: date) -> None:
    """Bring the seed up to a day: unchanged seeded rows move, changed and own ones stay."""
    with world.change() as session:
        for position, entry in enumerate(read(FILES / "calendars.yaml")):
            put_calendar(session, entry, position, world.zone)


def read(path: Path) -> list[dict[str, Any]]:
    """A seed file's entries."""
    entries: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return entries


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
