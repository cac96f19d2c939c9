"""The sidebar: a new conversation, and those there are."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from itertools import groupby

import streamlit as st

from core.store.tables import Conversation
from pages.components.asking import CONVERSATION, forget
from pages.components.markdown import literal
from pages.components.page import Page

CHAT = "chat.py"
FOLD = """<script>
/* {conversation} */
if (innerWidth <= 768) document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click()
</script>"""
"""Streamlit leaves the sidebar open over a phone's whole screen; the comment makes it run for each conversation."""
POLL = 2
"""Seconds between two looks at conversations that run elsewhere."""


def sidebar(page: Page) -> None:
    """Draw it; while an answer is given in a conversation that is not open, look again now and then."""
    current = st.query_params.get(CONVERSATION)
    with st.sidebar:
        st.button("New conversation", icon=":material/edit_square:", width="stretch", key="new", on_click=open_chat)
        watching = bool(running_elsewhere(page, current))
        st.html(FOLD.format(conversation="".join(filter(str.isalnum, current or ""))), unsafe_allow_javascript=True)
        st.fragment(conversations, run_every=POLL if watching else None)(page, current, watching)


def conversations(page: Page, current: str | None, watching: bool) -> None:
    """The list, by day; the open one and the ones that run are marked."""
    running = running_elsewhere(page, current)
    if watching and not running:
        st.rerun()
    today = datetime.now(UTC).astimezone(page.user.zone).date()
    kept = page.services.conversations.list(page.user.id)
    for heading, group in grouped(page, kept, today):
        st.caption(heading)
        with st.container(gap=None, key=f"group_{heading}"):
            for conversation in group:
                entry(conversation, conversation.id == current, conversation.id in running)


def entry(conversation: Conversation, is_open: bool, runs: bool) -> None:
    """One conversation to click."""
    title = literal(conversation.title)
    st.button(
        f":primary[**{title}**]" if is_open else title,
        key=f"open_{conversation.id}",
        type="tertiary",
        icon="spinner" if runs else None,
        wrap=False,
        on_click=open_chat,
        args=(conversation.id,),
    )


def open_chat(conversation_id: str | None = None) -> None:
    """Go to a conversation, or to a new one."""
    forget()
    st.switch_page(CHAT, query_params={CONVERSATION: conversation_id} if conversation_id else None)


def running_elsewhere(page: Page, current: str | None) -> set[str]:
    """Conversations other than the open one in which an answer is being given."""
    kept = page.services.conversations.list(page.user.id)
    live = {item.id for item in kept if page.services.runtime.live(page.user, item.id)}
    return live - {current}


def grouped(page: Page, kept: Iterable[Conversation], today: date) -> list[tuple[str, list[Conversation]]]:
    """Conversations, the latest first, under the days that a person would name."""

    def day(conversation: Conversation) -> str:
        at = conversation.updated_at
        local = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(page.user.zone).date()
        if local >= today:
            return "Today"
        return "Yesterday" if local == today - timedelta(days=1) else "Earlier"

    return [(name, list(group)) for name, group in groupby(kept, key=day)]
