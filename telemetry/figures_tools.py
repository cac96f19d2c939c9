"""Figures of tool calls: how many over time, and how many of them failed."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import pandas as pd
import plotly.graph_objects as go

from telemetry.figures import BARE, legend
from telemetry.latency import bucket_edges
from telemetry.palette import PALETTES, Theme
from telemetry.queries import Selection


def calls_over_time(
    course: Sequence[tuple[int, int, int]], selection: Selection, zone: ZoneInfo, theme: Theme
) -> go.Figure:
    """Bars of calls by five minutes, hour or day of the zone, the failed ones on top.

    Args:
        course: (Unix nanoseconds, calls, failed calls) from `ToolStats.course`.
    """
    edges = bucket_edges(selection, zone)
    places = places_of([start for start, *_ in course], edges)
    ok: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    for place, (_, calls, failures) in zip(places, course, strict=True):
        ok[place] += calls - failures
        failed[place] += failures
    palette = PALETTES[theme]
    figure = go.Figure()
    for title, counts, color in (("Went well", ok, palette.accent), ("Failed", failed, palette.failed)):
        numbers = [counts[place] for place in range(len(edges))]
        figure.add_bar(
            x=edges,
            y=numbers,
            name=title,
            marker={"color": color, "line": {"width": 0}},
            hovertext=[f"{title}: {n:,}<br>{when(edge)}" for n, edge in zip(numbers, edges, strict=True)],
            hoverinfo="text",
        )
    figure.update_yaxes(title="calls", rangemode="tozero", fixedrange=True, tickformat=",d", nticks=5)
    figure.update_xaxes(showgrid=False, fixedrange=True, nticks=6, tickformat=tick_format(edges))
    figure.update_layout(**BARE, barmode="stack", bargap=0.2, height=240, legend=legend())
    return figure


def places_of(starts_ns: Sequence[int], edges: pd.DatetimeIndex) -> list[int]:
    """The bucket of each moment; what began just before the first edge belongs to the first bucket."""
    found = edges.as_unit("ns").asi8.searchsorted(starts_ns, side="right") - 1
    return [max(0, int(place)) for place in found]


def tick_format(edges: pd.DatetimeIndex) -> str:
    """Days for a course of days, otherwise the time of day."""
    return "%-d %b" if len(edges) > 1 and edges[1] - edges[0] > pd.Timedelta(hours=2) else "%H:%M"


def when(edge: datetime) -> str:
    """The start of a bucket in words."""
    return f"{edge:%a %-d %b, %H:%M}"
