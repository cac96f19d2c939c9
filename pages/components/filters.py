"""The period and the filters above a page of numbers; they live in the URL."""

import time
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import streamlit as st

from telemetry.formats import HOUR, local
from telemetry.queries import Glass, Selection

RANGES = {"1 h": HOUR, "24 h": 24 * HOUR, "7 d": 7 * 24 * HOUR, "30 d": 30 * 24 * HOUR}
DEFAULT_RANGE = "24 h"
STATUSES = {"done": "Answered", "failed": "Failed", "stopped": "Stopped", "interrupted": "Interrupted"}


@dataclass(frozen=True)
class Chosen:
    """What is chosen: the turns, and the period's name."""

    selection: Selection
    period: str


def choose(glass: Glass, user_id: str, zone: ZoneInfo) -> Chosen:
    """Draw the filters; only those with something to choose from."""
    with st.container(horizontal=True, vertical_alignment="center"):
        period = st.segmented_control(
            "Period",
            list(RANGES),
            default=DEFAULT_RANGE,
            required=True,
            key="range",
            bind="query-params",
            label_visibility="collapsed",
        )
        end = time.time_ns()
        whole = Selection(end - RANGES[period or DEFAULT_RANGE], end)
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
    return Chosen(selection, period or DEFAULT_RANGE)


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
