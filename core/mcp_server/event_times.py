"""The times of events: what a model wrote, as Google takes it; dates are all-day and never converted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.mcp_server.desk import BadArgument
from core.mcp_server.shaping.times import is_date, parse_time

Json = dict[str, Any]
ONE_DAY = "An all-day event's end is the day after its last one; it was set so that the event has one day."
KEPT_LENGTH = "It lasts as long as before."
RULE = "the days of a series follow its rule: give `recurrence` too, or change one event."


@dataclass(frozen=True)
class Times:
    """The beginning and the end of an event as Google has them, with what has to be said about them."""

    start: Json
    end: Json
    note: str | None = None


def zone_of(name: str | None, usual: ZoneInfo) -> ZoneInfo:
    """The zone that a tool's argument names.

    Raises:
        BadArgument: there is none of this name.
    """
    try:
        return ZoneInfo(name) if name else usual
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise BadArgument("timezone", f"{name!r} is no IANA zone such as Europe/Berlin.") from error


def new_times(start: str, end: str, zone: ZoneInfo) -> Times:
    """The times of a new event; dates are all-day.

    Raises:
        BadArgument: they do not fit together.
    """
    if is_date(start) != is_date(end):
        raise BadArgument(
            "end_time", "start_time and end_time must both be dates, for an all-day event, or both times."
        )
    if is_date(start):
        return days(date.fromisoformat(start.strip()), date.fromisoformat(end.strip()))
    return moments(parse_time("start_time", start, zone), parse_time("end_time", end, zone), zone.key)


def changed_times(old: Json, start: str | None, end: str | None, zone: ZoneInfo, own_zone: str) -> Times:
    """The times of an event that is moved: a new beginning alone keeps its length.

    Args:
        old: the event.
        zone: in which naive times are meant.
        own_zone: IANA name of the zone that the event gets.

    Raises:
        BadArgument: they do not fit together.
    """
    if start and end:
        given = new_times(start, end, zone)
        return Times(start=zoned(given.start, own_zone), end=zoned(given.end, own_zone), note=given.note)
    written = start or end or ""
    if is_date(written) != ("date" in old["start"]):
        kind = "all-day" if "date" in old["start"] else "timed"
        raise BadArgument("start_time", f"the event is {kind}: to change that, give both start_time and end_time.")
    if is_date(written):
        first, last = date.fromisoformat(old["start"]["date"]), date.fromisoformat(old["end"]["date"])
        named = date.fromisoformat(written.strip())
        return days(named, named + (last - first), KEPT_LENGTH) if start else days(first, named)
    first_moment, last_moment = moment(old["start"]), moment(old["end"])
    if start:
        begin = parse_time("start_time", start, zone)
        length = last_moment - first_moment
        return moments(begin, (begin.astimezone(UTC) + length).astimezone(zone), own_zone, KEPT_LENGTH)
    return moments(first_moment.astimezone(zone), parse_time("end_time", written, zone), own_zone)


def days(first: date, end: date, note: str | None = None) -> Times:
    """All-day; the end is exclusive, and a same-day end is widened to one day.

    Raises:
        BadArgument: it ends before it begins.
    """
    if end < first:
        raise BadArgument("end_time", f"{end} is before the beginning, {first}.")
    if end == first:
        end, note = first + timedelta(days=1), ONE_DAY
    return Times(start={"date": first.isoformat()}, end={"date": end.isoformat()}, note=note)


def moments(begin: datetime, end: datetime, zone: str, note: str | None = None) -> Times:
    """Timed.

    Raises:
        BadArgument: it does not end after it begins.
    """
    if end <= begin:
        raise BadArgument("end_time", f"{end.isoformat()} must be later than the beginning, {begin.isoformat()}.")
    return Times(start=timed(begin, zone), end=timed(end, zone), note=note)


def timed(value: datetime, zone: str) -> Json:
    """A time as Google takes it."""
    return {"dateTime": value.astimezone(ZoneInfo(zone)).isoformat(timespec="seconds"), "timeZone": zone}


def zoned(value: Json, zone: str) -> Json:
    """The same time in another zone; a date stays as it is."""
    return value if "date" in value else timed(moment(value), zone)


def moment(value: Mapping[str, Any]) -> datetime:
    """Google's time, aware."""
    found = datetime.fromisoformat(value["dateTime"])
    return found if found.tzinfo else found.replace(tzinfo=ZoneInfo(value["timeZone"]))


def patch_of(value: Json) -> Json:
    """A time for PATCH: an event that becomes all-day, or timed, must not keep the other kind."""
    other: Json = {"dateTime": None, "timeZone": None} if "date" in value else {"date": None}
    return {**other, **value}


def shifted(series: Json, named: Json, times: Times) -> tuple[Json, Json]:
    """The times of a whole series, when one event of it is said to get other times.

    Args:
        named: that event.
        times: what it would get.

    Raises:
        BadArgument: it would change the days of the series, which its rule decides.
    """
    if ("date" in series["start"]) != ("date" in times.start):
        raise BadArgument("scope", "a series cannot become all-day or timed through one of its events.")
    if "date" in series["start"]:
        raise BadArgument("scope", RULE)
    zone = ZoneInfo(times.start["timeZone"])
    old, new = moment(named["start"]).astimezone(zone), moment(times.start)
    if old.date() != new.date():
        raise BadArgument("start_time", RULE)
    first = moment(series["start"]).astimezone(zone)
    begin = datetime.combine(first.date(), new.timetz())
    length = moment(times.end) - moment(times.start)
    return timed(begin, zone.key), timed(begin.astimezone(UTC) + length, zone.key)
