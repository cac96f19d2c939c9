"""Puts a question to the runtime, from the input, a suggestion or an answer that failed."""

from collections.abc import Sequence

import streamlit as st

from core.errors import GlassdeskError
from core.store.uploads import Upload
from pages.components.markdown import literal
from pages.components.page import Page

INPUT = "question"
REFUSED = "refused"
EDITED = "edited_question"
REDRAWN = "redrawn"
CONVERSATION = "c"
ACCOUNT = "account_of_new"
"""The Google account that was chosen for the next new conversation."""


def ask(page: Page, text: str, files: Sequence[Upload] = ()) -> None:
    """Begin to answer; a question that is refused goes back into the input, with the reason above it."""
    forget()
    try:
        turn = page.services.runtime.start(
            page.user, text, st.query_params.get(CONVERSATION), files=files, account=account_of_new(page)
        )
    except GlassdeskError as error:
        st.session_state[INPUT] = text
        say(error.sentence)
    else:
        st.query_params[CONVERSATION] = turn.conversation_id


def account_of_new(page: Page) -> str:
    """The account that was chosen for a new conversation, as long as it is connected; empty: the default one."""
    chosen = st.session_state.get(ACCOUNT, "")
    return chosen if any(one.email == chosen for one in page.services.accounts.list(page.user)) else ""


def ask_typed(page: Page) -> None:
    """Ask what stands in the input, with the files that were dropped into it."""
    typed = st.session_state[INPUT]
    ask(page, typed.text, [Upload(file.name, file.type or "", file.getvalue()) for file in typed.files])


def ask_again(page: Page, turn_id: str) -> None:
    """Ask a conversation's last question again; the new answer takes the old one's place."""
    forget()
    try:
        page.services.runtime.regenerate(page.user, turn_id)
    except GlassdeskError as error:
        say(error.sentence)
    else:
        redraw()


def ask_otherwise(page: Page, turn_id: str, key: str) -> None:
    """Ask a conversation's last question again in the words that stand in a text area."""
    forget()
    try:
        page.services.runtime.edit(page.user, turn_id, st.session_state[key])
    except GlassdeskError as error:
        say(error.sentence)
    else:
        redraw()
        close_editor()


def open_editor(turn_id: str) -> None:
    """Let a question be changed."""
    st.session_state[EDITED] = turn_id


def close_editor() -> None:
    """Leave the question as it is."""
    st.session_state.pop(EDITED, None)


def redraw() -> None:
    """Let the conversation be drawn in another place: what an answer leaves behind there would show through the next
    one, until that has ended."""
    st.session_state[REDRAWN] = st.session_state.get(REDRAWN, 0) + 1


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
