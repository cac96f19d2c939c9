"""What a conversation shows before the first question."""

from datetime import UTC, datetime

import streamlit as st

from pages.components.asking import ask
from pages.components.markdown import literal
from pages.components.page import Page

SUGGESTIONS = {
    "Show my unread emails": ":material/mark_email_unread:",
    "What's on my calendar tomorrow?": ":material/calendar_today:",
    "Find the mail from Ana about the invoice": ":material/search:",
    "When am I free this week?": ":material/event_available:",
}


def welcome(page: Page) -> None:
    """A greeting, and questions to click."""
    st.header(f"{greeting(datetime.now(UTC).astimezone(page.user.zone).hour)}, {literal(page.user.name)}", anchor=False)
    st.markdown("Ask about your mail, calendar and files. Each answer shows how it came about and where its time went.")
    with st.container(key="suggestions", gap="xsmall"):
        for text, icon in SUGGESTIONS.items():
            st.button(text, key=f"suggestion_{text}", icon=icon, on_click=ask, args=(page, text))


def greeting(hour: int) -> str:
    """A greeting for an hour of the day, 0 to 23."""
    if hour < 5 or hour >= 18:
        return "Good evening"
    return "Good morning" if hour < 12 else "Good afternoon"
