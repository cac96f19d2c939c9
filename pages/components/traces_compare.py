"""Two turns side by side: their numbers, what differs in words, their phases and waterfalls on one scale."""

import streamlit as st

from pages.components.markdown import literal
from pages.components.page import Page
from pages.components.span_tree import span_tree
from pages.components.traces_place import LATENCY, LIST, parameters, turn_address
from pages.components.waterfall import HEADING, STATES
from telemetry import figures, formats
from telemetry.comparing import differences, latency_of, lines
from telemetry.figures import FIXED, short
from telemetry.palette import Theme
from telemetry.tables import Turn
from telemetry.waterfall import waterfall

NAMES = ("First", "Second")
WIDE = 400
"""Pixels that a waterfall needs; with less room they stand one below the other."""


def comparison(page: Page, pair: str, theme: Theme) -> None:
    """Draw it."""
    written = st.query_params.get(LIST, "")
    st.button(
        "Back to the list", key="to_list", icon=":material/arrow_back:", type="tertiary", on_click=back, args=[written]
    )
    ids = pair.split(",")[:2]
    found = page.services.glass.turn_summaries(page.user.id, ids)
    turns = [found[turn_id] for turn_id in ids if turn_id in found]
    if len(turns) != 2:
        st.error("Two turns are needed, and these are not both there. Go back to the list and tick two.")
        return
    first, second = turns
    heads(page, turns, written)
    tools = [page.services.glass.tool_calls(page.user.id, turn.turn_id) for turn in turns]
    st.subheader("What differs", anchor=False)
    st.markdown("\n".join(f"- {literal(sentence)}" for sentence in differences(first, second, tools)))
    numbers(first, second)
    charts(page, turns, theme)


def back(written: str) -> None:
    """To the list as it was."""
    st.query_params.from_dict(parameters(written))


def heads(page: Page, turns: list[Turn], written: str) -> None:
    """Which turns they are."""
    with st.grid(2, min_column_width=300):
        for name, turn in zip(NAMES, turns, strict=True):
            with st.container(border=True, height="stretch"):
                state, color = STATES.get(turn.status, (turn.status, "gray"))
                st.markdown(f"{name} · **{literal(short(turn.question or 'a turn', HEADING))}**")
                with st.container(horizontal=True, vertical_alignment="center"):
                    st.badge(state, color=color)
                    told = [formats.moment(turn.start_ns, page.user.zone), turn.route, turn.model]
                    st.caption(literal(" · ".join(part for part in told if part)))
                st.page_link(
                    LATENCY, label="Open", icon=":material/timeline:", query_params=turn_address(turn.turn_id, written)
                )
    st.button("Swap", key="swap", icon=":material/swap_horiz:", type="tertiary", on_click=swap, args=[turns])


def swap(turns: list[Turn]) -> None:
    """The other way round."""
    st.query_params["compare"] = ",".join(turn.turn_id for turn in reversed(turns))


def numbers(first: Turn, second: Turn) -> None:
    """Their numbers as a table."""
    st.subheader("The numbers", anchor=False)
    st.dataframe(
        [
            {"": line.name, NAMES[0]: line.first, NAMES[1]: line.second, "Second less first": line.difference}
            for line in lines(first, second)
        ],
        hide_index=True,
        height="content",
        key="compared",
        alt="The numbers of both turns and their differences",
    )


def charts(page: Page, turns: list[Turn], theme: Theme) -> None:
    """Phases and steps of each."""
    st.subheader("Where the time went", anchor=False)
    st.caption("Both on one scale.")
    longest, widest = (max(times(turn) for turn in turns) for times in (latency, wall))
    with st.grid(2, min_column_width=WIDE):
        for name, turn in zip(NAMES, turns, strict=True):
            with st.container():
                st.markdown(f"**{name}**")
                spans = page.services.glass.spans(page.user.id, turn.turn_id)
                if turn.phases:
                    strip = figures.phase_strip(turn.phases, theme, longest)
                    st.plotly_chart(strip, key=f"strip-{name}", config=FIXED, alt=f"Phases of the {name.lower()} turn")
                    st.html(figures.phase_key(turn.phases, theme))
                if spans and turn.status != "running":
                    said = f"Steps of the {name.lower()} turn"
                    span_tree(waterfall(spans), theme, said, f"steps-{name}", width_ns=widest)
                else:
                    st.caption("Its steps are not kept any more." if turn.status != "running" else "It still runs.")


def latency(turn: Turn) -> int:
    """What the strip of phases shows, in nanoseconds."""
    return latency_of(turn) or 0


def wall(turn: Turn) -> int:
    """What the steps show, in nanoseconds."""
    return turn.wall_ns or 0
