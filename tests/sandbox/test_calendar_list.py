"""Lists of events, calendars and settings through Google's client."""

from typing import Any

import pytest
from googleapiclient.errors import HttpError

from tests.sandbox.test_calendar_events import error, insert, patch

FAR = {"timeMin": "2030-01-01T00:00:00Z", "timeMax": "2030-02-01T00:00:00Z"}


def day(title: str, date: str, until: str, **more: Any) -> dict[str, Any]:
    return {"summary": title, "description": "probe", "start": {"date": date}, "end": {"date": until}, **more}


def timed(title: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    return {"summary": title, "description": "probe", "start": {"dateTime": start}, "end": {"dateTime": end}, **more}


def listed(calendar: Any, **query: Any) -> dict[str, Any]:
    answer: dict[str, Any] = calendar.events().list(**{"calendarId": "primary", **query}).execute()
    return answer


def titles(calendar: Any, **query: Any) -> list[str]:
    return [item["summary"] for item in listed(calendar, **{"q": "probe", **query})["items"]]


def test_a_range_holds_what_ends_after_its_start_and_starts_before_its_end(calendar: Any) -> None:
    insert(calendar, timed("before", "2030-01-05T08:00:00Z", "2030-01-05T09:00:00Z"))
    insert(calendar, timed("into", "2030-01-05T08:00:00Z", "2030-01-05T09:00:01Z"))
    insert(calendar, timed("inside", "2030-01-05T10:00:00Z", "2030-01-05T10:30:00Z"))
    insert(calendar, timed("out of", "2030-01-05T10:59:59Z", "2030-01-05T13:00:00Z"))
    insert(calendar, timed("after", "2030-01-05T11:00:00Z", "2030-01-05T12:00:00Z"))
    insert(calendar, day("all day", "2030-01-05", "2030-01-06"))
    insert(calendar, day("the day before", "2030-01-04", "2030-01-05"))
    window = {"timeMin": "2030-01-05T09:00:00Z", "timeMax": "2030-01-05T11:00:00Z"}
    expected = ["all day", "into", "inside", "out of"]
    assert titles(calendar, singleEvents=True, orderBy="startTime", **window) == expected
    assert sorted(titles(calendar, **window)) == sorted(expected)


def test_a_day_begins_at_midnight_of_the_calendars_zone(calendar: Any) -> None:
    insert(calendar, day("day", "2030-01-05", "2030-01-06"))
    assert titles(calendar, timeMin="2030-01-04T22:00:00Z", timeMax="2030-01-04T23:00:00Z") == []
    assert titles(calendar, timeMin="2030-01-04T22:00:00Z", timeMax="2030-01-04T23:00:01Z") == ["day"]
    assert titles(calendar, timeMin="2030-01-05T23:00:00Z", timeMax="2030-01-06T09:00:00Z") == []


@pytest.mark.parametrize(
    ("query", "status", "reason"),
    [
        ({"orderBy": "startTime"}, 400, "invalid"),
        ({"timeMin": "2030-01-05"}, 400, "badRequest"),
        ({"timeMin": "2030-01-05T00:00:00"}, 400, "badRequest"),
        ({"timeMin": FAR["timeMax"], "timeMax": FAR["timeMin"]}, 400, "timeRangeEmpty"),
        ({"pageToken": "zzz"}, 400, "invalid"),
        ({"syncToken": "zzz"}, 410, "fullSyncRequired"),
        ({"syncToken": "zzz", "q": "x"}, 400, "badRequest"),
        ({"calendarId": "nobody@lumenworks.example"}, 404, "notFound"),
    ],
)
def test_what_cannot_be_listed_is_refused(calendar: Any, query: dict[str, Any], status: int, reason: str) -> None:
    assert error(calendar.events().list(**{"calendarId": "primary", **query}))[:2] == (status, reason)


def test_pages_hold_every_event_once(calendar: Any) -> None:
    for number in range(26):
        insert(
            calendar, timed(f"n{number:02}", f"2030-01-{number + 1:02}T08:00:00Z", f"2030-01-{number + 1:02}T09:00:00Z")
        )
    query = {**FAR, "singleEvents": True, "orderBy": "startTime", "maxResults": 10}
    found: list[str] = []
    request = calendar.events().list(calendarId="primary", **query)
    pages = 0
    while request is not None:
        answer = request.execute()
        found += [item["summary"] for item in answer["items"] if item["summary"].startswith("n")]
        pages += 1
        request = calendar.events().list_next(request, answer)
    assert found == [f"n{number:02}" for number in range(26)]
    assert pages > 2
    assert "nextSyncToken" in answer


@pytest.mark.parametrize("q", ["crème", "CREME brulee", "haus", "marta", "marta@brightparts.example", "dessert crème"])
def test_words_are_found_in_title_text_place_and_people_whatever_their_accents(calendar: Any, q: str) -> None:
    guests = [{"email": "marta@brightparts.example", "displayName": "Márta Silva"}]
    body = timed("Crème brûlée", "2030-01-05T08:00:00Z", "2030-01-05T09:00:00Z", attendees=guests)
    insert(calendar, {**body, "description": "A probe dessert", "location": "Haus 3"})
    assert titles(calendar, q=q, **FAR) == ["Crème brûlée"]
    assert titles(calendar, q=f"{q} tart", **FAR) == []


def test_the_order_of_change_puts_the_latest_last(calendar: Any) -> None:
    first = insert(calendar, day("a", "2030-01-05", "2030-01-06"))
    insert(calendar, day("b", "2030-01-04", "2030-01-05"))
    assert titles(calendar, orderBy="updated", **FAR) == ["a", "b"]
    patch(calendar, first, {"summary": "a2"})
    assert titles(calendar, orderBy="updated", **FAR) == ["b", "a2"]


def test_deleted_events_are_listed_on_demand(calendar: Any) -> None:
    event = insert(calendar, day("gone", "2030-01-05", "2030-01-06"))
    calendar.events().delete(calendarId="primary", eventId=event["id"]).execute()
    assert titles(calendar, **FAR) == []
    assert [item["status"] for item in listed(calendar, q="probe", showDeleted=True, **FAR)["items"]] == ["cancelled"]
    since = {"updatedMin": "2026-11-18T00:00:00Z"}
    assert [item["status"] for item in listed(calendar, q="probe", **FAR, **since)["items"]] == ["cancelled"]
    assert titles(calendar, updatedMin="2026-11-19T00:00:00Z", **FAR) == []


def test_a_sync_token_gives_what_has_changed_since(calendar: Any) -> None:
    kept = insert(calendar, day("kept", "2030-01-05", "2030-01-06"))
    token = listed(calendar, maxResults=2500)["nextSyncToken"]
    assert listed(calendar, syncToken=token)["items"] == []
    calendar.events().delete(calendarId="primary", eventId=kept["id"]).execute()
    new = insert(calendar, day("new", "2030-01-07", "2030-01-08"))
    changes = listed(calendar, syncToken=token)
    assert {item["id"]: item["status"] for item in changes["items"]} == {
        kept["id"]: "cancelled",
        new["id"]: "confirmed",
    }
    assert listed(calendar, syncToken=changes["nextSyncToken"])["items"] == []


def test_a_sync_of_single_events_gives_a_changed_instance_once(calendar: Any) -> None:
    token = listed(calendar, singleEvents=True, maxResults=2500)["nextSyncToken"]
    zoned = {"dateTime": "2030-01-05T10:00:00", "timeZone": "UTC"}
    event = insert(calendar, {"start": zoned, "end": zoned, "recurrence": ["RRULE:FREQ=DAILY;COUNT=3"]})
    patch(calendar, {"id": f"{event['id']}_20300106T100000Z"}, {"summary": "second"})
    changes = listed(calendar, singleEvents=True, syncToken=token)["items"]
    assert [(item["id"][-16:-8], item.get("summary")) for item in changes] == [
        ("20300105", None),
        ("20300106", "second"),
        ("20300107", None),
    ]


def test_ids_kinds_and_properties_narrow_a_list(calendar: Any) -> None:
    properties = {"extendedProperties": {"private": {"source": "crm"}, "shared": {"deal": "7"}}}
    event = insert(calendar, day("mine", "2030-01-05", "2030-01-06", **properties))
    insert(calendar, day("other", "2030-01-05", "2030-01-06"))
    assert titles(calendar, iCalUID=event["iCalUID"]) == ["mine"]
    assert titles(calendar, privateExtendedProperty="source=crm") == ["mine"]
    assert titles(calendar, sharedExtendedProperty="deal=8") == []
    assert titles(calendar, eventTypes="focusTime", q="") == ["Focus: write, do not talk"]


def test_without_expansion_a_series_is_one_item(calendar: Any) -> None:
    window = {"timeMin": "2026-11-16T00:00:00Z", "timeMax": "2026-11-21T00:00:00Z", "q": "stand-up fifteen"}
    [series] = listed(calendar, **window)["items"]
    assert series["recurrence"] == ["RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"]
    assert len(listed(calendar, singleEvents=True, **window)["items"]) == 5


def test_the_list_says_whose_calendar_it_is(calendar: Any) -> None:
    answer = listed(calendar, **FAR)
    assert {name: answer[name] for name in ("kind", "summary", "timeZone", "accessRole", "defaultReminders")} == {
        "kind": "calendar#events",
        "summary": "Sam Okafor",
        "timeZone": "Europe/Berlin",
        "accessRole": "owner",
        "defaultReminders": [{"method": "popup", "minutes": 10}],
    }


def test_calendars_are_listed_with_roles_and_in_pages(calendar: Any) -> None:
    items = calendar.calendarList().list().execute()["items"]
    assert [(item["summary"], item["accessRole"], item.get("primary", False)) for item in items] == [
        ("Sam Okafor", "owner", True),
        ("Lumenworks team", "reader", False),
        ("Company holidays", "reader", False),
        ("Ana Ruiz", "freeBusyReader", False),
        ("Kenji Mori", "freeBusyReader", False),
        ("Lena Vogt", "freeBusyReader", False),
    ]
    first = calendar.calendarList().list(maxResults=4).execute()
    second = calendar.calendarList().list(maxResults=4, pageToken=first["nextPageToken"]).execute()
    assert first["items"] + second["items"] == items
    assert len(calendar.calendarList().list(minAccessRole="reader").execute()["items"]) == 3


def test_one_calendar_by_its_id_or_as_primary(calendar: Any) -> None:
    entry = calendar.calendarList().get(calendarId="kenji@lumenworks.example").execute()
    assert (entry["timeZone"], entry["accessRole"]) == ("Asia/Tokyo", "freeBusyReader")
    assert calendar.calendars().get(calendarId="primary").execute()["id"] == "sam@lumenworks.example"
    with pytest.raises(HttpError, match="Not Found"):
        calendar.calendars().get(calendarId="nobody@lumenworks.example").execute()


def test_settings_name_the_zone(calendar: Any) -> None:
    assert calendar.settings().get(setting="timezone").execute()["value"] == "Europe/Berlin"
    names = [item["id"] for item in calendar.settings().list().execute()["items"]]
    assert "weekStart" in names
    with pytest.raises(HttpError, match="Not Found"):
        calendar.settings().get(setting="mood").execute()
