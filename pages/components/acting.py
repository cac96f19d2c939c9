"""The Google account that acts in a conversation: shown, and chosen where a person has several."""

from collections.abc import Sequence

import streamlit as st

from core.errors import GlassdeskError
from core.google.standing import Account
from pages.components.asking import ACCOUNT, CONVERSATION, forget, say
from pages.components.markdown import literal
from pages.components.page import Page

NOBODY = "no Google account"


def acting(page: Page, found: Sequence[Account]) -> str:
    """The account that acts in what is open; empty where there is none."""
    conversation_id = st.query_params.get(CONVERSATION)
    if conversation_id is None and st.session_state.get(ACCOUNT) in [account.email for account in found]:
        return str(st.session_state[ACCOUNT])
    return str(page.services.accounts.acting(page.user, conversation_id))


def several(found: Sequence[Account], email: str) -> bool:
    """Whether there is anything to choose: also where the one that acts is connected no more."""
    return len({*(account.email for account in found), *([email] if email else [])}) > 1


def choice(page: Page, found: Sequence[Account], email: str, conversation_id: str | None, key: str) -> None:
    """Choose it."""
    emails = [account.email for account in found]
    st.radio(
        "Google account of this conversation" if conversation_id else "Google account of the new conversation",
        emails,
        index=emails.index(email) if email in emails else None,
        key=key,
        format_func=literal,
        on_change=choose,
        args=(page, conversation_id, key),
    )


def choose(page: Page, conversation_id: str | None, key: str) -> None:
    """Let an account act from now on."""
    forget()
    email = str(st.session_state[key])
    if conversation_id is None:
        st.session_state[ACCOUNT] = email
        return
    try:
        page.services.accounts.choose(page.user, conversation_id, email)
    except GlassdeskError as error:
        say(error.sentence)
