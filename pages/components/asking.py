"""Puts a question to the runtime, from the input, a suggestion or an answer that failed."""

import streamlit as st

from core.errors import GlassdeskError
from pages.components.markdown import literal
from pages.components.page import Page

INPUT = "question"
REFUSED = "refused"
CONVERSATION = "c"


def ask(page: Page, text: str) -> None:
    """Begin to answer; a question that is refused goes back into the input, with the reason above it."""
    try:
        turn = page.services.runtime.start(page.user, text, st.query_params.get(CONVERSATION))
    except GlassdeskError as error:
        st.session_state[INPUT], st.session_state[REFUSED] = text, error.sentence
    else:
        st.query_params[CONVERSATION] = turn.conversation_id


def ask_typed(page: Page) -> None:
    """Ask what stands in the input."""
    ask(page, st.session_state[INPUT])


def refusal() -> None:
    """Say why the last question was refused, if it was; its text stands in the input again."""
    if sentence := st.session_state.pop(REFUSED, None):
        st.warning(literal(sentence), icon=":material/info:")
