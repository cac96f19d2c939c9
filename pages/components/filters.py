"""The period and the filters above a page of numbers; they live in the URL."""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from datetime import time as clock
from zoneinfo import ZoneInfo

import streamlit as st

from telemetry.formats import HOUR, MINUTE, SECOND, local
from telemetry.queries import Glass, Selection

RANGES = {"1 h": HOUR, "24 h": 24 * HOUR, "7 d": 7 * 24 * HOUR, "30 d": 30 * 24 * HOUR}
DEFAULT_RANGE = "24 h"
CUSTOM = "Custom"
"""In place of a range's name: from one moment to another, both in the URL, in the user's zone."""
MOMENT = "%Y-%m-%dT%H:%M"
STATUSES = {"done": "Answered", "failed": "Failed", "stopped": "Stopped", "interrupted": "Interrupted"}


@dataclass(frozen=True)
class Chosen:
    """What is chosen: the turns, and how long the period is in words, such as `24 h`.

    Attributes:
        custom: Whether it lies between two moments that were chosen, so that it need not end now.
    """

    selection: Selection
    period: str
    custom: bool = False

    @property
    def name(self) -> str:
        """The period in a sentence that begins with “the”."""
        return f"{'chosen' if self.custom else 'last'} {self.period}"


def choose(glass: Glass, user_id: str, zone: ZoneInfo) -> Chosen:
    """Draw the filters; only those with something to choose from."""
    labelled = st.session_state.get("range") == CUSTOM  # its two moments have labels above
    with st.container(horizontal=True, vertical_alignment="bottom" if labelled else "center"):
        period = st.segmented_control(
            "Period",
            [*RANGES, CUSTOM],
            default=DEFAULT_RANGE,
            required=True,
            key="range",
            bind="query-params",
            label_visibility="collapsed",
        )
        end = time.time_ns()
        between = moments(zone, end) if period == CUSTOM else None
        whole = between or Selection(end - RANGES.get(period or "", RANGES[DEFAULT_RANGE]), end)
        choices = glass.choices(user_id, whole)
        with st.popover("Filters", icon=":material/filter_list:"):
            selection = Selection(
                whole.start_ns,
                whole.end_ns,
                agents=narrow("Agents", choices.agents, "agent"),
                routes=narrow("Routes", choices.routes, "route"),
                models=narrow("Models", choices.models, "model"),
                statuses=narrow("How they ended", tuple(STATUSES), "status"),
            )
        st.caption(f"Times in {zone.key}")
    gone = glass.gone_before()
    if gone > whole.start_ns:
        day = f"{local(gone, zone):%-d %b %Y, %H:%M}"
        st.caption(f"Single turns from before {day} are no longer kept; the sums have them, lists do not.")
    if period == CUSTOM and between is None:
        st.warning("The period must end after it begins. Until then, the last 24 h are shown.")
    return Chosen(selection, length_of(whole), between is not None)


def moments(zone: ZoneInfo, now_ns: int) -> Selection | None:
    """Draw the choice of two moments; what lies between them, None if that is nothing."""
    today = datetime.combine(local(now_ns, zone).date(), clock())
    since, until = (
        st.datetime_input(label, today + timedelta(days=days), key=key, bind="query-params", width=190)
        for label, key, days in (("From", "since", -7), ("Until", "until", 1))
    )
    return between_moments(since, until, zone)


def between_moments(since: datetime | None, until: datetime | None, zone: ZoneInfo) -> Selection | None:
    """The turns between two moments on a zone's clocks; None if one is missing or they are the wrong way round."""
    if since is None or until is None:
        return None
    start, end = (int(moment.replace(tzinfo=zone).timestamp()) * SECOND for moment in (since, until))
    return Selection(start, end) if start < end else None


def length_of(selection: Selection) -> str:
    """How long a period is: `7 d`, `25 h`, `90 min`; of two days and less in hours."""
    length = selection.end_ns - selection.start_ns
    if length % (24 * HOUR) == 0 and length > 48 * HOUR:
        return f"{length // (24 * HOUR)} d"
    return f"{length // HOUR} h" if length % HOUR == 0 else f"{length // MINUTE} min"


def narrow(label: str, options: tuple[str, ...], key: str) -> tuple[str, ...]:
    """One filter; nothing chosen means all."""
    chosen = st.multiselect(
        label,
        options,
        key=key,
        placeholder="All",
        format_func=lambda option: STATUSES.get(option, option) if key == "status" else option,
        bind="query-params",
    )
    return tuple(chosen)
