"""From Google's calendar JSON to what people and models read."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from core.mcp_server.results import CalendarBusy, CalendarSummary, Event, EventFile, Guest, Interval
from core.mcp_server.shaping.text import cut, html_to_text
from core.mcp_server.shaping.times import minutes, show

SHORT = 200
Json = dict[str, Any]
Span = tuple[datetime, datetime]


def event(item: Json, calendar_id: str, zone: ZoneInfo, detailed: bool, files: bool) -> Event:
    """A calendar event; timed ones in the person's zone, dates of all-day ones as they are.

    Args:
        detailed: the whole description instead of its beginning.
        files: with the attached files.
    """
    start, end = item.get("start", {}), item.get("end", {})
    me: Json = next((one for one in item.get("attendees", []) if one.get("self")), {})
    return Event(
        event_id=item["id"],
        calendar_id=calendar_id,
        title=item.get("summary", "").strip() or "(no title)",
        start=moment(start, zone),
        end=moment(end, zone),
        all_day="date" in start,
        zone=start.get("timeZone", zone.key),
        location=item.get("location"),
        description=description(item.get("description"), detailed),
        organizer=person(item.get("organizer", {})),
        guests=[guest(one) for one in item.get("attendees", []) if not one.get("resource")],
        my_response=me.get("responseStatus"),
        series_id=item.get("recurringEventId"),
        meet_link=meet_link(item),
        link=item.get("htmlLink", ""),
        status=item.get("status", "confirmed"),
        files=[file(one) for one in item.get("attachments", [])] if files else [],
    )


def moment(value: Json, zone: ZoneInfo) -> str:
    """A date as it is, or a time in the zone."""
    if "date" in value:
        return str(value["date"])
    return show(datetime.fromisoformat(value["dateTime"]), zone) if "dateTime" in value else ""


def description(text: str | None, detailed: bool) -> str | None:
    """Readable text of a description, which may be HTML."""
    if not text:
        return None
    readable = html_to_text(text.replace("\n", "<br>")) if "<" in text else text
    return readable if detailed else cut(readable, SHORT, rest="Ask with detailed=true for all of it.")


def guest(item: Json) -> Guest:
    """Somebody invited."""
    address = item.get("email", "")
    return Guest(
        email=address,
        name=item.get("displayName", "") or address,
        response=item.get("responseStatus", "needsAction"),
        organizer=item.get("organizer", False),
        me=item.get("self", False),
    )


def person(item: Json) -> str | None:
    """A name, or the address where there is none."""
    return item.get("displayName") or item.get("email")


def file(item: Json) -> EventFile:
    """A file attached to an event."""
    return EventFile(title=item.get("title", ""), mime_type=item.get("mimeType", ""), link=item.get("fileUrl", ""))


def meet_link(item: Json) -> str | None:
    """Where the call is."""
    entries = item.get("conferenceData", {}).get("entryPoints", [])
    video = [entry["uri"] for entry in entries if entry.get("entryPointType") == "video" and entry.get("uri")]
    return item.get("hangoutLink") or (video[0] if video else None)


def calendar(item: Json) -> CalendarSummary:
    """A calendar that the account sees."""
    return CalendarSummary(
        calendar_id=item["id"],
        name=item.get("summaryOverride") or item.get("summary", item["id"]),
        primary=item.get("primary", False),
        role=item.get("accessRole", "reader"),
        zone=item.get("timeZone", "UTC"),
    )


def busy(calendar_id: str, item: Json, zone: ZoneInfo) -> tuple[CalendarBusy, list[Span]]:
    """When a calendar is busy, as a result and as times."""
    problems = [problem.get("reason", "unknown") for problem in item.get("errors", [])]
    spans = [(datetime.fromisoformat(one["start"]), datetime.fromisoformat(one["end"])) for one in item.get("busy", [])]
    shown = [interval(begin, end, zone) for begin, end in spans]
    error = f"{calendar_id} could not be asked: {', '.join(problems)}." if problems else None
    return CalendarBusy(calendar_id=calendar_id, busy=shown, error=error), spans


def free(busy_spans: Sequence[Span], begin: datetime, end: datetime, zone: ZoneInfo) -> list[Interval]:
    """The gaps of a range in which nobody is busy."""
    gaps, reached = [], begin
    for start, stop in sorted(busy_spans):
        if start > reached:
            gaps.append((reached, min(start, end)))
        reached = max(reached, stop)
    gaps.append((reached, end))
    return [interval(start, stop, zone) for start, stop in gaps if stop > start]


def interval(begin: datetime, end: datetime, zone: ZoneInfo) -> Interval:
    """A span of time in the zone."""
    return Interval(start=show(begin, zone), end=show(end, zone), minutes=minutes(begin, end))
