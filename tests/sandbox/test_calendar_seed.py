"""The seeded calendar: sensible on any day, moved with time, careful with what was changed."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from googleapiclient.discovery import build

from core.sandbox.calendar import ROUTES, seed
from core.sandbox.calendar.times import zone_text
from core.sandbox.routes import Router
from core.sandbox.transport import SandboxHttp
from core.sandbox.world import World
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.test_calendar_events import insert, patch

ZONES = ("America/Los_Angeles", "UTC")
WEEK = [date(2026, 11, 23) + timedelta(days=number) for number in range(7)]


def opened(path: Path, today: date, zone: str = "Europe/Berlin") -> Any:
    noon = datetime(today.year, today.month, today.day, 12, tzinfo=ZoneInfo(zone))
    world = World(path, zone)
    world.create()
    seed(world, today)
    http = SandboxHttp(world, Router(ROUTES), SANDBOX_ACCOUNT, lambda: noon)
    return build("calendar", "v3", http=http, cache_discovery=False, static_discovery=True)


def midnight(day: date, zone: str) -> str:
    return zone_text(datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)), ZoneInfo(zone))


def events(calendar: Any, first: date, days: int, zone: str = "Europe/Berlin", **more: Any) -> list[dict[str, Any]]:
    window = {"timeMin": midnight(first, zone), "timeMax": midnight(first + timedelta(days=days), zone)}
    query = {
        "calendarId": "primary",
        "singleEvents": True,
        "orderBy": "startTime",
        "maxResults": 2500,
        **window,
        **more,
    }
    found: list[dict[str, Any]] = calendar.events().list(**query).execute()["items"]
    return found


@pytest.mark.parametrize(("today", "zone"), [*((day, "Europe/Berlin") for day in WEEK), *((WEEK[4], z) for z in ZONES)])
def test_every_day_around_today_has_something_and_every_working_day_a_gap(
    tmp_path: Path, today: date, zone: str
) -> None:
    calendar = opened(tmp_path / "w.db", today, zone)
    first = today - timedelta(days=7)
    own = ZoneInfo(zone)
    timed = [item for item in events(calendar, first, 28, zone, timeZone=zone) if "dateTime" in item["start"]]
    body = {"timeMin": midnight(first, zone), "timeMax": midnight(first + timedelta(days=28), zone), "timeZone": zone}
    query = calendar.freebusy().query(body={**body, "items": [{"id": "primary"}]})
    busy = query.execute()["calendars"]["primary"]["busy"]
    spans = [(datetime.fromisoformat(item["start"]), datetime.fromisoformat(item["end"])) for item in busy]
    for number in range(28):
        day = first + timedelta(days=number)
        found = [item["summary"] for item in timed if item["start"]["dateTime"].startswith(str(day))]
        assert len(found) >= (2 if day.weekday() < 5 else 1), (day, found)
        start, end = (datetime(day.year, day.month, day.day, hour, tzinfo=own) for hour in (9, 17))
        assert longest_gap(spans, start, end) >= timedelta(hours=1), day


def longest_gap(spans: list[tuple[datetime, datetime]], start: datetime, end: datetime) -> timedelta:
    inside = [(max(low, start), min(high, end)) for low, high in spans if low < end and high > start]
    edges = [start, *(edge for span in inside for edge in span), end]
    return max(high - low for low, high in zip(edges[::2], edges[1::2], strict=True))


def test_the_seed_holds_what_a_calendar_holds(calendar: Any) -> None:
    stored = calendar.events().list(calendarId="primary", maxResults=2500).execute()["items"]
    singles = events(calendar, date(2026, 9, 21), 7 * 17)
    assert len(stored) >= 50
    mine = [
        next((guest["responseStatus"] for guest in item.get("attendees", []) if guest.get("self")), "")
        for item in singles
    ]
    assert {"accepted", "declined", "tentative", "needsAction"} <= set(mine)
    assert {item["status"] for item in stored} == {"confirmed", "tentative", "cancelled"}
    assert {"focusTime", "default"} == {item["eventType"] for item in stored if "eventType" in item}
    assert any(item["start"].get("timeZone") == "Asia/Tokyo" for item in singles)
    assert any(item.get("visibility") == "private" for item in singles)
    assert any("hangoutLink" in item for item in singles)
    assert any("date" in item["start"] and span_days(item) > 1 for item in singles)
    assert any(item["id"].endswith("Z") and "moved" in item["summary"] for item in singles)
    assert {guest["email"] for item in singles for guest in item.get("attendees", [])} >= {
        "ana@lumenworks.example",
        "marta@brightparts.example",
        "omar@northgrid.example",
    }


def span_days(item: dict[str, Any]) -> int:
    return (date.fromisoformat(item["end"]["date"]) - date.fromisoformat(item["start"]["date"])).days


@pytest.mark.parametrize("today", WEEK)
def test_the_story_lines_lie_ahead(tmp_path: Path, today: date) -> None:
    calendar = opened(tmp_path / "w.db", today)
    [invoice] = events(calendar, today + timedelta(days=1), 7, q="invoice 2041")
    assert date.fromisoformat(invoice["start"]["date"]).strftime("%a") == "Fri"
    [review] = events(calendar, today + timedelta(days=1), 7, q="ロードマップ")
    assert review["organizer"]["email"] == "kenji@lumenworks.example"
    assert len(events(calendar, today, 60, q="offsite")) == 2


def test_a_week_later_the_seed_has_moved_and_what_was_changed_has_not(tmp_path: Path) -> None:
    today = date(2026, 11, 18)
    calendar = opened(tmp_path / "w.db", today)
    before = {item["id"]: item for item in events(calendar, today - timedelta(days=70), 140)}
    own = insert(calendar, {"summary": "Own", "start": {"date": "2026-11-19"}, "end": {"date": "2026-11-20"}})
    lunch = next(item for item in before.values() if item["summary"] == "Lunch with Priya")
    patch(calendar, lunch, {"summary": "Lunch with Priya and Tom"})
    yoga = next(item for item in before.values() if item["summary"] == "Office yoga")
    calendar.events().delete(calendarId="primary", eventId=yoga["id"]).execute()
    crit = next(item for item in before.values() if item["summary"] == "Design critique")
    patch(calendar, crit, {"location": "Roof"})

    later = opened(tmp_path / "w.db", today + timedelta(days=7))
    after = {item["id"]: item for item in events(later, today - timedelta(days=70), 160)}
    assert after[own["id"]]["start"] == own["start"]
    assert after[lunch["id"]]["start"] == lunch["start"]
    assert after[lunch["id"]]["summary"] == "Lunch with Priya and Tom"
    assert yoga["id"] not in after
    assert after[crit["id"]]["location"] == "Roof"
    packaging = next(item for item in before.values() if item["summary"] == "Packaging samples")
    moved = after[packaging["id"]]["start"]["dateTime"]
    assert datetime.fromisoformat(moved) - datetime.fromisoformat(packaging["start"]["dateTime"]) == timedelta(days=7)
    assert len(after) >= len(before) - 10


def test_another_zone_moves_the_seed_to_its_own_mornings(tmp_path: Path) -> None:
    today = date(2026, 11, 18)
    opened(tmp_path / "w.db", today, "Europe/Berlin")
    calendar = opened(tmp_path / "w.db", today, "America/Los_Angeles")
    [standup] = events(calendar, today, 1, "America/Los_Angeles", q="stand-up fifteen")
    assert standup["start"]["dateTime"] == "2026-11-18T09:15:00-08:00"
    assert calendar.settings().get(setting="timezone").execute()["value"] == "America/Los_Angeles"


def test_colleagues_are_busy_now_and_then(calendar: Any) -> None:
    names = [f"{name}@lumenworks.example" for name in ("ana", "kenji", "lena", "priya", "tom", "chloe")]
    start = datetime(2026, 11, 23, tzinfo=UTC)
    body = {
        "timeMin": start.isoformat(),
        "timeMax": (start + timedelta(days=5)).isoformat(),
        "items": [{"id": name} for name in names],
    }
    found = calendar.freebusy().query(body=body).execute()["calendars"]
    assert all(3 <= len(found[name]["busy"]) <= 30 for name in names)
