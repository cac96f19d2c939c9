"""Which two periods are compared: chosen above what got slower, kept in the URL, in the user's zone."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import streamlit as st

from pages.components.filters import Chosen, between_moments
from telemetry.formats import HOUR, MINUTE, SECOND, local
from telemetry.queries import Selection

BEFORE, WEEK, SINCE, OTHER = "The period before", "A week earlier", "Before and since a moment", "Another period"
WAYS = (BEFORE, WEEK, SINCE, OTHER)


@dataclass(frozen=True)
class Compared:
    """Two periods with the same filters."""

    before: Selection
    now: Selection

    @property
    def overlap(self) -> bool:
        """Whether turns may be in both."""
        return self.before.start_ns < self.now.end_ns and self.now.start_ns < self.before.end_ns


def compare_with(chosen: Chosen, zone: ZoneInfo) -> Compared | None:
    """Draw the choice; None where it is none yet, and said why."""
    now = chosen.selection
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.selectbox("Compare with", WAYS, key="against", bind="query-params", width=250)
        if way == WEEK:
            found: Compared | None = Compared(a_week_earlier(now, zone), now)
        elif way == SINCE:
            found = parted(now, asked("The moment", middle_of(now, zone), "moment"), zone)
        elif way == OTHER:
            found = against(now, zone)
        else:
            found = Compared(now.previous(), now)
    say(found, way, zone)
    return found


def say(found: Compared | None, way: str, zone: ZoneInfo) -> None:
    """What is compared, or what is wrong with the choice."""
    if found is None:
        wrong = "The moment must lie within the period above." if way == SINCE else "It must end after it begins."
        st.warning(f"{wrong} Choose another, then what got slower is shown.")
        return
    twice = " The two overlap." if found.overlap else ""
    st.caption(f"{span(found.now, zone)}, against {span(found.before, zone)}.{twice}")


def asked(label: str, default: datetime, key: str) -> datetime | None:
    """Draw one moment on the user's clocks."""
    return st.datetime_input(label, default, key=key, bind="query-params", width=190)


def against(now: Selection, zone: ZoneInfo) -> Compared | None:
    """Draw the choice of any other period."""
    earlier = now.previous()
    since, until = (round_down(local(ns, zone), MINUTE * 15) for ns in (earlier.start_ns, earlier.end_ns))
    other = between_moments(asked("From", since, "other_since"), asked("Until", until, "other_until"), zone)
    return None if other is None else Compared(replace(now, start_ns=other.start_ns, end_ns=other.end_ns), now)


def parted(whole: Selection, moment: datetime | None, zone: ZoneInfo) -> Compared | None:
    """A period before and since a moment on the zone's clocks; None if that is not within it."""
    at = None if moment is None else int(moment.replace(tzinfo=zone).timestamp()) * SECOND
    if at is None or not whole.start_ns < at < whole.end_ns:
        return None
    return Compared(replace(whole, end_ns=at), replace(whole, start_ns=at))


def a_week_earlier(now: Selection, zone: ZoneInfo) -> Selection:
    """The same hours by the zone's clocks, seven days before."""
    start, end = (
        int((local(ns, zone) - timedelta(days=7)).timestamp()) * SECOND + ns % SECOND
        for ns in (now.start_ns, now.end_ns)
    )
    return replace(now, start_ns=start, end_ns=end)


def middle_of(whole: Selection, zone: ZoneInfo) -> datetime:
    """A round moment in the middle of a period, without its zone."""
    length = whole.end_ns - whole.start_ns
    step = 24 * HOUR if length > 72 * HOUR else HOUR if length > 3 * HOUR else 15 * MINUTE
    return round_down(local(whole.start_ns + length // 2, zone), step)


def round_down(moment: datetime, step_ns: int) -> datetime:
    """The last moment of a day's clock that is a whole number of steps after midnight; without a zone."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    step = timedelta(microseconds=step_ns // 1000)
    return midnight + (moment.replace(tzinfo=None) - midnight) // step * step


def span(period: Selection, zone: ZoneInfo) -> str:
    """From when until when."""
    start, end = local(period.start_ns, zone), local(period.end_ns, zone)
    year = "" if start.year == end.year else " %Y"
    return f"{start:{f'%-d %b{year}, %H:%M'}} to {end:%-d %b %Y, %H:%M}"
