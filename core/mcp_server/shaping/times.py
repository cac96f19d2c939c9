"""Times: what a model wrote in the person's zone, and how results show them."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from core.mcp_server.desk import BadArgument

ACCEPTED = "give a time such as 2026-12-01T09:00 (in the person's zone), with an offset, or a date such as 2026-12-01"


def parse_time(name: str, text: str, zone: ZoneInfo) -> datetime:
    """A time in the person's zone; a date alone is that day's beginning.

    Args:
        name: of the argument, for the error.

    Raises:
        BadArgument: names the argument and what it accepts.
    """
    try:
        value = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise BadArgument(name, f"{text!r} is not a time; {ACCEPTED}.") from error
    aware = value.replace(tzinfo=zone) if value.tzinfo is None else value
    return aware.astimezone(UTC).astimezone(zone)


def parse_range(time_min: str, time_max: str, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """A range; the same date twice is that whole day.

    Raises:
        BadArgument: where it is empty or backwards.
    """
    begin, end = parse_time("time_min", time_min, zone), parse_time("time_max", time_max, zone)
    if is_date(time_min) and is_date(time_max) and begin == end:
        end = next_day(begin, zone)
    if end <= begin:
        raise BadArgument("time_max", f"{time_max} must be later than time_min, {time_min}.")
    return begin, end


def bounds(time_min: str | None, time_max: str | None, zone: ZoneInfo, now: datetime) -> tuple[str, str | None]:
    """A range as RFC 3339 that begins now where no beginning is given, and may be open at its end.

    Raises:
        BadArgument: where it is empty or backwards.
    """
    if time_min is not None and time_max is not None:
        begin, end = parse_range(time_min, time_max, zone)
        return show(begin, zone), show(end, zone)
    begin = parse_time("time_min", time_min, zone) if time_min is not None else now
    if time_max is None:
        return show(begin, zone), None
    end = parse_time("time_max", time_max, zone)
    if end <= begin:
        raise BadArgument("time_min", f"it is needed too, as time_max, {time_max}, is not in the future.")
    return show(begin, zone), show(end, zone)


def is_date(text: str) -> bool:
    """Whether a text is a date without a time."""
    try:
        date.fromisoformat(text.strip())
    except ValueError:
        return False
    return True


def next_day(moment: datetime, zone: ZoneInfo) -> datetime:
    """The next midnight on the wall; days of a clock change have 23 or 25 hours."""
    return datetime.combine(moment.date() + timedelta(days=1), time(), zone)


def show(moment: datetime, zone: ZoneInfo) -> str:
    """RFC 3339 in the zone, to the second."""
    return moment.astimezone(zone).isoformat(timespec="seconds")


def from_millis(value: str | int, zone: ZoneInfo) -> str:
    """Gmail's `internalDate` as RFC 3339 in the zone."""
    return show(datetime.fromtimestamp(int(value) / 1000, UTC), zone)


def minutes(begin: datetime, end: datetime) -> int:
    """Whole minutes of real time between two aware times."""
    return int((end.astimezone(UTC) - begin.astimezone(UTC)).total_seconds() // 60)
