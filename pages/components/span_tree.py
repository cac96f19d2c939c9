"""The steps of a turn as a tree with a bar each; it folds, and draws only what is in sight."""

from collections.abc import Callable
from math import floor, log10
from typing import Any, Final

import streamlit as st

from pages.components.span_tree_script import CSS, HTML, SCRIPT
from telemetry import formats
from telemetry.palette import PALETTES, Theme
from telemetry.waterfall import Row, Waterfall

MANY: Final = 200
"""Steps from which a tree begins folded."""
TICKS: Final = 5

TREE = st.components.v2.component("glassdesk_span_tree", html=HTML, css=CSS, js=SCRIPT)


def span_tree(
    drawn: Waterfall,
    theme: Theme,
    label: str,
    key: str,
    chosen: Callable[[str], None] | None = None,
    selected: str | None = None,
    width_ns: int = 0,
) -> None:
    """Draw the tree.

    Args:
        label: What it shows, for those who do not see it.
        chosen: Called with the id of a step that was clicked.
        selected: The id of the step that is open.
        width_ns: The time that the whole width stands for, if that is more.
    """

    def on_span() -> None:
        if chosen is not None and (span_id := st.session_state[key].get("span")):
            chosen(str(span_id))

    TREE(data=data_of(drawn, theme, label, selected, width_ns), key=key, on_span_change=on_span, height="content")


def data_of(
    drawn: Waterfall, theme: Theme, label: str, selected: str | None = None, width_ns: int = 0
) -> dict[str, Any]:
    """What the browser needs of a waterfall; places are per cent of the whole width."""
    palette, whole = PALETTES[theme], max(drawn.account.wall_ns, width_ns, 1)
    colors = {**palette.phases, "": palette.container}
    numbers = {name: number for number, name in enumerate(colors)}
    begin = min((first for first, _ in drawn.account.critical.values()), default=0)
    path = {span_id: (first - begin, last - begin) for span_id, (first, last) in drawn.account.critical.items()}
    return {
        "rows": [
            cells(row, numbers["" if row.container else row.phase], path.get(row.span_id), whole) for row in drawn.rows
        ],
        "colors": list(colors.values()),
        "failed": palette.failed,
        "ticks": [(share(ns, whole), formats.duration(ns)) for ns in ticks(whole)],
        "selected": selected,
        "many": MANY,
        "label": label,
    }


def cells(row: Row, color: int, path: tuple[int, int] | None, whole: int) -> list[Any]:
    """One row, in the order in which the script reads it."""
    flags = {"on": row.critical, "holds": row.container, "open": row.open, "failed": row.failed}
    state = " …" if row.open else ""
    said = f"{row.name}: took {formats.duration(row.ns)}, {formats.duration(row.self_ns)} of it itself"
    said += "; still running" if row.open else "; failed" if row.failed else ""
    said += "" if row.critical else "; off the critical path"
    start = min(max(row.start_ns, 0), whole)
    first, last = path if path is not None and not row.container else (0, 0)
    return [
        row.span_id,
        row.name,
        row.depth,
        share(start, whole),
        share(min(row.ns, whole - start), whole),
        color,
        " ".join(name for name, holds in flags.items() if holds),
        formats.duration(row.ns) + state,
        said,
        share(first, whole),
        share(last, whole),
    ]


def share(ns: int, whole: int) -> float:
    """A time as per cent of the width."""
    return round(100 * ns / whole, 4)


def ticks(whole: int) -> list[int]:
    """Round times on the axis, from 0 on, the last with room for its words."""
    rough = whole / TICKS
    power = 10 ** floor(log10(rough)) if rough >= 1 else 1
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    return [at for at in range(0, whole + 1, int(step)) if at <= 0.92 * whole]
