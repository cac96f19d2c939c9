"""What a person thinks of an answer: a thumb, and a note once there is one."""

from typing import Literal

import streamlit as st

from core.errors import GlassdeskError
from core.store.feedback import NOTE_LENGTH
from core.store.tables import Exchange, Feedback
from pages.components.asking import say
from pages.components.markdown import literal
from pages.components.page import Page

THUMBS: tuple[Literal["down", "up"], ...] = ("down", "up")
"""In the order of Streamlit's values."""


def rating(page: Page, exchange: Exchange, given: Feedback | None) -> None:
    """Thumbs, and a place for a note."""
    key, note = f"thumb_{exchange.turn_id}", f"note_{exchange.turn_id}"
    default = THUMBS.index(given.thumb) if given else None  # type: ignore[arg-type]
    st.feedback("thumbs", key=key, default=default, on_change=rate, args=(page, exchange, key, note))
    if given:
        label = ":small[Note ✓]" if given.note else ":small[Add a note]"
        with st.popover(label, type="tertiary", key=f"notes_{exchange.turn_id}"):
            st.text_area(
                "What was good, what was not?",
                given.note,
                key=note,
                max_chars=NOTE_LENGTH,
                on_change=rate,
                args=(page, exchange, key, note),
            )


def rate(page: Page, exchange: Exchange, key: str, note: str) -> None:
    """Keep what the person thinks; a thumb that is clicked again takes it back."""
    thumb = st.session_state[key]
    try:
        page.services.runtime.rate(
            page.user, exchange.turn_id, None if thumb is None else THUMBS[thumb], st.session_state.get(note) or ""
        )
    except GlassdeskError as error:
        say(error.sentence)


def rated(given: Feedback) -> None:
    """What was thought of a turn, in its own view."""
    icon = ":material/thumb_up:" if given.thumb == "up" else ":material/thumb_down:"
    st.markdown(f"{icon} You rated this answer{': “' + literal(given.note) + '”' if given.note else '.'}")
