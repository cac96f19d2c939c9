"""What a search over the conversations has found."""

from collections.abc import Iterable

import streamlit as st

from core.store.search import Hit
from pages.components.going import open_chat
from pages.components.markdown import literal
from pages.components.page import Page


def found(page: Page, text: str) -> None:
    """Draw it."""
    hits = page.services.stores.search.find(page.user.id, text)
    if not hits:
        st.caption("Nothing found. Search for words of a question, an answer or a title.")
        return
    with st.container(gap="xsmall", key="found"):
        for hit in hits:
            result(hit)


def result(hit: Hit) -> None:
    """One conversation, and where in it the words are."""
    with st.container(gap=None, key=f"hit_{hit.conversation.id}"):
        st.button(
            literal(hit.conversation.title),
            key=f"found_{hit.conversation.id}",
            type="tertiary",
            wrap=False,
            on_click=open_chat,
            args=(hit.conversation.id,),
        )
        st.caption(marked(hit.excerpt, hit.marks))


def marked(text: str, marks: Iterable[tuple[int, int]]) -> str:
    """A text to the letter, with parts of it in colour; Markdown."""
    pieces, place = [], 0
    for start, end in marks:
        pieces += [spaced(text[place:start]), f":primary[{literal(text[start:end])}]"]
        place = end
    return "".join([*pieces, spaced(text[place:])])


def spaced(text: str) -> str:
    """A part of a line to the letter, with the spaces at its ends."""
    before, after = (" " if end.isspace() else "" for end in (text[:1], text[-1:]))
    return f"{before}{literal(text)}{after}" if text.strip() else text[:1]
