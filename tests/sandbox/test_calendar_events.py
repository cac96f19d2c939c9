"""Single events through Google's client: made, changed, deleted."""

from typing import Any

import pytest
from googleapiclient.errors import HttpError

from core.sandbox.calendar.notices import sent
from core.sandbox.sandbox import Sandbox

NOON = {"dateTime": "2026-11-20T12:00:00", "timeZone": "Europe/Berlin"}
ONE = {"dateTime": "2026-11-20T13:00:00", "timeZone": "Europe/Berlin"}
LUNCH = {"summary": "Lunch", "start": NOON, "end": ONE}
DAYS = {"start": {"date": "2026-08-27"}, "end": {"date": "2026-08-28"}}
MEET = {"conferenceData": {"createRequest": {"requestId": "r1", "conferenceSolutionKey": {"type": "hangoutsMeet"}}}}


def insert(calendar: Any, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = calendar.events().insert(calendarId="primary", body=body, **more).execute()
    return made


def get(calendar: Any, event: dict[str, Any], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = calendar.events().get(calendarId="primary", eventId=event["id"], **more).execute()
    return found


def patch(calendar: Any, event: dict[str, Any], body: dict[str, Any], **more: Any) -> dict[str, Any]:
    request = calendar.events().patch(calendarId="primary", eventId=event["id"], body=body, **more)
    patched: dict[str, Any] = request.execute()
    return patched


def error(request: Any) -> tuple[int, str, str]:
    with pytest.raises(HttpError) as caught:
        request.execute()
    return caught.value.resp.status, caught.value.error_details[0]["reason"], caught.value.reason


def test_a_new_event_comes_back_as_google_gives_it(calendar: Any) -> None:
    event = insert(calendar, LUNCH)
    assert event == get(calendar, event)
    assert event == {
        "kind": "calendar#event",
        "etag": event["etag"],
        "id": event["id"],
        "status": "confirmed",
        "htmlLink": event["htmlLink"],
        "created": "2026-11-18T09:30:00Z",
        "updated": "2026-11-18T09:30:00Z",
        "summary": "Lunch",
        "creator": {"email": "sam@lumenworks.example", "self": True},
        "organizer": {"email": "sam@lumenworks.example", "self": True},
        "start": {"dateTime": "2026-11-20T12:00:00+01:00", "timeZone": "Europe/Berlin"},
        "end": {"dateTime": "2026-11-20T13:00:00+01:00", "timeZone": "Europe/Berlin"},
        "iCalUID": f"{event['id']}@google.com",
        "sequence": 0,
        "reminders": {"useDefault": True},
        "eventType": "default",
    }


def test_times_are_given_in_the_calendars_zone_or_the_one_asked_for(calendar: Any) -> None:
    event = insert(calendar, {"start": {"dateTime": "2026-11-20T18:00:00+09:00", "timeZone": "Asia/Tokyo"}, "end": ONE})
    assert event["start"] == {"dateTime": "2026-11-20T10:00:00+01:00", "timeZone": "Asia/Tokyo"}
    assert get(calendar, event, timeZone="America/Los_Angeles")["start"]["dateTime"] == "2026-11-20T01:00:00-08:00"
    assert get(calendar, event, timeZone="UTC")["start"]["dateTime"] == "2026-11-20T09:00:00Z"
    assert error(calendar.events().get(calendarId="primary", eventId=event["id"], timeZone="Mars/One"))[0] == 400


def test_days_are_never_moved_by_a_zone(calendar: Any) -> None:
    event = insert(calendar, DAYS)
    assert get(calendar, event, timeZone="Pacific/Auckland")["start"] == {"date": "2026-08-27"}
    assert event["end"] == {"date": "2026-08-28"}


@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        ({"start": NOON}, "required", "Missing end time."),
        ({"end": ONE}, "required", "Missing start time."),
        ({"start": ONE, "end": NOON}, "timeRangeEmpty", "The specified time range is empty."),
        ({"start": DAYS["start"], "end": DAYS["start"]}, "timeRangeEmpty", "The specified time range is empty."),
        (
            {"start": DAYS["start"], "end": ONE},
            "invalid",
            "Start and end times must either both be date or both be dateTime.",
        ),
        (
            {"start": {"dateTime": "2026-11-20T12:00:00"}, "end": ONE},
            "required",
            "Missing time zone definition for start time.",
        ),
        (
            {**LUNCH, "start": {"dateTime": "2026-11-20T12:00:00", "timeZone": "Nowhere"}},
            "invalid",
            "Invalid time zone definition for start time.",
        ),
        ({**LUNCH, "start": {"dateTime": "noon"}}, "invalid", "Invalid start time."),
        ({**LUNCH, "start": {**NOON, "date": "2026-11-20"}}, "invalid", "Invalid start time."),
        ({**LUNCH, "attendees": [{"email": "Ana"}]}, "invalid", "Invalid attendee email."),
        ({**LUNCH, "attendees": "ana"}, "parseError", "Parse Error"),
        ({**LUNCH, "recurrence": ["RRULE:FREQ=OFTEN"]}, "invalid", "Invalid recurrence rule."),
        ({**LUNCH, "recurrence": ["FREQ=DAILY"]}, "invalid", "Invalid recurrence rule."),
        ({**LUNCH, "recurrence": ["RRULE:FREQ=SECONDLY"]}, "invalid", "Invalid recurrence rule."),
        ({**LUNCH, "visibility": "secret"}, "invalid", "Invalid value for: secret"),
        ({**LUNCH, "colorId": "12"}, "invalid", "Invalid value for: 12"),
        ({**LUNCH, "id": "Not-Base32"}, "invalid", "Invalid resource id value."),
        (
            {**LUNCH, "reminders": {"useDefault": True, "overrides": [{"method": "popup", "minutes": 5}]}},
            "cannotUseDefaultRemindersAndSpecifyOverride",
            "Cannot specify both default reminders and overrides at the same time.",
        ),
        (
            {**LUNCH, "reminders": {"useDefault": False, "overrides": [{"method": "popup", "minutes": 40321}]}},
            "invalid",
            "Invalid reminder override.",
        ),
    ],
)
def test_what_google_refuses_is_refused(calendar: Any, body: dict[str, Any], reason: str, message: str) -> None:
    assert error(calendar.events().insert(calendarId="primary", body=body)) == (400, reason, message)


def test_an_id_of_ones_own_can_be_used_once(calendar: Any) -> None:
    assert insert(calendar, {**LUNCH, "id": "lunch2026"})["id"] == "lunch2026"
    request = calendar.events().insert(calendarId="primary", body={**LUNCH, "id": "lunch2026"})
    assert error(request) == (409, "duplicate", "The requested identifier already exists.")


def test_guests_are_invited_and_the_organizer_comes(calendar: Any) -> None:
    guests = [{"email": "sam@lumenworks.example"}, {"email": "ana@lumenworks.example", "optional": True}]
    assert insert(calendar, {**LUNCH, "attendees": guests})["attendees"] == [
        {"email": "sam@lumenworks.example", "responseStatus": "accepted", "self": True, "organizer": True},
        {"email": "ana@lumenworks.example", "optional": True, "responseStatus": "needsAction"},
    ]


def test_above_the_limit_only_the_reader_is_listed(calendar: Any) -> None:
    guests = [{"email": f"{name}@lumenworks.example"} for name in ("sam", "ana", "tom")]
    event = get(calendar, insert(calendar, {**LUNCH, "attendees": guests}), maxAttendees=2)
    assert [guest["email"] for guest in event["attendees"]] == ["sam@lumenworks.example"]
    assert event["attendeesOmitted"] is True


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, []),
        ({"sendUpdates": "none"}, []),
        ({"sendUpdates": "all"}, [["ana@lumenworks.example", "marta@brightparts.example"]] * 3),
        ({"sendUpdates": "externalOnly"}, [["marta@brightparts.example"]] * 3),
        ({"sendNotifications": True}, [["ana@lumenworks.example", "marta@brightparts.example"]] * 3),
    ],
)
def test_guests_are_told_only_when_the_request_says_so(
    sandbox: Sandbox, calendar: Any, options: dict[str, Any], told: list[list[str]]
) -> None:
    guests = [
        {"email": mail} for mail in ("sam@lumenworks.example", "ana@lumenworks.example", "marta@brightparts.example")
    ]
    event = insert(calendar, {**LUNCH, "attendees": guests}, **options)
    patch(calendar, event, {"summary": "Late lunch"}, **options)
    calendar.events().delete(calendarId="primary", eventId=event["id"], **options).execute()
    notices = sent(sandbox.world)
    assert [notice.recipients for notice in notices] == told
    assert [notice.what for notice in notices] == ["created", "updated", "cancelled"][: len(told)]


def test_a_wrong_send_updates_changes_nothing(calendar: Any) -> None:
    http = calendar.events().insert(calendarId="primary", body=LUNCH)
    http.uri += "&sendUpdates=some"
    assert error(http)[0] == 400
    assert (
        calendar.events().list(calendarId="primary", q="lunch", timeMin="2026-11-20T00:00:00Z").execute()["items"] == []
    )


def test_changing_the_title_changes_nothing_else(calendar: Any) -> None:
    body = {
        **LUNCH,
        **MEET,
        "recurrence": ["RRULE:FREQ=WEEKLY"],
        "attendees": [{"email": f"{name}@lumenworks.example", "responseStatus": "accepted"} for name in ("ana", "tom")],
        "reminders": {"useDefault": False, "overrides": [{"method": "popup", "minutes": 15}]},
        "description": "Noodles",
    }
    event = insert(calendar, body, conferenceDataVersion=1)
    changing = {"summary", "etag", "sequence"}
    patched = patch(calendar, event, {"summary": "Dinner"})
    assert {key: value for key, value in patched.items() if key not in changing} == {
        key: value for key, value in event.items() if key not in changing
    }
    assert patched["summary"] == "Dinner"
    assert patched["hangoutLink"].startswith("https://meet.google.com/")


def test_a_put_drops_what_it_leaves_out_except_the_conference(calendar: Any) -> None:
    event = insert(calendar, {**LUNCH, **MEET, "location": "Here"}, conferenceDataVersion=1)
    update = calendar.events().update
    replaced = update(calendarId="primary", eventId=event["id"], body={"start": NOON, "end": ONE}).execute()
    assert "location" not in replaced
    assert "summary" not in replaced
    assert replaced["hangoutLink"] == event["hangoutLink"]
    assert error(update(calendarId="primary", eventId=event["id"], body={"summary": "x"})) == (
        400,
        "required",
        "Missing end time.",
    )


def test_lists_are_replaced_and_null_removes_by_patch(calendar: Any) -> None:
    event = insert(calendar, {**LUNCH, "location": "Here", "attendees": [{"email": "ana@lumenworks.example"}]})
    patched = patch(calendar, event, {"location": None, "attendees": [{"email": "tom@lumenworks.example"}]})
    assert "location" not in patched
    assert [guest["email"] for guest in patched["attendees"]] == ["tom@lumenworks.example"]
    assert "attendees" not in patch(calendar, event, {"attendees": []})


def test_an_all_day_event_becomes_timed_when_its_date_is_cleared(calendar: Any) -> None:
    event = insert(calendar, DAYS)
    times = {name: {**when, "date": None} for name, when in (("start", NOON), ("end", ONE))}
    assert patch(calendar, event, times)["start"] == {
        "dateTime": "2026-11-20T12:00:00+01:00",
        "timeZone": "Europe/Berlin",
    }
    request = calendar.events().patch(calendarId="primary", eventId=insert(calendar, DAYS)["id"], body={"start": NOON})
    assert error(request)[2] == "Invalid start time."


def test_a_patched_start_without_a_zone_keeps_the_events_zone(calendar: Any) -> None:
    event = insert(calendar, LUNCH)
    times = {"start": {"dateTime": "2026-07-01T12:00:00"}, "end": {"dateTime": "2026-07-01T13:00:00"}}
    assert patch(calendar, event, times)["start"]["dateTime"] == "2026-07-01T12:00:00+02:00"


def test_a_meet_link_is_made_only_for_clients_that_know_conferences(calendar: Any) -> None:
    assert "hangoutLink" not in insert(calendar, {**LUNCH, **MEET})
    event = insert(calendar, {**LUNCH, **MEET}, conferenceDataVersion=1)
    [entry] = event["conferenceData"]["entryPoints"]
    assert entry["uri"] == event["hangoutLink"]
    assert event["conferenceData"]["createRequest"]["status"] == {"statusCode": "success"}
    assert "hangoutLink" not in patch(calendar, event, {"conferenceData": None}, conferenceDataVersion=1)
    bad = calendar.events().insert(
        calendarId="primary", body={**LUNCH, "conferenceData": {"createRequest": {}}}, conferenceDataVersion=1
    )
    assert error(bad)[0] == 400


def test_attachments_need_a_client_that_supports_them(calendar: Any) -> None:
    files = {"attachments": [{"fileUrl": "https://drive.google.com/open?id=1", "title": "Menu"}]}
    assert "attachments" not in insert(calendar, {**LUNCH, **files})
    event = insert(calendar, {**LUNCH, **files}, supportsAttachments=True)
    assert patch(calendar, event, {"summary": "Dinner"})["attachments"] == files["attachments"]


def test_a_deleted_event_is_cancelled_and_gone_the_second_time(calendar: Any) -> None:
    event = insert(calendar, LUNCH)
    delete = calendar.events().delete(calendarId="primary", eventId=event["id"])
    assert delete.execute() == ""
    assert get(calendar, event)["status"] == "cancelled"
    assert error(delete) == (410, "deleted", "Resource has been deleted")


def test_a_deleted_event_comes_back_only_when_its_status_says_so(calendar: Any) -> None:
    event = insert(calendar, LUNCH)
    calendar.events().delete(calendarId="primary", eventId=event["id"]).execute()
    assert patch(calendar, event, {"summary": "Dinner"})["status"] == "cancelled"
    assert patch(calendar, event, {"status": "confirmed"})["status"] == "confirmed"


def test_an_etag_of_an_older_state_stops_a_write(calendar: Any) -> None:
    event = insert(calendar, LUNCH)
    patch(calendar, event, {"summary": "Dinner"})
    for request in (
        calendar.events().patch(calendarId="primary", eventId=event["id"], body={"summary": "Tea"}),
        calendar.events().delete(calendarId="primary", eventId=event["id"]),
    ):
        request.headers["If-Match"] = event["etag"]
        assert error(request) == (412, "conditionNotMet", "Precondition Failed")
        request.headers["If-Match"] = get(calendar, event)["etag"]
        request.execute()


def test_roles_are_kept(calendar: Any) -> None:
    team, ana = "c_team@group.calendar.example", "ana@lumenworks.example"
    for calendar_id in (team, ana):
        request = calendar.events().insert(calendarId=calendar_id, body=LUNCH)
        assert error(request) == (403, "requiredAccessLevel", "You need to have writer access to this calendar.")
    assert error(calendar.events().insert(calendarId="nobody", body=LUNCH)) == (404, "notFound", "Not Found")
    event = insert(calendar, LUNCH)
    request = calendar.events().move(calendarId="primary", eventId=event["id"], destination=team)
    assert error(request)[1] == "requiredAccessLevel"


def test_only_the_organizer_decides_what_guests_may_do(calendar: Any) -> None:
    [theirs] = calendar.events().list(calendarId="primary", q="packaging").execute()["items"]
    request = calendar.events().patch(calendarId="primary", eventId=theirs["id"], body={"guestsCanModify": True})
    assert error(request)[1] == "forbiddenForNonOrganizer"
    assert patch(calendar, theirs, {"colorId": "3"})["colorId"] == "3"
    assert patch(calendar, insert(calendar, LUNCH), {"guestsCanModify": True})["guestsCanModify"] is True


def test_a_colleagues_event_shows_only_when_it_is(calendar: Any) -> None:
    listed = calendar.events().list(calendarId="ana@lumenworks.example", maxResults=1).execute()
    assert listed["accessRole"] == "freeBusyReader"
    assert set(listed["items"][0]) == {"kind", "etag", "id", "status", "start", "end", "visibility"}


def test_a_private_event_in_a_shared_calendar_hides_what_it_is(calendar: Any) -> None:
    items = calendar.events().list(calendarId="c_team@group.calendar.example").execute()["items"]
    assert [item.get("summary") for item in items if item.get("visibility") == "private"] == [None]
