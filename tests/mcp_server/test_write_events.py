"""Events, through the server against the sandbox, read back past the tools; it is Tuesday 1 December 2026 in Berlin."""

from typing import Any

import pytest

from core.mcp_server.meta import CALL, OUTCOME, TURN, ZONE
from core.sandbox.calendar import notices
from tests.mcp_server.conftest import said
from tests.mcp_server.writing import Desk

LUNCH = {"summary": "Lunch", "start_time": "2026-12-02T12:00", "end_time": "2026-12-02T13:00"}
ANA, KENJI = "ana@lumenworks.example", "kenji@lumenworks.example"
MARTA = "marta@brightparts.example"


def told(desk: Desk) -> list[tuple[str, list[str]]]:
    return [(row.what, row.recipients) for row in notices.sent(desk.sandbox.world)]


async def made(desk: Desk, **more: Any) -> str:
    return (await desk("create_event", **{**LUNCH, **more}))["event"]["event_id"]


def patch(desk: Desk, event_id: str, **body: Any) -> None:
    desk.read("calendar.events", "patch", calendarId="primary", eventId=event_id, body=body)


def answer_of(event: dict[str, Any]) -> dict[str, str]:
    return {one["email"]: one["responseStatus"] for one in event["attendees"]}


@pytest.mark.parametrize(
    ("start", "end", "more", "stored"),
    [
        ("2026-12-02T18:00", "2026-12-02T19:00", {}, ("2026-12-02T18:00:00+01:00", "Europe/Berlin")),
        ("2026-07-02T18:00", "2026-07-02T19:00", {}, ("2026-07-02T18:00:00+02:00", "Europe/Berlin")),
        ("2026-12-02T18:00Z", "2026-12-02T19:00Z", {}, ("2026-12-02T19:00:00+01:00", "Europe/Berlin")),
        (
            "2026-12-02T18:00",
            "2026-12-02T19:00",
            {"timezone": "America/Los_Angeles"},
            ("2026-12-03T03:00:00+01:00", "America/Los_Angeles"),
        ),
    ],
)
async def test_naive_times_are_the_persons(
    desk: Desk, start: str, end: str, more: dict[str, str], stored: tuple[str, str]
) -> None:
    event = desk.event(await made(desk, start_time=start, end_time=end, **more))
    assert (event["start"]["dateTime"], event["start"]["timeZone"]) == stored


async def test_the_zone_of_the_caller_counts(desk: Desk) -> None:
    result = await desk.result("create_event", **LUNCH, meta={ZONE: "America/Los_Angeles"})
    event = desk.event(result.structured_content["event"]["event_id"])
    assert event["start"] == {"dateTime": "2026-12-02T21:00:00+01:00", "timeZone": "America/Los_Angeles"}


@pytest.mark.parametrize(
    ("end", "stored", "note"),
    [("2026-08-28", "2026-08-28", None), ("2026-08-27", "2026-08-28", "one day"), ("2026-08-30", "2026-08-30", None)],
)
async def test_dates_are_days_with_an_exclusive_end(desk: Desk, end: str, stored: str, note: str | None) -> None:
    done = await desk("create_event", summary="Day off", start_time="2026-08-27", end_time=end)
    event = desk.event(done["event"]["event_id"])
    assert (event["start"], event["end"]) == ({"date": "2026-08-27"}, {"date": stored})
    assert (done["note"] is None) if note is None else (note in done["note"])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"end_time": "2026-12-02T12:00"}, "end_time: 2026-12-02T12:00:00+01:00 must be later"),
        ({"end_time": "2026-12-02"}, "end_time: start_time and end_time must both be dates"),
        ({"start_time": "2026-12-03", "end_time": "2026-12-02"}, "end_time: 2026-12-02 is before the beginning"),
        ({"start_time": "noon"}, "start_time: 'noon' is not a time"),
        ({"timezone": "Mars/Olympus"}, "timezone: 'Mars/Olympus' is no IANA zone"),
        ({"attendees": ["Ana"]}, "attendees: 'Ana' is no mail address"),
        ({"attachments": ["my file"]}, "attachments: 'my file' is neither"),
        ({"reminders": [{"minutes": 50000}]}, "The arguments of create_event are wrong: reminders.0.minutes"),
        ({"reminders": [{"minutes": 5}] * 6}, "The arguments of create_event are wrong: reminders"),
        ({"calendar_id": "nobody@x.example"}, "There is no such"),
        ({"send_updates": "some"}, "The arguments of create_event are wrong: send_updates"),
    ],
)
async def test_what_cannot_be_an_event_is_refused(desk: Desk, change: dict[str, Any], sentence: str) -> None:
    assert (await desk.refusal("create_event", **{**LUNCH, **change})).startswith(sentence)
    assert told(desk) == []


async def test_an_event_with_everything(desk: Desk) -> None:
    done = await desk(
        "create_event",
        **LUNCH,
        description="Bring *samples*",
        location="Room 2",
        attendees=[f"Ruiz, Ana <{ANA}>", KENJI],
        attachments=["https://drive.google.com/file/d/abc"],
        add_google_meet=True,
        reminders=[{"minutes": 10}, {"minutes": 1440, "method": "email"}],
        transparency="transparent",
        visibility="private",
        guests_can_modify=True,
        guests_can_invite_others=False,
    )
    event = desk.event(done["event"]["event_id"])
    assert {one["email"]: one.get("displayName") for one in event["attendees"]} == {ANA: "Ruiz, Ana", KENJI: None}
    assert event["reminders"] == {
        "useDefault": False,
        "overrides": [{"minutes": 10, "method": "popup"}, {"minutes": 1440, "method": "email"}],
    }
    assert event["hangoutLink"] == done["event"]["meet_link"]
    assert (event["transparency"], event["visibility"], event["location"]) == ("transparent", "private", "Room 2")
    assert (event["guestsCanModify"], event["guestsCanInviteOthers"]) == (True, False)
    assert done["event"]["files"][0]["link"] == "https://drive.google.com/file/d/abc"
    assert done["invitations"] == f"Invitations go to {ANA}, {KENJI}."
    assert told(desk) == [("created", [ANA, KENJI])]


@pytest.mark.parametrize(
    ("more", "sentence", "mails"),
    [
        ({}, "There are no guests, so nobody is told.", []),
        ({"attendees": [ANA], "send_updates": "none"}, f"Nobody is told: no mails go to {ANA}.", []),
        (
            {"attendees": [ANA, MARTA], "send_updates": "externalOnly"},
            f"Invitations go to {MARTA}.",
            [("created", [MARTA])],
        ),
    ],
)
async def test_the_answer_says_whether_invitations_go_out(
    desk: Desk, more: dict[str, Any], sentence: str, mails: list[Any]
) -> None:
    assert (await desk("create_event", **LUNCH, **more))["invitations"] == sentence
    assert told(desk) == mails


async def test_a_lost_answer_makes_one_event(desk: Desk) -> None:
    desk.trouble("POST .*/events", "lost_reply")
    done = (await desk.result("create_event", **LUNCH)).structured_content
    assert "the event is there, once" in done["note"]
    page = await desk("get_events", time_min="2026-12-02", time_max="2026-12-02", query="Lunch")
    assert [one["event_id"] for one in page["events"]] == [done["event"]["event_id"]]


async def test_an_answer_that_never_came_is_unknown(desk: Desk) -> None:
    desk.trouble("POST .*/events", "status", status=503)
    result = await desk.result("create_event", **LUNCH)
    assert result.is_error and result.meta[OUTCOME] == "unknown" and len(desk.changed()) == 1


async def test_only_what_is_given_changes(desk: Desk) -> None:
    event_id = await made(
        desk, attendees=[ANA, KENJI], add_google_meet=True, reminders=[{"minutes": 7}], location="Room 2",
        attachments=["https://drive.google.com/file/d/abc"], recurrence=["RRULE:FREQ=WEEKLY;BYDAY=WE"],
    )  # fmt: skip
    guests = [{**one, "responseStatus": "accepted"} for one in desk.event(event_id)["attendees"]]
    patch(desk, event_id, attendees=guests)
    before = desk.event(event_id)
    done = await desk("modify_event", event_id=event_id, summary="Long lunch")
    after = desk.event(event_id)
    moving = ("etag", "updated", "sequence", "summary")
    assert {k: v for k, v in after.items() if k not in moving} == {k: v for k, v in before.items() if k not in moving}
    assert done["changes"] == [{"field": "title", "before": "Lunch", "after": "Long lunch"}]
    assert done["scope"] == "all" and done["invitations"] == f"Updates go to {ANA}, {KENJI}."
    assert desk.changed()[-1].startswith("PATCH")


async def test_a_new_list_of_guests_keeps_the_answers_of_those_that_stay(desk: Desk) -> None:
    event_id = await made(desk, attendees=[f"Ana <{ANA}>", KENJI])
    room = {"email": "room@resource.example", "resource": True, "responseStatus": "accepted"}
    me = {"email": "sam@lumenworks.example", "responseStatus": "accepted"}
    guests = [{**one, "responseStatus": "accepted"} for one in desk.event(event_id)["attendees"]]
    patch(desk, event_id, attendees=[*guests, room, me])
    done = await desk("modify_event", event_id=event_id, attendees=[ANA.upper(), f"Marta <{MARTA}>"])
    assert answer_of(desk.event(event_id)) == {
        "room@resource.example": "accepted", "sam@lumenworks.example": "accepted",
        ANA: "accepted", MARTA: "needsAction",
    }  # fmt: skip
    assert [one["field"] for one in done["changes"]] == ["guests"]
    assert done["invitations"] == f"Updates go to {ANA}, {KENJI}, {MARTA}."


@pytest.mark.parametrize(
    ("given", "start", "end"),
    [
        ({"start_time": "2026-12-04T15:30"}, "2026-12-04T15:30:00+01:00", "2026-12-04T16:30:00+01:00"),
        ({"end_time": "2026-12-02T14:00"}, "2026-12-02T12:00:00+01:00", "2026-12-02T14:00:00+01:00"),
        ({"start_time": "2027-03-28T01:30"}, "2027-03-28T01:30:00+01:00", "2027-03-28T03:30:00+02:00"),
    ],
)
async def test_a_new_beginning_alone_keeps_the_length(desk: Desk, given: dict[str, str], start: str, end: str) -> None:
    event_id = await made(desk)
    await desk("modify_event", event_id=event_id, **given)
    event = desk.event(event_id)
    assert (event["start"]["dateTime"], event["end"]["dateTime"]) == (start, end)


async def test_a_moved_event_keeps_its_own_zone(desk: Desk) -> None:
    event_id = await made(desk, timezone="Asia/Tokyo")
    await desk("modify_event", event_id=event_id, start_time="2026-12-02T09:00")
    start = desk.event(event_id)["start"]
    assert (start["dateTime"], start["timeZone"]) == ("2026-12-02T09:00:00+01:00", "Asia/Tokyo")


async def test_all_day_becomes_timed_and_back(desk: Desk) -> None:
    event_id = await made(desk, start_time="2026-12-02", end_time="2026-12-03")
    await desk("modify_event", event_id=event_id, start_time="2026-12-02T12:00", end_time="2026-12-02T13:00")
    assert "date" not in desk.event(event_id)["start"]
    await desk("modify_event", event_id=event_id, start_time="2026-12-04", end_time="2026-12-05")
    assert desk.event(event_id)["start"] == {"date": "2026-12-04"}
    await desk("modify_event", event_id=event_id, start_time="2026-12-08")
    assert desk.event(event_id)["end"] == {"date": "2026-12-09"}
    assert "give both" in await desk.refusal("modify_event", event_id=event_id, start_time="2026-12-08T10:00")


async def test_a_call_comes_and_goes_and_texts_are_removed(desk: Desk) -> None:
    event_id = await made(desk, location="Room 2", description="x")
    with_call = await desk("modify_event", event_id=event_id, add_google_meet=True)
    assert with_call["event"]["meet_link"].startswith("https://meet.google.com/")
    bare = await desk(
        "modify_event", event_id=event_id, add_google_meet=False, location="", description="", color_id="5"
    )
    assert {one["field"]: one["after"] for one in bare["changes"]} == {
        "location": None, "description": None, "color": "5", "call": None,
    }  # fmt: skip
    assert not {"location", "description", "hangoutLink"} & set(desk.event(event_id))


async def test_a_change_in_the_meantime_is_not_overwritten(desk: Desk) -> None:
    event_id = await made(desk)
    desk.between("PATCH", lambda: patch(desk, event_id, location="Roof"))
    assert "was changed by somebody else" in await desk.refusal("modify_event", event_id=event_id, summary="Mine")
    assert (desk.event(event_id)["summary"], desk.event(event_id)["location"]) == ("Lunch", "Roof")


async def series(desk: Desk) -> tuple[str, list[str]]:
    series_id = await made(desk, summary="Choir", recurrence=["RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=4"])
    page = await desk("get_events", time_min="2026-12-01", time_max="2026-12-31", query="Choir")
    return series_id, [one["event_id"] for one in page["events"] if one["series_id"] == series_id]


async def starts(desk: Desk) -> list[str]:
    page = await desk("get_events", time_min="2026-12-01", time_max="2026-12-31", query="Choir")
    return [one["start"][:16] for one in page["events"]]


async def test_one_event_of_a_series_is_moved(desk: Desk) -> None:
    _, (_, second, *_) = await series(desk)
    done = await desk("modify_event", event_id=second, start_time="2026-12-10T15:00")
    assert done["scope"] == "this"
    assert await starts(desk) == ["2026-12-02T12:00", "2026-12-10T15:00", "2026-12-16T12:00", "2026-12-23T12:00"]


async def test_a_whole_series_is_moved_through_one_of_its_events(desk: Desk) -> None:
    _, (_, second, *_) = await series(desk)
    done = await desk("modify_event", event_id=second, start_time="2026-12-09T15:00", scope="all")
    assert done["scope"] == "all"
    assert await starts(desk) == ["2026-12-02T15:00", "2026-12-09T15:00", "2026-12-16T15:00", "2026-12-23T15:00"]


async def test_the_days_of_a_series_are_not_moved_by_chance(desk: Desk) -> None:
    series_id, (_, second, *_) = await series(desk)
    said_ = await desk.refusal("modify_event", event_id=second, start_time="2026-12-10T15:00", scope="all")
    assert "give `recurrence` too" in said_
    assert "names a whole series" in await desk.refusal("modify_event", event_id=series_id, summary="x", scope="this")


async def test_one_event_of_a_series_is_cancelled_then_all(desk: Desk) -> None:
    _, (first, second, *_) = await series(desk)
    assert (await desk("delete_event", event_id=second))["scope"] == "this"
    assert await starts(desk) == ["2026-12-02T12:00", "2026-12-16T12:00", "2026-12-23T12:00"]
    assert (await desk("delete_event", event_id=first, scope="all"))["scope"] == "all"
    assert await starts(desk) == []


async def test_a_deleted_event_was_already_gone(desk: Desk) -> None:
    event_id = await made(desk, attendees=[ANA])
    done = await desk("delete_event", event_id=event_id)
    assert (done["action"], done["invitations"]) == ("deleted", f"Cancellations go to {ANA}.")
    assert desk.event(event_id)["status"] == "cancelled"
    again = await desk("delete_event", event_id=event_id)
    assert (again["action"], again["note"]) == ("already_deleted", "It had been deleted before.")
    assert told(desk)[1:] == [("cancelled", [ANA])]
    assert "has been deleted" in await desk.refusal("modify_event", event_id=event_id, summary="x")
    assert "There is no such event" in await desk.refusal("delete_event", event_id="nothing00")


async def test_a_lost_deletion_is_seen(desk: Desk) -> None:
    event_id = await made(desk)
    desk.trouble("DELETE", "lost_reply")
    assert (await desk("delete_event", event_id=event_id))["action"] == "deleted"


async def test_a_lost_change_is_seen(desk: Desk) -> None:
    event_id = await made(desk)
    desk.trouble("PATCH", "lost_reply")
    done = await desk("modify_event", event_id=event_id, summary="Dinner")
    assert done["event"]["title"] == "Dinner" and "is there, once" in done["note"]
    assert "nothing to change" in await desk.refusal("modify_event", event_id=event_id)


async def test_the_same_call_makes_the_same_event_only_once(desk: Desk) -> None:
    meta = {TURN: "b" * 32, CALL: "c"}
    first = await desk.result("create_event", **LUNCH, meta=meta)
    again = await desk.result("create_event", **LUNCH, meta=meta)
    assert not first.is_error and again.is_error and "already exists" in said(again)
