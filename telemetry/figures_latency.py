"""Figures of the Latency page over many turns: the heat map, and the phases of groups of turns."""

import re
from collections.abc import Sequence
from datetime import datetime

import plotly.graph_objects as go

from telemetry.accounts import Group
from telemetry.buckets import tick_format
from telemetry.figures import BARE, scale_of, short
from telemetry.formats import NONE, counted, duration, phase
from telemetry.heat import Heat
from telemetry.palette import PALETTES, Theme
from telemetry.phases import Phase

LONGEST_NAME = 28


def heat_map(heat: Heat, theme: Theme) -> go.Figure:
    """Time across, how long turns took upwards, the more turns the stronger; cells without turns stay empty."""
    palette = PALETTES[theme]
    names = [span_of(low, high) for low, high in zip(heat.lows, heat.highs, strict=True)]
    figure = go.Figure(
        go.Heatmap(
            x=heat.starts,
            y=names,
            z=[[int(number) or None for number in row] for row in heat.turns],
            colorscale=[[0, faint(palette.accent)], [1, palette.accent]],
            zmin=0,
            zmax=int(heat.turns.max()),
            text=[
                [
                    f"{counted(int(n), 'turn')} took {name}<br>{start:%a %-d %b, %H:%M}"
                    for n, start in columns(row, heat)
                ]
                for row, name in zip(heat.turns, names, strict=True)
            ],
            hoverinfo="text",
            hoverongaps=False,
            xgap=1,
            ygap=1,
            colorbar={"title": {"text": "turns"}, "thickness": 10, "outlinewidth": 0, "nticks": 4, "tickformat": ",d"},
        )
    )
    figure.update_xaxes(showgrid=False, fixedrange=True, nticks=6, tickformat=tick_format(heat.starts))
    figure.update_yaxes(showgrid=False, fixedrange=True, type="category", automargin=True)
    figure.update_layout(**BARE, height=110 + 26 * len(names))
    return figure


def columns(row: Sequence[int], heat: Heat) -> list[tuple[int, datetime]]:
    """The cells of a row with their times."""
    return list(zip(row, heat.starts, strict=True))


def span_of(low: int, high: int) -> str:
    """A row's times: `1–2 s`; the unit once where both have the same."""
    first, last = compact(low), compact(high)
    one, other = first.split(" "), last.split(" ")
    return f"{one[0]}–{last}" if len(one) == len(other) == 2 and one[1] == other[1] else f"{first} – {last}"


def compact(ns: int) -> str:
    """A round time without what says nothing: `2 s` for `2.00 s`, `10 ms`, `5 min` for `5 min 0 s`."""
    whole = re.sub(r"( 0 (min|s))+$", "", duration(ns))
    number, _, unit = whole.rpartition(" ")
    return f"{float(number):g} {unit}" if number.replace(".", "").isdigit() else whole


def faint(color: str) -> str:
    """A colour as the weakest of its scale."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.12)"


def group_bars(groups: Sequence[Group], theme: Theme) -> go.Figure:
    """A bar a group: the phases of its turns on average, the first group on top; colours are told elsewhere."""
    palette = PALETTES[theme]
    unit, name = scale_of(max((group.mean_ns() for group in groups), default=0))
    titles = [short(title_of(group), LONGEST_NAME) for group in groups]
    figure = go.Figure()
    for key in Phase:
        times = [group.mean_ns(key) for group in groups]
        if key == Phase.APPROVAL_WAIT or not any(times):
            continue
        figure.add_bar(
            y=list(range(len(groups))),
            x=[ns / unit for ns in times],
            orientation="h",
            name=phase(key),
            marker={"color": palette.phases[key], "line": {"width": 0}},
            hovertext=[f"{phase(key)} {duration(ns)} a turn" for ns in times],
            hoverinfo="text",
        )
    figure.update_yaxes(
        tickvals=list(range(len(groups))), ticktext=titles, autorange="reversed", showgrid=False, fixedrange=True
    )
    figure.update_xaxes(title=f"{name} a turn", rangemode="tozero", fixedrange=True)
    figure.update_layout(**BARE, barmode="stack", bargap=0.3, height=80 + 30 * len(groups), showlegend=False)
    return figure


def title_of(group: Group) -> str:
    """A group's name: what its turns have in common."""
    return " · ".join(part.rpartition("/")[2] if part else NONE for part in group.key) or "All turns"
