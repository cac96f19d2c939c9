"""One turn: what it took, where the time went, and each of its spans."""

import time

import streamlit as st

from core.store.feedback import Feedbacks
from core.users import User
from pages.components.markdown import literal
from pages.components.rating import rated
from pages.components.span_details import details
from pages.components.span_tree import span_tree
from telemetry import figures, formats
from telemetry.figures import FIXED, short
from telemetry.palette import Theme
from telemetry.phases import Phase
from telemetry.queries import Glass
from telemetry.tables import Turn
from telemetry.waterfall import Row, Waterfall, now_in, waterfall, what_took_the_time

POLL_SECONDS = 1.0
HEADING = 160
"""Characters of a question that stand above its turn."""
STATES = {
    "running": ("Running", "blue"),
    "done": ("Answered", "green"),
    "failed": ("Failed", "red"),
    "stopped": ("Stopped", "orange"),
    "interrupted": ("Interrupted", "orange"),
}


def turn_view(glass: Glass, user: User, turn_id: str, theme: Theme, feedback: Feedbacks) -> None:
    """Draw a turn; one that runs is drawn again and again until it ends."""
    turn = glass.turn(user.id, turn_id)
    if turn is None:
        st.error("There is no such turn. It may have been deleted, or the link is incomplete: go back to all turns.")
        return
    heading(turn, user)
    if given := feedback.of_conversation(user.id, turn.conversation_id).get(turn_id):
        rated(given)
    if turn.status == "running":
        st.fragment(live, run_every=POLL_SECONDS)(glass, user, turn_id, theme)
    else:
        numbers(turn)
        spans = glass.spans(user.id, turn_id)
        if spans:
            account(glass, user, turn, waterfall(spans), theme)
        else:
            st.info("The steps of this turn are not kept any more, only its sums.")
            strip(turn, turn.phases, theme, "The phases of the turn")


def live(glass: Glass, user: User, turn_id: str, theme: Theme) -> None:
    """A running turn as it is now."""
    turn = glass.turn(user.id, turn_id)
    if turn is None or turn.status != "running":
        st.rerun()
    drawn = waterfall(glass.spans(user.id, turn_id), time.time_ns())
    st.markdown(f":blue[Running for **{formats.duration(drawn.account.wall_ns)}**, now in `{now_in(drawn)}`.]")
    account(glass, user, turn, drawn, theme)


def heading(turn: Turn, user: User) -> None:
    """What was asked, when, who answered, and the way back to the conversation."""
    question = turn.question or "A turn"
    cut = short(question, HEADING)
    st.subheader(literal(cut), anchor=False, help=literal(question) if cut != question else None)
    state, color = STATES.get(turn.status, (turn.status, "gray"))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.badge(state, color=color)
        told = [formats.moment(turn.start_ns, user.zone) + f" ({user.zone.key})", turn.route, turn.model]
        told += [" → ".join(turn.agents)] if turn.agents else []
        told += [f"recorded by {turn.service}"] if turn.service else []
        st.caption(literal(" · ".join(part for part in told if part)))
        if not turn.service:
            asked = {"c": turn.conversation_id}
            st.page_link("chat.py", label="Conversation", icon=":material/forum:", query_params=asked)
    if turn.error:
        st.error(literal(turn.error))
    if turn.status == "interrupted":
        st.warning("The process ended while this turn was running. What was recorded until then is below.")


def numbers(turn: Turn) -> None:
    """The turn's own numbers; unknown ones say so."""
    phases = turn.phases
    waited = phases.get(Phase.APPROVAL_WAIT, 0)
    tokens = None if turn.input_tokens is None else turn.input_tokens + (turn.output_tokens or 0)
    cells = [
        ("Took", formats.duration(None if turn.wall_ns is None else turn.wall_ns - waited)),
        ("First word", formats.duration(turn.first_token_ns)),
        ("Own overhead", formats.duration(phases.get(Phase.FRAMEWORK, 0))),
        ("Tools", formats.count(turn.tools)),
        ("Tokens", ("≈ " if turn.estimated else "") + formats.count(tokens)),
        ("Cost", literal(formats.money(turn.cost_pico_usd, turn.unpriced))),
    ]
    cells += [("Waited for you", formats.duration(waited))] if waited else []
    with st.grid(min_column_width=120):
        for label, value in cells:
            estimate = "Our own estimate; the model reports no counts." if value.startswith("≈") else None
            st.metric(label, value, help=estimate, border=True, height="stretch")


def account(glass: Glass, user: User, turn: Turn, drawn: Waterfall, theme: Theme) -> None:
    """The phases, the sentence, the waterfall, the steps as a table, and the chosen span."""
    sentence = what_took_the_time(drawn)
    st.markdown(literal(sentence))
    strip(turn, drawn.account.phases, theme, sentence)
    chosen = st.query_params.get("span")
    st.markdown("**Every step, from the question to the end**")
    st.caption("Faded: off the critical path. Underlined: what the turn waited for. Click one to see into it.")
    span_tree(drawn, theme, sentence, f"waterfall-{turn.turn_id}", open_span, chosen)
    if chosen in {row.span_id for row in drawn.rows}:
        details(glass, user.id, turn.turn_id, chosen)
    with st.expander("The same as a table", icon=":material/table_rows:"):
        steps(drawn, turn.turn_id)


def strip(turn: Turn, phases: dict[str, int], theme: Theme, alt: str) -> None:
    """The phases to scale, with their key."""
    if phases:
        st.plotly_chart(figures.phase_strip(phases, theme), key=f"strip-{turn.turn_id}", config=FIXED, alt=alt)
        st.html(figures.phase_key(phases, theme))


def steps(drawn: Waterfall, turn_id: str) -> None:
    """The waterfall as a table; a click opens a step too."""
    key = f"steps-{turn_id}"
    st.dataframe(
        [cells_of(row) for row in drawn.rows],
        key=key,
        hide_index=True,
        on_select=lambda: open_row(key, drawn.rows),
        selection_mode="single-cell",
        alt="Every step of the turn with its start, its duration and the part of the turn's time that is its own",
    )


def cells_of(row: Row) -> dict[str, str]:
    """One step in words."""
    state = "running" if row.open else "failed" if row.failed else "ok"
    return {
        "Step": "\u2003" * row.depth + row.name,
        "Kind": formats.phase(row.phase),
        "Began after": formats.duration(row.start_ns),
        "Took": formats.duration(row.ns),
        "Itself": formats.duration(row.self_ns),
        "Of the turn's time": formats.duration(row.own_ns) if row.critical else formats.NONE,
        "On the critical path": "yes" if row.critical else "no",
        "State": state,
    }


def open_span(span_id: str) -> None:
    """Remember the span that was clicked in the tree."""
    st.query_params["span"] = span_id


def open_row(table_key: str, rows: tuple[Row, ...]) -> None:
    """Remember the span that was clicked in the table."""
    cells = st.session_state[table_key].selection.cells
    if cells and cells[0][0] < len(rows):
        st.query_params["span"] = rows[cells[0][0]].span_id
