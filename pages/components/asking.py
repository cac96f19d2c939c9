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
    forget()
    try:
        turn = page.services.runtime.start(page.user, text, st.query_params.get(CONVERSATION))
    except GlassdeskError as error:
        st.session_state[INPUT] = text
        say(error.sentence)
    else:
        st.query_params[CONVERSATION] = turn.conversation_id


def ask_typed(page: Page) -> None:
    """Ask what stands in the input."""
    ask(page, st.session_state[INPUT])


def say(sentence: str) -> None:
    """Say above the input why something was not done; it stands there until the next thing is done."""
    st.session_state[REFUSED] = sentence


def forget() -> None:
    """What was said has been read."""
    st.session_state.pop(REFUSED, None)


def refusal() -> None:
    """Draw why the last thing was not done, if it was not; the text of a question stands in the input again."""
    if sentence := st.session_state.get(REFUSED):
        st.warning(literal(sentence), icon=":material/info:")
