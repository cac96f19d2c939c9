"""Figures of tool calls: how many over time, and how many of them failed."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import plotly.graph_objects as go

from telemetry.buckets import bucket_edges, places_of, tick_format
from telemetry.figures import BARE, legend
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


def when(edge: datetime) -> str:
    """The start of a bucket in words."""
    return f"{edge:%a %-d %b, %H:%M}"
