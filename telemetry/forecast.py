"""What the month will have cost: what it cost so far, and the average of the last days for those that are left."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from telemetry.costs import Costs
from telemetry.formats import DAY, local

DAYS = 7


@dataclass(frozen=True)
class Forecast:
    """Money in 10⁻¹² USD; `unpriced` calls of the month are not in it."""

    so_far: int
    expected: int
    unpriced: int


def month_of(now_ns: int, zone: ZoneInfo) -> tuple[int, int]:
    """The start and the end of a moment's month in a zone, Unix nanoseconds."""
    first = local(now_ns, zone).date().replace(day=1)
    following = (first + timedelta(days=32)).replace(day=1)
    start, end = (datetime.combine(date, time(), zone) for date in (first, following))
    return int(start.timestamp()) * 10**9, int(end.timestamp()) * 10**9


def forecast(costs: Costs, user_id: str, now_ns: int, zone: ZoneInfo) -> Forecast | None:
    """The forecast for a user's month; None where neither the month nor the last week has model calls."""
    start, end = month_of(now_ns, zone)
    first = costs.first_call_ns(user_id, min(start, now_ns - DAYS * DAY))
    if first is None:
        return None
    so_far, unpriced = costs.of_period(user_id, start, now_ns)
    lately, _ = costs.of_period(user_id, now_ns - DAYS * DAY, now_ns)
    measured = min(DAYS * DAY, max(DAY, now_ns - first))
    return Forecast(so_far, so_far + lately * (end - now_ns) // measured, unpriced)
