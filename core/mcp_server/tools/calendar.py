"""The Calendar tools that read."""

from typing import Annotated, Any

from pydantic import Field

from core.mcp_server.desk import Desk
from core.mcp_server.results import CalendarList, EventPage, FreeBusy
from core.mcp_server.shaping import events
from core.mcp_server.shaping.times import bounds, parse_range, show

TIME = "a time such as 2026-12-01T09:00 in the person's zone, with an offset, or a date"
CalendarId = Annotated[str, Field(description="A calendar_id; primary is the person's own", min_length=1)]
Text = str | None
PAGE = 250
PAGES = 20


def list_calendars(desk: Desk) -> CalendarList:
    """All calendars."""
    resource = desk.google.resource("calendar.calendarList")
    found: list[dict[str, Any]] = []
    token = None
    for _ in range(PAGES):
        page = desk.google.execute(resource.list(maxResults=PAGE, pageToken=token))
        found += page.get("items", [])
        token = page.get("nextPageToken")
        if not token:
            break
    return CalendarList(calendars=[events.calendar(item) for item in found])


def get_events(
    desk: Desk,
    calendar_id: CalendarId = "primary",
    event_id: Annotated[Text, Field(description="Exactly this event; the range is not looked at")] = None,
    time_min: Annotated[Text, Field(description=f"From here on: {TIME}; now if left out")] = None,
    time_max: Annotated[Text, Field(description=f"Up to here, not included: {TIME}")] = None,
    max_results: Annotated[int, Field(ge=1, le=250, description="Events on a page")] = 25,
    query: Annotated[Text, Field(description="Words in title, description, place or guests")] = None,
    detailed: Annotated[bool, Field(description="Whole descriptions")] = False,
    include_attachments: Annotated[bool, Field(description="With the attached files")] = False,
    page_token: Annotated[Text, Field(description="next_page_token of the page before, with its time_min")] = None,
) -> EventPage:
    """Events of a range in order, or one event."""
    resource, zone = desk.google.resource("calendar.events"), desk.zone
    begin, end = (None, None) if event_id else bounds(time_min, time_max, zone, desk.now())
    if event_id:
        page = {"items": [desk.google.execute(resource.get(calendarId=calendar_id, eventId=event_id))]}
    else:
        page = desk.google.execute(
            resource.list(
                calendarId=calendar_id,
                timeMin=begin,
                timeMax=end,
                q=query or None,
                maxResults=max_results,
                pageToken=page_token,
                singleEvents=True,
                orderBy="startTime",
                timeZone=zone.key,
            )
        )
    return EventPage(
        calendar_id=calendar_id,
        zone=zone.key,
        time_min=begin,
        time_max=end,
        query=query,
        events=[events.event(item, calendar_id, zone, detailed, include_attachments) for item in page.get("items", [])],
        next_page_token=page.get("nextPageToken"),
    )


def query_freebusy(
    desk: Desk,
    time_min: Annotated[str, Field(description=f"From here on: {TIME}")],
    time_max: Annotated[str, Field(description=f"Up to here, not included: {TIME}")],
    calendar_ids: Annotated[
        list[str] | None,
        Field(description="calendar_ids or addresses of people; the person's own if left out", max_length=50),
    ] = None,
    group_expansion_max: Annotated[int | None, Field(ge=1, le=100, description="Members asked of a group")] = None,
    calendar_expansion_max: Annotated[int | None, Field(ge=1, le=50, description="Calendars asked in all")] = None,
) -> FreeBusy:
    """When calendars are busy, and when all of them are free."""
    zone, ids = desk.zone, list(dict.fromkeys(calendar_ids or ["primary"]))
    begin, end = parse_range(time_min, time_max, zone)
    body = {
        "timeMin": show(begin, zone),
        "timeMax": show(end, zone),
        "timeZone": zone.key,
        "items": [{"id": one} for one in ids],
        "groupExpansionMax": group_expansion_max,
        "calendarExpansionMax": calendar_expansion_max,
    }
    request = desk.google.resource("calendar.freebusy").query(body={k: v for k, v in body.items() if v is not None})
    answer = desk.google.execute(request).get("calendars", {})
    asked = [events.busy(one, item, zone) for one, item in answer.items()]
    return FreeBusy(
        time_min=show(begin, zone),
        time_max=show(end, zone),
        zone=zone.key,
        calendars=[shown for shown, _ in asked],
        free=events.free([span for _, spans in asked for span in spans], begin, end, zone),
    )
