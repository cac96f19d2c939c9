"""Chat: ask, and watch the answer come about."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.runtime.turn import Turn
from core.store.tables import Exchange
from core.store.uploads import MOST_BYTES
from pages.components.acting import several
from pages.components.asking import CONVERSATION, INPUT, REDRAWN, ask_typed, refusal
from pages.components.conversation import approvals_of, as_ended, feedback_of, opened, running_turn, turns_of
from pages.components.live_turn import live_answer
from pages.components.messages import Around, answer, question
from pages.components.page import Page, open_page
from pages.components.welcome import welcome
from pages.components.who_answers import back_from_google, who_answers

SHOWN = 20
"""Exchanges drawn at first; a long conversation opens at its end."""
STYLE = Path(__file__).parent / "styles" / "chat.css"
EARLIER = "earlier"
DRAWN = "drawn"


def bottom(page: Page, running: Turn | None, waits: bool) -> None:
    """Why the last question was refused, Stop, and the input."""
    with st.bottom.container(horizontal_alignment="center"):
        refusal()
        if running is not None:
            st.button("Stop", key=f"stop_{running.id}", icon=":material/stop_circle:", on_click=running.cancel)
    st.chat_input(
        "Decide above first, or stop this answer" if waits else "Ask about your mail, calendar and files",
        key=INPUT,
        submit_mode="disable",
        disabled=running is not None,
        accept_file="multiple",
        max_upload_size=MOST_BYTES // 1024**2,
        on_submit=ask_typed,
        args=(page,),
    )


def latest(exchanges: Sequence[Exchange]) -> Sequence[Exchange]:
    """The latest exchanges, and a button for those before."""
    shown = st.session_state.get(EARLIER, SHOWN)
    if len(exchanges) > shown and st.button("Show earlier", icon=":material/expand_less:", type="tertiary"):
        st.session_state[EARLIER] = shown = shown + SHOWN
    return exchanges[-shown:]


def body() -> DeltaGenerator:
    """Where the conversation is drawn: another place than what was drawn before and is no more, which would show
    through until the script ends, and that is not before the answer does."""
    drawn, place = st.session_state.get(DRAWN, (("", 0), 0))
    wanted = (st.query_params.get(CONVERSATION), st.session_state.get(REDRAWN, 0))
    if drawn != wanted:
        place = 1 - place
    st.session_state[DRAWN] = (wanted, place)
    return (st.empty(), st.empty())[place].container()


def draw(
    page: Page, exchanges: Sequence[Exchange], turns: Mapping[str, Turn], running: Turn | None, waits: bool
) -> None:
    """The conversation; follows the answer that is being given to its end.

    Args:
        waits: whether it waited for a person when the input was drawn, which says so: what begins to wait since then
            draws the page again.
    """
    shown = latest(exchanges)
    numbers = page.services.glass.turn_summaries(page.user.id, [exchange.turn_id for exchange in shown])
    asked, feedback = approvals_of(page, shown), feedback_of(page, shown)
    accounts = page.services.accounts.list(page.user)
    for exchange in shown:
        last = exchange is exchanges[-1]
        question(page, exchange, last)
        turn = turns.get(exchange.turn_id)
        if turn is not None and turn is running:
            live_answer(page, turn)
            if waits and not turn.finished:
                return
            st.rerun()
        around = Around(
            numbers.get(exchange.turn_id),
            asked.get(exchange.turn_id, ()),
            feedback.get(exchange.turn_id),
            last,
            exchange.account if several(accounts, exchange.account) else "",
        )
        answer(page, as_ended(exchange, turn), around)


page = open_page()
st.html(STYLE)
back_from_google()
who_answers(page)
live = running_turn(page)
with st.container():
    exchanges = opened(page)
turns = turns_of(page, exchanges, live)
running = next((turn for turn in turns.values() if not turn.finished), None)
waits = running is not None and page.services.runtime.waits(running)
bottom(page, running, waits)
with body():
    if exchanges:
        draw(page, exchanges, turns, running, waits)
    else:
        welcome(page)
