"""Numbers to Plotly figures, in the fixed colours of the phases; no Streamlit here."""

from collections.abc import Sequence
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

import plotly.graph_objects as go

from telemetry.buckets import tick_format
from telemetry.formats import HOUR, MILLI, MINUTE, SECOND, duration, local, moment, percent, phase
from telemetry.latency import Stretch
from telemetry.palette import PALETTES, Theme
from telemetry.phases import Phase
from telemetry.reference import Comparison
from telemetry.tables import Turn

BARE: dict[str, Any] = {"margin": {"l": 0, "r": 0, "t": 8, "b": 0}, "dragmode": False}
FEWEST: int = 12
"""Bars for which there is place at least, so that one alone is no wall."""
FIXED = {"displayModeBar": False, "scrollZoom": False, "doubleClick": False}


def scale_of(longest_ns: float) -> tuple[int, str]:
    """The unit of an axis: nanoseconds in it, and its name."""
    if longest_ns >= 5 * MINUTE:
        return MINUTE, "minutes"
    return (SECOND, "seconds") if longest_ns >= SECOND else (MILLI, "milliseconds")


def stacked(turns: Sequence[Turn], theme: Theme, zone: ZoneInfo) -> go.Figure:
    """A bar a turn, by phase, oldest left; a point's custom data is its turn's id. Waiting for you starts hidden."""
    palette = PALETTES[theme]
    unit, name = scale_of(max((turn.wall_ns or 0 for turn in turns), default=0))
    figure = go.Figure()
    for key in Phase:
        times = [turn.phases.get(key, 0) for turn in turns]
        if not any(times):
            continue
        figure.add_bar(
            x=list(range(len(turns))),
            y=[ns / unit for ns in times],
            name=phase(key),
            marker={"color": palette.phases[key], "line": {"width": 0}},
            customdata=[turn.turn_id for turn in turns],
            hovertext=[hover_of(turn, key, zone) for turn in turns],
            hoverinfo="text",
            visible="legendonly" if key == Phase.APPROVAL_WAIT else True,
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
        )
    every = max(len(turns), FEWEST) // 6
    shown = list(range(0, len(turns), every))
    days = bool(turns) and turns[-1].start_ns - turns[0].start_ns > 20 * HOUR
    labels = [f"{local(turns[at].start_ns, zone):{'%a %H:%M' if days else '%H:%M'}}" for at in shown]
    room = [-0.5, max(len(turns), FEWEST) - 0.5]
    figure.update_xaxes(tickvals=shown, ticktext=labels, range=room, showgrid=False, fixedrange=True)
    figure.update_yaxes(title=name, rangemode="tozero", fixedrange=True)
    figure.update_layout(**BARE, barmode="stack", bargap=0.25, height=320, legend=legend(), clickmode="event+select")
    return figure


def legend() -> dict[str, Any]:
    """A legend below the axis, in the order of the stack; however many rows it takes, it covers no label."""
    return {"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "traceorder": "normal"}


def hover_of(turn: Turn, key: Phase, zone: ZoneInfo) -> str:
    """What a part of a bar says."""
    question = short(turn.question or "A turn", 60)
    part = f"<b>{phase(key)} {duration(turn.phases.get(key, 0))}</b> of {duration(turn.wall_ns)}"
    return f"{escape(question)}<br>{part}<br>{moment(turn.start_ns, zone)}"


def short(text: str, length: int) -> str:
    """A text cut to a length."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def trend(course: Sequence[Stretch], theme: Theme) -> go.Figure:
    """Percentiles and the first word over time, from `latency.trend`; no line where there were no turns."""
    palette = PALETTES[theme]
    unit, name = scale_of(max((stretch.p95_ns or 0 for stretch in course), default=0))
    lines = (
        ("95 % within", [stretch.p95_ns for stretch in course], palette.second),
        ("Median", [stretch.p50_ns for stretch in course], palette.accent),
        ("First word", [stretch.first_word_ns for stretch in course], palette.third),
    )
    figure = go.Figure()
    for title, times, color in lines:
        texts = [
            f"{title} {duration(ns)} · {stretch.turns} turns<br>{stretch.start:%a %-d %b, %H:%M}"
            for ns, stretch in zip(times, course, strict=True)
        ]
        figure.add_scatter(
            x=[stretch.start for stretch in course],
            y=[None if ns is None else ns / unit for ns in times],
            name=title,
            mode="lines+markers",
            line={"color": color, "width": 2},
            marker={"size": 6},
            hovertext=texts,
            hoverinfo="text",
        )
    figure.update_yaxes(title=name, rangemode="tozero", fixedrange=True)
    ticks = tick_format([stretch.start for stretch in course])
    figure.update_xaxes(showgrid=False, fixedrange=True, nticks=6, tickformat=ticks)
    figure.update_layout(**BARE, height=280, legend=legend())
    return figure


def phase_strip(phases: dict[str, int], theme: Theme, width_ns: int = 0) -> go.Figure:
    """One bar: the phases of a turn, to scale, without the wait for a person.

    Args:
        width_ns: The time that the whole width stands for, if that is more.
    """
    shown = {key: ns for key, ns in phases.items() if key != Phase.APPROVAL_WAIT}
    figure = go.Figure()
    for key, ns in shown.items():
        figure.add_bar(
            x=[ns],
            y=[""],
            orientation="h",
            marker={"color": PALETTES[theme].phases[key], "line": {"width": 0}},
            hovertext=f"{phase(key)} {duration(ns)}",
            hoverinfo="text",
            showlegend=False,
        )
    figure.update_xaxes(visible=False, fixedrange=True, range=[0, max(1, width_ns, sum(shown.values()))])
    figure.update_yaxes(visible=False, fixedrange=True)
    figure.update_layout(**BARE, barmode="stack", height=40, bargap=0)
    return figure


def phase_key(phases: dict[str, int], theme: Theme) -> str:
    """The phases with their colours and times as HTML that wraps; it holds nothing but our own words."""
    total = max(1, sum(ns for key, ns in phases.items() if key != Phase.APPROVAL_WAIT))
    square = '<span style="display:inline-block;width:.7em;height:.7em;border-radius:2px;background:{}"></span>'
    items = []
    for key, ns in phases.items():
        share = "" if key == Phase.APPROVAL_WAIT else f" {percent(ns / total)}"
        color = PALETTES[theme].phases[key]
        items.append(f"<span>{square.format(color)} {phase(key)} <b>{duration(ns)}</b>{share}</span>")
    return f'<div style="display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;font-size:.85rem">{"".join(items)}</div>'


def comparison(found: Comparison, theme: Theme) -> go.Figure:
    """The reference design's phases beside ours."""
    palette = PALETTES[theme]
    names = [row.name for row in found.rows]
    sides = (
        ("Reference design", [row.reference_ns for row in found.rows], palette.container, ""),
        ("Glassdesk", [row.measured_ns for row in found.rows], palette.accent, "not needed"),
    )
    figure = go.Figure()
    for title, times, color, zero in sides:
        figure.add_bar(
            y=names,
            x=[ns / SECOND for ns in times],
            orientation="h",
            name=title,
            marker={"color": color, "line": {"width": 0}},
            text=[duration(ns) if ns else zero for ns in times],
            textposition="outside",
            cliponaxis=False,
            hoverinfo="skip",
        )
    longest = max(max(row.reference_ns, row.measured_ns) for row in found.rows) / SECOND
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True)
    figure.update_xaxes(title="seconds", range=[0, longest * 1.18], fixedrange=True)
    figure.update_layout(**BARE, barmode="group", bargap=0.3, height=380, legend=legend())
    return figure
