"""Recurring events: wall-clock time, exceptions, days of a clock change."""

from typing import Any

import pytest
from googleapiclient.errors import HttpError

from tests.sandbox.test_calendar_events import get, insert, patch


def series(start: str, end: str, zone: str, *lines: str) -> dict[str, Any]:
    return {
        "summary": "Series",
        "start": {"dateTime": start, "timeZone": zone},
        "end": {"dateTime": end, "timeZone": zone},
        "recurrence": list(lines),
    }


def starts(calendar: Any, event: dict[str, Any], **more: Any) -> list[str]:
    answer = calendar.events().instances(calendarId="primary", eventId=event["id"], **more).execute()
    return [item["start"].get("dateTime") or item["start"]["date"] for item in answer["items"]]


@pytest.mark.parametrize(
    ("zone", "first", "expected"),
    [
        (
            "Europe/Berlin",
            "2026-10-24T09:00:00",
            ["2026-10-24T09:00:00+02:00", "2026-10-25T09:00:00+01:00", "2026-10-26T09:00:00+01:00"],
        ),
        (
            "America/Los_Angeles",
            "2026-10-31T20:20:00",
            ["2026-10-31T20:20:00-07:00", "2026-11-01T20:20:00-08:00", "2026-11-02T20:20:00-08:00"],
        ),
        (
            "Europe/Berlin",
            "2026-03-28T02:30:00",
            ["2026-03-28T02:30:00+01:00", "2026-03-29T03:30:00+02:00", "2026-03-30T02:30:00+02:00"],
        ),
    ],
)
def test_a_series_keeps_the_wall_clock_over_a_clock_change(
    calendar: Any, zone: str, first: str, expected: list[str]
) -> None:
    event = insert(calendar, series(first, first, zone, "RRULE:FREQ=DAILY;COUNT=3"))
    assert starts(calendar, event, timeZone=zone) == expected


def test_instances_are_named_by_their_start_in_utc(calendar: Any) -> None:
    event = insert(
        calendar, series("2026-12-01T10:00:00", "2026-12-01T11:00:00", "Europe/Berlin", "RRULE:FREQ=WEEKLY;COUNT=2")
    )
    items = calendar.events().instances(calendarId="primary", eventId=event["id"]).execute()["items"]
    assert [item["id"] for item in items] == [f"{event['id']}_20261201T090000Z", f"{event['id']}_20261208T090000Z"]
    assert items[0]["recurringEventId"] == event["id"]
    assert items[0]["originalStartTime"] == {"dateTime": "2026-12-01T10:00:00+01:00", "timeZone": "Europe/Berlin"}
    assert "recurrence" not in items[0]
    assert get(calendar, items[1])["start"]["dateTime"] == "2026-12-08T10:00:00+01:00"


def test_a_series_of_days(calendar: Any) -> None:
    body = {
        "start": {"date": "2026-12-24"},
        "end": {"date": "2026-12-26"},
        "recurrence": ["RRULE:FREQ=YEARLY;UNTIL=20281224", "EXDATE;VALUE=DATE:20271224"],
    }
    event = insert(calendar, body)
    items = calendar.events().instances(calendarId="primary", eventId=event["id"]).execute()["items"]
    assert [(item["id"][-8:], item["end"]["date"]) for item in items] == [
        ("20261224", "2026-12-26"),
        ("20281224", "2028-12-26"),
    ]


@pytest.mark.parametrize(
    ("lines", "days"),
    [
        (["RRULE:FREQ=WEEKLY;BYDAY=TU,TH;COUNT=3"], ["12-01", "12-03", "12-08"]),
        (["RRULE:FREQ=DAILY;UNTIL=20261203T080000Z"], ["12-01", "12-02", "12-03"]),
        (["RRULE:FREQ=DAILY;UNTIL=20261203T075959Z"], ["12-01", "12-02"]),
        (["RRULE:FREQ=DAILY;UNTIL=20261203"], ["12-01", "12-02", "12-03"]),
        (["RRULE:FREQ=MONTHLY;BYDAY=1TU;COUNT=2"], ["12-01", "01-05"]),
        (["RRULE:FREQ=DAILY;COUNT=3", "EXDATE;TZID=Europe/Berlin:20261202T090000"], ["12-01", "12-03"]),
        (["RRULE:FREQ=DAILY;COUNT=3", "EXDATE:20261202T080000Z,20261203T080000Z"], ["12-01"]),
        (["RDATE;TZID=Asia/Tokyo:20261205T170000"], ["12-01", "12-05"]),
    ],
)
def test_rules_are_read_in_the_zone_of_the_series(calendar: Any, lines: list[str], days: list[str]) -> None:
    event = insert(calendar, series("2026-12-01T09:00:00", "2026-12-01T09:30:00", "Europe/Berlin", *lines))
    found = starts(calendar, event)
    assert [start[5:10] for start in found] == days
    assert {start[11:] for start in found} == {"09:00:00+01:00"}


def test_one_instance_moves_alone_and_keeps_its_name(calendar: Any) -> None:
    event = insert(
        calendar, series("2026-12-01T09:00:00", "2026-12-01T10:00:00", "Europe/Berlin", "RRULE:FREQ=DAILY;COUNT=3")
    )
    second = {"id": f"{event['id']}_20261202T080000Z"}
    moved = patch(
        calendar,
        second,
        {"start": {"dateTime": "2026-12-09T15:00:00"}, "end": {"dateTime": "2026-12-09T16:00:00"}, "summary": "Moved"},
    )
    assert moved["id"] == second["id"]
    assert moved["originalStartTime"]["dateTime"] == "2026-12-02T09:00:00+01:00"
    assert [start[5:16] for start in starts(calendar, event)] == ["12-01T09:00", "12-03T09:00", "12-09T15:00"]
    only = starts(calendar, event, originalStart="2026-12-02T09:00:00+01:00")
    assert only == ["2026-12-09T15:00:00+01:00"]
    window = {"timeMin": "2026-12-02T00:00:00Z", "timeMax": "2026-12-03T00:00:00Z"}
    assert starts(calendar, event, **window) == []


def test_one_instance_can_be_deleted_and_leaves_a_hole(calendar: Any) -> None:
    event = insert(
        calendar, series("2026-12-01T09:00:00", "2026-12-01T10:00:00", "Europe/Berlin", "RRULE:FREQ=DAILY;COUNT=3")
    )
    delete = calendar.events().delete(calendarId="primary", eventId=f"{event['id']}_20261202T080000Z")
    delete.execute()
    with pytest.raises(HttpError, match="Resource has been deleted"):
        delete.execute()
    assert [start[8:10] for start in starts(calendar, event)] == ["01", "03"]
    assert [start[8:10] for start in starts(calendar, event, showDeleted=True)] == ["01", "02", "03"]
    raw = calendar.events().list(calendarId="primary", timeMin="2026-12-02T00:00:00Z", timeMax="2026-12-03T00:00:00Z")
    holes = [item for item in raw.execute()["items"] if item["status"] == "cancelled"]
    assert [hole["recurringEventId"] for hole in holes] == [event["id"]]


def test_deleting_the_series_deletes_all_of_it(calendar: Any) -> None:
    event = insert(
        calendar, series("2026-12-01T09:00:00", "2026-12-01T10:00:00", "Europe/Berlin", "RRULE:FREQ=DAILY;COUNT=3")
    )
    patch(calendar, {"id": f"{event['id']}_20261202T080000Z"}, {"summary": "Other"})
    calendar.events().delete(calendarId="primary", eventId=event["id"]).execute()
    assert starts(calendar, event) == []
    assert get(calendar, {"id": f"{event['id']}_20261201T080000Z"})["status"] == "cancelled"


def test_a_series_with_another_rhythm_forgets_exceptions_that_have_no_place(calendar: Any) -> None:
    event = insert(
        calendar, series("2026-12-01T09:00:00", "2026-12-01T10:00:00", "Europe/Berlin", "RRULE:FREQ=DAILY;COUNT=4")
    )
    for day in ("02", "03"):
        patch(calendar, {"id": f"{event['id']}_202612{day}T080000Z"}, {"summary": f"Other {day}"})
    patch(calendar, event, {"recurrence": ["RRULE:FREQ=DAILY;INTERVAL=2;COUNT=2"]})
    items = calendar.events().instances(calendarId="primary", eventId=event["id"]).execute()["items"]
    assert [item["summary"] for item in items] == ["Series", "Other 03"]


def test_an_instance_that_the_series_does_not_have_is_not_found(calendar: Any) -> None:
    event = insert(calendar, series("2026-12-01T09:00:00", "2026-12-01T10:00:00", "Europe/Berlin", "RRULE:FREQ=WEEKLY"))
    for tail in ("20261202T080000Z", "20269999T080000Z", "20261201"):
        with pytest.raises(HttpError, match="Not Found"):
            get(calendar, {"id": f"{event['id']}_{tail}"})


def test_an_endless_series_fills_any_window_and_stops_in_an_open_one(calendar: Any) -> None:
    event = insert(calendar, series("2026-12-01T09:00:00", "2026-12-01T10:00:00", "Europe/Berlin", "RRULE:FREQ=WEEKLY"))
    assert len(starts(calendar, event, timeMin="2036-01-01T00:00:00Z", timeMax="2036-02-01T00:00:00Z")) == 5
    assert 100 < len(starts(calendar, event)) < 110


def test_a_series_needs_a_zone(calendar: Any) -> None:
    body = {
        "start": {"dateTime": "2026-12-01T09:00:00Z"},
        "end": {"dateTime": "2026-12-01T10:00:00Z"},
        "recurrence": ["RRULE:FREQ=DAILY"],
    }
    with pytest.raises(HttpError, match="Missing time zone definition"):
        insert(calendar, body)


def test_instances_of_a_single_event_are_refused(calendar: Any) -> None:
    event = insert(calendar, {"start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}})
    with pytest.raises(HttpError, match="not recurring"):
        starts(calendar, event)


def test_a_rule_of_a_thousand_years_is_as_good_as_endless(calendar: Any) -> None:
    for end in ("UNTIL=99991231T000000Z", "COUNT=900000"):
        rule = f"RRULE:FREQ=DAILY;{end}"
        event = insert(calendar, series("2026-12-01T09:00:00", "2026-12-01T10:00:00", "Europe/Berlin", rule))
        assert 700 < len(starts(calendar, event, maxResults=2500)) < 740
