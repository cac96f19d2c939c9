"""Free/busy through Google's client."""

from typing import Any

import pytest
from googleapiclient.errors import HttpError

from tests.sandbox.test_calendar_events import insert, patch

ANA = "ana@lumenworks.example"
DAY = {"timeMin": "2030-01-05T00:00:00Z", "timeMax": "2030-01-06T00:00:00Z"}


def busy(calendar: Any, *names: str, **more: Any) -> dict[str, Any]:
    body = {**DAY, "items": [{"id": name} for name in names], **more}
    found: dict[str, Any] = calendar.freebusy().query(body=body).execute()["calendars"]
    return found


def hours(start: str, end: str, **more: Any) -> dict[str, Any]:
    times = {"start": {"dateTime": f"2030-01-05T{start}:00Z"}, "end": {"dateTime": f"2030-01-05T{end}:00Z"}}
    return {**times, **more}


def spans(calendar: Any, name: str = "primary", **more: Any) -> list[tuple[str, str]]:
    return [(item["start"][11:16], item["end"][11:16]) for item in busy(calendar, name, **more)[name]["busy"]]


def test_busy_times_are_joined_and_cut_to_the_range(calendar: Any) -> None:
    for start, end in (("14:00", "15:00"), ("14:30", "16:00"), ("16:00", "16:30"), ("20:00", "21:00")):
        insert(calendar, hours(start, end))
    assert ("14:00", "16:30") in spans(calendar)
    cut = {"timeMin": "2030-01-05T14:15:00Z", "timeMax": "2030-01-05T20:30:00Z"}
    assert spans(calendar, **cut) == [("14:15", "16:30"), ("20:00", "20:30")]


def test_what_is_free_declined_or_deleted_takes_no_time(calendar: Any) -> None:
    before = spans(calendar)
    me = "sam@lumenworks.example"
    insert(calendar, hours("18:00", "19:00", transparency="transparent"))
    insert(calendar, hours("18:00", "19:00", attendees=[{"email": me, "responseStatus": "declined"}]))
    event = insert(calendar, hours("18:00", "19:00"))
    assert spans(calendar) != before
    calendar.events().delete(calendarId="primary", eventId=event["id"]).execute()
    assert spans(calendar) == before


def test_a_guest_is_busy_until_they_decline(calendar: Any) -> None:
    event = insert(calendar, hours("18:00", "19:00", attendees=[{"email": ANA}]))
    assert ("18:00", "19:00") in spans(calendar, ANA)
    patch(calendar, event, {"attendees": [{"email": ANA, "responseStatus": "declined"}]})
    assert ("18:00", "19:00") not in spans(calendar, ANA)


def test_a_whole_day_is_busy_in_the_calendars_zone(calendar: Any) -> None:
    insert(calendar, {"start": {"date": "2030-01-05"}, "end": {"date": "2030-01-06"}})
    found = busy(calendar, "primary", timeMin="2030-01-04T12:00:00Z", timeZone="Europe/Berlin")["primary"]["busy"]
    assert found[-1] == {"start": "2030-01-05T00:00:00+01:00", "end": "2030-01-06T00:00:00+01:00"}


def test_a_moved_occurrence_is_busy_where_it_went(calendar: Any) -> None:
    rule = {"recurrence": ["RRULE:FREQ=DAILY;COUNT=2"]}
    zoned = {
        "start": {"dateTime": "2030-01-05T18:00:00", "timeZone": "UTC"},
        "end": {"dateTime": "2030-01-05T19:00:00", "timeZone": "UTC"},
    }
    event = insert(calendar, {**zoned, **rule})
    patch(calendar, {"id": f"{event['id']}_20300105T180000Z"}, hours("21:00", "22:00"))
    found = spans(calendar)
    assert ("21:00", "22:00") in found
    assert ("18:00", "19:00") not in found


def test_a_calendar_that_cannot_be_seen_says_so_beside_the_others(calendar: Any) -> None:
    found = busy(calendar, "primary", "stranger@x.example")
    assert found["stranger@x.example"] == {"errors": [{"domain": "global", "reason": "notFound"}], "busy": []}
    assert "errors" not in found["primary"]
    assert (
        busy(calendar, "primary", ANA, calendarExpansionMax=1)[ANA]["errors"][0]["reason"]
        == "tooManyCalendarsRequested"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"timeMin": None}, "Missing timeMin parameter."),
        ({"timeMax": "2029-01-01T00:00:00Z"}, "The specified time range is empty."),
        ({"timeMax": "tomorrow"}, "Bad Request"),
        ({"timeZone": "Mars/One"}, "Invalid time zone"),
    ],
)
def test_a_range_that_makes_no_sense_is_refused(calendar: Any, change: dict[str, Any], message: str) -> None:
    with pytest.raises(HttpError, match=message) as caught:
        busy(calendar, "primary", **change)
    assert caught.value.resp.status == 400
