"""Times of events: a moment with a zone, or a day that no zone ever changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.sandbox.calls import ApiError, Call

KEY = "%Y%m%dT%H%M%SZ"
DAY_KEY = "%Y%m%d"


@dataclass(frozen=True)
class When:
    """The start or end of an event.

    `moment` is aware UTC for a timed event, else None; `day` is set for an all-day one; `zone` is the IANA name of the
    zone that the event was made in (empty for days).
    """

    moment: datetime | None
    day: date | None
    zone: str = ""

    @classmethod
    def stored(cls, value: Mapping[str, str]) -> Self:
        """From a stored body."""
        if "date" in value:
            return cls(None, date.fromisoformat(value["date"]))
        return cls(datetime.fromisoformat(value["dateTime"]), None, value["timeZone"])

    def store(self) -> dict[str, str]:
        """As a stored body keeps it."""
        if self.moment is None:
            return {"date": str(self.day)}
        return {"dateTime": utc_text(self.moment), "timeZone": self.zone}

    def shown(self, zone: ZoneInfo) -> dict[str, str]:
        """As an answer says it: in a zone, with the event's own zone named beside it."""
        if self.moment is None:
            return {"date": str(self.day)}
        return {"dateTime": zone_text(self.moment, zone), "timeZone": self.zone}

    def instant(self, zone: ZoneInfo) -> datetime:
        """The moment in UTC; a day begins at midnight of the given zone."""
        if self.moment is not None:
            return self.moment
        return datetime.combine(self.day or date.min, time(), zone).astimezone(UTC)

    def wall(self) -> datetime:
        """What the clock on the wall shows in the event's own zone, naive."""
        if self.moment is None:
            return datetime.combine(self.day or date.min, time())
        return self.moment.astimezone(ZoneInfo(self.zone)).replace(tzinfo=None)

    def at(self, wall: datetime) -> Self:
        """The same kind of time at another reading of the wall clock."""
        if self.moment is None:
            return type(self)(None, wall.date())
        return type(self)(wall.replace(tzinfo=ZoneInfo(self.zone)).astimezone(UTC), None, self.zone)

    def plus(self, length: timedelta) -> Self:
        """A length later."""
        if self.moment is None:
            return type(self)(None, (self.day or date.min) + length)
        return type(self)(self.moment + length, None, self.zone)

    def minus(self, other: "When") -> timedelta:
        """The length since another time of the same kind."""
        if self.moment is not None and other.moment is not None:
            return self.moment - other.moment
        return self.wall() - other.wall()

    def key(self) -> str:
        """How an instance's id names its original start."""
        return self.wall().strftime(DAY_KEY) if self.moment is None else self.moment.strftime(KEY)


def utc_text(moment: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def zone_text(moment: datetime, zone: ZoneInfo) -> str:
    """RFC 3339 in a zone; UTC is written `Z`."""
    text = moment.astimezone(zone).replace(microsecond=0).isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def read_when(value: Any, name: str, default_zone: str, recurring: bool) -> When:
    """Read `start` or `end` of a request.

    Args:
        name: `start` or `end`, for the error.
        default_zone: the calendar's zone, for times that carry an offset only.
        recurring: whether the event repeats: then its zone must be said.

    Raises:
        ApiError: 400, as Google says it.
    """
    if not isinstance(value, Mapping) or not (value.get("date") or value.get("dateTime")):
        raise ApiError(400, "required", f"Missing {name} time.")
    if value.get("date") and value.get("dateTime"):
        raise ApiError(400, "invalid", f"Invalid {name} time.")
    try:
        if value.get("date"):
            return When(None, date.fromisoformat(str(value["date"])))
        return read_moment(str(value["dateTime"]), str(value.get("timeZone") or ""), name, default_zone, recurring)
    except ValueError as error:
        raise ApiError(400, "invalid", f"Invalid {name} time.") from error


def read_moment(text: str, zone: str, name: str, default_zone: str, recurring: bool) -> When:
    """Read a date and time; without an offset it is in its zone, which must be given then."""
    moment = datetime.fromisoformat(text)
    if "T" not in text.upper():
        raise ValueError("a date without a time")
    if not zone and (moment.tzinfo is None or recurring):
        raise ApiError(400, "required", f"Missing time zone definition for {name} time.")
    try:
        own = ZoneInfo(zone or default_zone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ApiError(400, "invalid", f"Invalid time zone definition for {name} time.") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=own)
    return When(moment.astimezone(UTC).replace(microsecond=0), None, own.key)


def read_instant(text: Any, name: str) -> datetime:
    """Read an RFC 3339 timestamp with an offset; fractions of a second are ignored.

    Raises:
        ApiError: 400, as Google says it.
    """
    try:
        moment = datetime.fromisoformat(str(text))
        if moment.tzinfo is None:
            raise ValueError("no offset")
    except ValueError as error:
        raise ApiError(400, "badRequest", "Bad Request", location=f"parameter:{name}") from error
    return moment.astimezone(UTC).replace(microsecond=0)


def read_range(low: Any, high: Any) -> tuple[datetime | None, datetime | None]:
    """Read timeMin and timeMax, either of which may be missing.

    Raises:
        ApiError: 400 for text that is no timestamp and for an empty range.
    """
    start = read_instant(low, "timeMin") if low else None
    end = read_instant(high, "timeMax") if high else None
    if start and end and start >= end:
        raise empty_range("parameter:timeMax")
    return start, end


def read_zone(name: str, default: str) -> ZoneInfo:
    """Read a time-zone parameter.

    Raises:
        ApiError: 400 for an unknown name.
    """
    try:
        return ZoneInfo(name or default)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ApiError(400, "invalid", f"Invalid time zone: {name}", location="parameter:timeZone") from error


def asked_range(call: Call) -> tuple[datetime | None, datetime | None]:
    """timeMin and timeMax of a call's query."""
    return read_range(call.arg("timeMin"), call.arg("timeMax"))


def empty_range(location: str = "") -> ApiError:
    """Google's error for an end that is not after its start."""
    message = "The specified time range is empty."
    return ApiError(400, "timeRangeEmpty", message, domain="calendar", location=location)
