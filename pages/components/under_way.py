"""The turns that run now: for how long, and whether they work or wait for a person."""

import time
from collections.abc import Callable, Collection, Sequence

import streamlit as st

from pages.components.markdown import literal
from telemetry import formats
from telemetry.tables import Turn

WORKS, WAITS = ":material/progress_activity:", ":material/back_hand:"


def under_way(turns: Sequence[Turn], waiting: Collection[str], opened: Callable[[Turn], None]) -> None:
    """A button a turn.

    Args:
        opened: called when it is clicked, before the page is drawn anew.
    """
    for turn in turns:
        waits = turn.turn_id in waiting
        since = formats.duration(time.time_ns() - turn.start_ns)
        label = f"{'Begun' if waits else 'Running for'} {since}{' ago, waiting for a yes' if waits else ''}"
        question = literal(turn.question or "a turn")
        icon = WAITS if waits else WORKS
        st.button(f"{label}: {question}", key=f"run-{turn.turn_id}", icon=icon, on_click=opened, args=[turn])
