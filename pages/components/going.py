"""The way to a conversation."""

import streamlit as st

from pages.components.asking import CONVERSATION, forget

CHAT = "chat.py"


def open_chat(conversation_id: str | None = None) -> None:
    """Go to a conversation, or to a new one."""
    forget()
    st.switch_page(CHAT, query_params={CONVERSATION: conversation_id} if conversation_id else None)
