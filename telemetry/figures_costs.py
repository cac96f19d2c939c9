"""Figures of money and tokens: by day and model, and by kind of token."""

from collections.abc import Mapping, Sequence
from html import escape
from zoneinfo import ZoneInfo

import plotly.graph_objects as go

from telemetry.buckets import bucket_edges, tick_format
from telemetry.costs import Line, Spent, by
from telemetry.figures import BARE, legend, short
from telemetry.figures_latency import LONGEST_NAME
from telemetry.figures_tools import when
from telemetry.formats import count, counted, money
from telemetry.palette import PALETTES, Palette, Theme
from telemetry.phases import Phase
from telemetry.pricing import PICO_PER_USD
from telemetry.queries import Selection
from telemetry.spending import buckets

NAMED = 6
"""Models that have a colour of their own; the rest share one."""
OTHERS = "Others"
NO_MODEL = "not named"


def colours(palette: Palette) -> list[str]:
    """The colours of models, the dearest first."""
    phases = palette.phases
    further = (Phase.GOOGLE_API, Phase.ROUTING, Phase.MCP_SETUP)
    return [palette.accent, palette.third, palette.second, *(phases[phase] for phase in further)]


def over_time(lines: Sequence[Line], selection: Selection, zone: ZoneInfo, theme: Theme) -> go.Figure:
    """Money by five minutes, hour or day of the zone, stacked by model; what is not priced is not drawn."""
    palette = PALETTES[theme]
    edges = bucket_edges(selection, zone)
    parts = [joined(models, ranks(lines)) for models in buckets(lines, edges)]
    figure = go.Figure()
    for place, title in enumerate(dict.fromkeys(ranks(lines).values())):
        spent = [models.get(title, Spent()) for models in parts]
        figure.add_bar(
            x=edges,
            y=[(one.pico_usd or 0) / PICO_PER_USD for one in spent],
            name=escape(named(title)),
            marker={"color": [*colours(palette), palette.container][place], "line": {"width": 0}},
            hovertext=[
                f"{escape(title)}: {money(one.pico_usd, one.unpriced)}, {counted(one.calls, 'call')}<br>{when(edge)}"
                for one, edge in zip(spent, edges, strict=True)
            ],
            hoverinfo="text",
        )
    figure.update_yaxes(title="US dollars", rangemode="tozero", fixedrange=True, tickprefix="$", nticks=5)
    figure.update_xaxes(showgrid=False, fixedrange=True, nticks=6, tickformat=tick_format(edges))
    figure.update_layout(**BARE, barmode="stack", bargap=0.2, height=300, legend=legend(), showlegend=True)
    return figure


def ranks(lines: Sequence[Line]) -> dict[str | None, str]:
    """Model → the name under which it is drawn, the dearest first."""
    models = list(by(lines, lambda line: line.model))
    return {model: (model or NO_MODEL) if place < NAMED else OTHERS for place, model in enumerate(models)}


def named(title: str) -> str:
    """A name for which there is room beside a chart; of a long one, what tells most."""
    return title if len(title) <= LONGEST_NAME else short(title.rpartition("/")[2], LONGEST_NAME)


def joined(models: Mapping[str | None, Spent], titles: Mapping[str | None, str]) -> dict[str, Spent]:
    """The sums by the names under which they are drawn."""
    found: dict[str, Spent] = {}
    for model, spent in models.items():
        found[titles[model]] = found.get(titles[model], Spent()) + spent
    return found


def token_kinds(groups: Mapping[str, Spent], theme: Theme) -> go.Figure:
    """Tokens by kind, a bar a group; those that nobody reported are not drawn."""
    palette = PALETTES[theme]
    kinds = {
        "Input": palette.accent,
        "Cached input": palette.container,
        "Output": palette.third,
        "Reasoning": palette.second,
    }
    titles = [escape(title) for title in groups]
    figure = go.Figure()
    for kind, color in kinds.items():
        numbers = [spent.kinds.get(kind, 0) for spent in groups.values()]
        if any(numbers):
            figure.add_bar(
                y=list(range(len(titles))),
                x=numbers,
                name=kind,
                orientation="h",
                marker={"color": color, "line": {"width": 0}},
                hovertext=[f"{title}<br>{kind}: {count(n)} tokens" for title, n in zip(titles, numbers, strict=True)],
                hoverinfo="text",
            )
    figure.update_xaxes(title="tokens", fixedrange=True, nticks=5, tickformat="~s")
    places, texts = list(range(len(titles))), [f"{escape(named(title))} " for title in groups]
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True, tickvals=places, ticktext=texts)
    height = 120 + 34 * len(groups)
    figure.update_layout(**BARE, barmode="stack", bargap=0.35, height=height, legend=legend())
    return figure
