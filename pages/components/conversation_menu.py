"""What can be done with a conversation in the list: rename, export, delete, and delete undone."""

import re

import streamlit as st

from core.errors import GlassdeskError
from core.store.export import Record, as_json, as_markdown
from core.store.tables import Conversation
from pages.components.acting import choice, several
from pages.components.asking import CONVERSATION, forget, say
from pages.components.markdown import literal
from pages.components.page import Page
from telemetry.contract import finished_turn

DELETED = "deleted"
TITLE = "title_"
MENU = "menu_"


def menu(page: Page, conversation: Conversation, is_open: bool) -> None:
    """A small menu; its content is made when it is opened."""
    key = MENU + conversation.id
    place = st.popover(
        ":material/more_horiz:", type="tertiary", key=key, help="Rename, export, delete", on_change="rerun"
    )
    if not place.open:
        return
    with place:
        st.text_input(
            "Title", conversation.title, key=TITLE + conversation.id, on_change=rename, args=(page, conversation)
        )
        account(page, conversation)
        with st.container(gap="xsmall"):
            download(page, conversation, "Markdown", "md", "text/markdown")
            download(page, conversation, "JSON", "json", "application/json")
            st.button(
                "Delete",
                key=f"delete_{conversation.id}",
                icon=":material/delete:",
                type="tertiary",
                on_click=delete,
                args=(page, conversation, is_open),
            )


def account(page: Page, conversation: Conversation) -> None:
    """Which Google account acts in it, where there is a choice."""
    found = page.services.accounts.list(page.user)
    email = page.services.accounts.acting(page.user, conversation.id)
    if several(found, email):
        choice(page, found, email, conversation.id, f"acts_{conversation.id}_{email}")


def download(page: Page, conversation: Conversation, name: str, ending: str, mime: str) -> None:
    """A button that exports; the file is made at the click."""
    st.download_button(
        f"Export as {name}",
        data=lambda: exported(page, conversation.id, ending),
        file_name=f"{file_name(conversation.title)}.{ending}",
        mime=mime,
        key=f"{ending}_{conversation.id}",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )


def exported(page: Page, conversation_id: str, ending: str) -> str:
    """The conversation as a file."""
    glass, user = page.services.glass, page.user
    turns = [row.turn_id for row in page.services.conversations.exchanges(user.id, conversation_id, superseded=True)]
    numbers = {
        turn_id: finished_turn(turn, glass.llm_calls(user.id, turn_id), glass.tool_calls(user.id, turn_id))
        for turn_id, turn in glass.turn_summaries(user.id, turns).items()
    }
    record: Record = page.services.stores.record(user.id, conversation_id, numbers)
    return as_json(record) if ending == "json" else as_markdown(record, user.zone)


def file_name(title: str) -> str:
    """A title as a file's name."""
    return re.sub(r"[^\w -]+", "", title).strip()[:60] or "conversation"


def rename(page: Page, conversation: Conversation) -> None:
    """Take the title that was typed."""
    forget()
    try:
        page.services.conversations.rename(page.user.id, conversation.id, st.session_state[TITLE + conversation.id])
    except GlassdeskError as error:
        say(error.sentence)
        st.session_state[TITLE + conversation.id] = conversation.title


def delete(page: Page, conversation: Conversation, is_open: bool) -> None:
    """Delete it, and leave it where it is open."""
    try:
        page.services.runtime.delete(page.user, conversation.id)
    except GlassdeskError as error:
        say(error.sentence)
        return
    st.session_state[DELETED] = conversation.id, conversation.title
    if is_open:
        st.query_params.pop(CONVERSATION, None)


def undo(page: Page) -> None:
    """The line that says what was deleted, with the way back."""
    deleted = st.session_state.get(DELETED)
    if deleted is None:
        return
    conversation_id, title = deleted
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="xsmall", key="undo"):
        st.caption(f"Deleted “{literal(title)}”", width="stretch")
        st.button("Undo", key="undo_delete", type="tertiary", on_click=restore, args=(page, conversation_id))
        st.button("", key="undo_close", icon=":material/close:", type="tertiary", help="Close", on_click=dismiss)


def restore(page: Page, conversation_id: str) -> None:
    """Undo it."""
    dismiss()
    try:
        page.services.conversations.restore(page.user.id, conversation_id)
    except GlassdeskError as error:
        say(error.sentence)


def dismiss() -> None:
    """Forget what was deleted last."""
    st.session_state.pop(DELETED, None)
