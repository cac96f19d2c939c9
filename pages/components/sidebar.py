"""The sidebar: a new conversation, a search, and the conversations there are."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from pathlib import Path

import streamlit as st

from core.store.tables import Conversation
from pages.components.alerts import ringing
from pages.components.asking import CONVERSATION
from pages.components.conversation_menu import menu, undo
from pages.components.found import found
from pages.components.going import open_chat
from pages.components.health import health
from pages.components.markdown import literal
from pages.components.page import Page

FOLD = """<script>
/* {conversation} */
if (innerWidth <= 768) document.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click()
</script>"""
"""Streamlit leaves the sidebar open over a phone's whole screen; the comment makes it run for each conversation."""
POLL = 2
"""Seconds between two looks at conversations that run elsewhere."""
STYLE = Path(__file__).parents[1] / "styles" / "sidebar.css"
RUNS, WAITS = "spinner", ":material/front_hand:"
SEARCH = "search_conversations"


def sidebar(page: Page) -> None:
    """Draw it; while an answer is given in a conversation that is not open, look again now and then."""
    current = st.query_params.get(CONVERSATION)
    with st.sidebar:
        st.html(STYLE)
        health(page)
        ringing(page)
        st.button("New conversation", icon=":material/edit_square:", width="stretch", key="new", on_click=open_chat)
        watching = RUNS in busy_elsewhere(page, current).values()
        st.html(FOLD.format(conversation="".join(filter(str.isalnum, current or ""))), unsafe_allow_javascript=True)
        st.fragment(conversations, run_every=POLL if watching else None)(page, current, watching)
        who(page)


def who(page: Page) -> None:
    """Whether nothing is written, who has signed in, and the way out."""
    if page.user.read_only:
        st.caption(":material/lock: Read-only: nothing is sent, changed or deleted")
    if page.user.email:
        with st.container(gap=None, key="who"):
            st.text(page.user.email)
            st.button("Sign out", key="sign_out", type="tertiary", icon=":material/logout:", on_click=st.logout)


def conversations(page: Page, current: str | None, watching: bool) -> None:
    """What was searched for, or the list by day; the open one and the ones that run or wait are marked."""
    busy = busy_elsewhere(page, current)
    left = current is not None and st.query_params.get(CONVERSATION) is None
    if left or (watching and RUNS not in busy.values()):
        st.rerun()
    text = st.text_input(
        "Search conversations",
        key=SEARCH,
        placeholder="Search conversations",
        icon=":material/search:",
        label_visibility="collapsed",
    )
    undo(page)
    if text.strip():
        found(page, text)
    else:
        by_day(page, current, busy)


def by_day(page: Page, current: str | None, busy: Mapping[str, str]) -> None:
    """The list."""
    today = datetime.now(UTC).astimezone(page.user.zone).date()
    kept = page.services.conversations.list(page.user.id)
    for heading, group in grouped(page, kept, today):
        st.caption(heading)
        with st.container(gap=None, key=f"group_{heading}"):
            for conversation in group:
                entry(page, conversation, conversation.id == current, busy.get(conversation.id))


def entry(page: Page, conversation: Conversation, is_open: bool, icon: str | None) -> None:
    """One conversation to click, and what else can be done with it."""
    title = literal(conversation.title)
    with st.container(horizontal=True, wrap=False, gap=None, key=f"entry_{conversation.id}"):
        st.button(
            f":primary[**{title}**]" if is_open else title,
            key=f"open_{conversation.id}",
            type="tertiary",
            icon=icon,
            wrap=False,
            width="stretch",
            on_click=open_chat,
            args=(conversation.id,),
        )
        menu(page, conversation, is_open)


def busy_elsewhere(page: Page, current: str | None) -> dict[str, str]:
    """Conversations other than the open one in which an answer is being given, or waits: id → icon."""
    runtime, kept = page.services.runtime, page.services.conversations.list(page.user.id)
    live = {item.id: runtime.live(page.user, item.id) for item in kept if item.id != current}
    return {id_: WAITS if runtime.waits(turn) else RUNS for id_, turn in live.items() if turn is not None}


def grouped(page: Page, kept: Iterable[Conversation], today: date) -> list[tuple[str, list[Conversation]]]:
    """Conversations, the latest first, under the days that a person would name."""

    def day(conversation: Conversation) -> str:
        at = conversation.updated_at
        local = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(page.user.zone).date()
        if local >= today:
            return "Today"
        return "Yesterday" if local == today - timedelta(days=1) else "Earlier"

    return [(name, list(group)) for name, group in groupby(kept, key=day)]
