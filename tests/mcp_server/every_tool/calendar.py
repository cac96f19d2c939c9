"""The Calendar tools, one case each."""

from tests.mcp_server.every_tool.office import ANA, Json, Office

MINE = {"calendarId": "primary"}
DAY = {"timeMin": "2026-12-03T00:00:00+01:00", "timeMax": "2026-12-04T00:00:00+01:00"}


def event(office: Office, event_id: str) -> Json:
    return office.rest("calendar.events.get", **MINE, eventId=event_id)


def new(office: Office, summary: str, day: str = "2027-01-12") -> str:
    body = {
        "summary": summary,
        "start": {"dateTime": f"{day}T10:00:00+01:00"},
        "end": {"dateTime": f"{day}T11:00:00+01:00"},
    }
    return str(office.rest("calendar.events.insert", **MINE, body=body)["id"])


async def list_calendars(office: Office) -> None:
    told = await office.call("list_calendars")
    kept = office.rest("calendar.calendarList.list")["items"]
    assert [one["calendar_id"] for one in told["calendars"]] == [one["id"] for one in kept]


async def get_events(office: Office) -> None:
    told = await office.call("get_events", time_min="2026-12-03", time_max="2026-12-04")
    kept = office.rest("calendar.events.list", **MINE, **DAY, singleEvents=True, orderBy="startTime")["items"]
    assert [one["event_id"] for one in told["events"]] == [one["id"] for one in kept]
    assert "Design critique" in {one["title"] for one in told["events"]}


async def query_freebusy(office: Office) -> None:
    told = await office.call("query_freebusy", time_min="2026-12-03", time_max="2026-12-04", calendar_ids=[ANA])
    kept = office.rest("calendar.freebusy.query", body={**DAY, "items": [{"id": ANA}], "timeZone": "Europe/Berlin"})
    assert [(one["start"], one["end"]) for one in told["calendars"][0]["busy"]] == [
        (one["start"], one["end"]) for one in kept["calendars"][ANA]["busy"]
    ]


async def create_event(office: Office) -> None:
    made = await office.call(
        "create_event",
        summary="Fair",
        start_time="2027-02-02T09:00",
        end_time="2027-02-02T10:30",
        attendees=[ANA],
        recurrence=["RRULE:FREQ=WEEKLY;COUNT=2"],
    )
    kept = event(office, made["event"]["event_id"])
    assert kept["start"] == {"dateTime": "2027-02-02T09:00:00+01:00", "timeZone": "Europe/Berlin"}
    assert (kept["recurrence"], kept["attendees"][-1]["email"]) == (["RRULE:FREQ=WEEKLY;COUNT=2"], ANA)


async def modify_event(office: Office) -> None:
    one = new(office, "Workshop")
    await office.call("modify_event", event_id=one, start_time="2027-01-12T14:00", location="Kitchen")
    kept = event(office, one)
    assert (kept["summary"], kept["location"]) == ("Workshop", "Kitchen")
    assert kept["end"]["dateTime"] == "2027-01-12T15:00:00+01:00"


async def delete_event(office: Office) -> None:
    one = new(office, "Too much")
    await office.call("delete_event", event_id=one)
    assert event(office, one)["status"] == "cancelled"
