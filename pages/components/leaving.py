"""The way to Google and back: a button leaves the page, and its address says what came of it."""

import json
from dataclasses import dataclass
from urllib.parse import quote

import streamlit as st

from core.errors import GlassdeskError
from core.google.connecting import HOME, RESULTS
from pages.components.asking import CONVERSATION, forget, say
from pages.components.page import Page

LEAVING = "leaving"
RESULT, SERVICE, ACCESS = "connect", "service", "access"
GO = "<script>location.assign({url})</script>"


@dataclass(frozen=True)
class Back:
    """Somebody is back from Google.

    Attributes:
        result: a word, one of `RESULTS`.
        service: that was to be connected; empty: what the account had before.
        write: whether changes were asked for.
    """

    result: str
    service: str
    write: bool


def leave(page: Page, service: str = "", write: bool = False, return_to: str = HOME, email: str = "") -> None:
    """Go to Google to allow what a service needs; see `Accounts.begin`."""
    forget()
    try:
        go(page.services.accounts.begin(page.user, service, write, return_to, email))
    except GlassdeskError as error:
        say(error.sentence)


def go(url: str) -> None:
    """Let the page that is drawn next lead to an address."""
    st.session_state[LEAVING] = url


def departure() -> None:
    """Leave, where a button has said so. A link button would open another tab, and begin a sign-in at every drawing."""
    url = st.session_state.pop(LEAVING, None)
    if url is None:
        return
    address = json.dumps(url).replace("<", "\\u003c")
    st.html(GO.format(url=address), unsafe_allow_javascript=True)
    with st.container(horizontal=True, vertical_alignment="center", key="leaving"):
        st.markdown("You are being taken to the sign-in.", width="content")
        st.link_button("Go there", url, type="tertiary")


def arrived() -> Back | None:
    """What came of the way to Google, once; the address is tidied, so that loading it again does not say it again."""
    said = (
        {name: st.query_params.pop(name, "") for name in (RESULT, SERVICE, ACCESS)} if RESULT in st.query_params else {}
    )
    if said.get(RESULT) not in RESULTS:
        return None
    return Back(said[RESULT], said[SERVICE], said[ACCESS] == "write")


def conversation_path(conversation_id: str) -> str:
    """The path of a conversation, to come back to."""
    return f"/?{CONVERSATION}={quote(conversation_id, safe='')}"
