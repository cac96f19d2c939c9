"""The row of numbers above the Latency page, each against the period before."""

import streamlit as st

from telemetry.formats import NONE, count, duration, percent, points
from telemetry.latency import Numbers

NARROWEST = 132
NAME_WIDTH = 190
"""Pixels of a name in a table, so that numbers are beside it on a phone, too."""


def latency_numbers(now: Numbers, before: Numbers) -> None:
    """Draw them; two in a row on a phone."""
    with st.grid(4, min_column_width=NARROWEST):
        change = None if not before.turns else now.turns - before.turns
        number("Turns", count(now.turns), signed(change, count), good_up=None)
        durations = (
            ("Median", now.p50_ns, before.p50_ns, "Half of the answers took no longer (p50)."),
            ("95 % within", now.p95_ns, before.p95_ns, "One answer in twenty took longer (p95)."),
            ("99 % within", now.p99_ns, before.p99_ns, "One answer in a hundred took longer (p99)."),
            ("First word", now.first_word_ns, before.first_word_ns, "Median time until the answer began."),
            ("Own overhead", now.overhead_ns, before.overhead_ns, "Median time that is Glassdesk's own."),
        )
        for label, value, was, meaning in durations:
            number(label, duration(value), signed(difference(value, was), duration), help=meaning)
        if now.cache_hits:
            hits = difference(now.cache_hits, before.cache_hits)
            meaning = "Answers that were remembered, at no cost."
            number("From the cache", percent(now.cache_hits), signed(hits, points), help=meaning, good_up=True)
        errors = difference(now.errors, before.errors)
        number("Errors", percent(now.errors), signed(errors, points), help="Failed or interrupted turns.")


def number(
    label: str, value: str, delta: str | int | None, help: str | None = None, good_up: bool | None = False
) -> None:
    """One of them. `good_up` None: neither direction is better."""
    color = "off" if good_up is None else "normal" if good_up else "inverse"
    st.metric(label, value, delta, delta_color=color, help=help, border=True, height="stretch")


def difference(now: float | None, before: float | None) -> float | None:
    """The change, if both are known."""
    return None if now is None or before is None else now - before


def signed(change: float | None, form: object) -> str | int | None:
    """A change with its sign; 0 is drawn without an arrow, None not at all."""
    assert callable(form)
    if change is None:
        return None
    text = form(abs(change))
    if text in (form(0), NONE):
        return 0
    return f"{'-' if change < 0 else '+'}{text}"
