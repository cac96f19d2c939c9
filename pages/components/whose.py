"""For administrators: whose numbers a page shows, in the URL; contents stay their owners'."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.users import User
from pages.components.page import Page
from telemetry.queries import EVERYBODY
from telemetry.tables import Turn

KEY = "user"
MINE, ALL = "me", "all"


def whose(page: Page) -> Page:
    """Draw the choice where there is one; the page as it is for whose numbers are looked at.

    Returns:
        A page whose user's id is for queries of numbers alone, and which says whether contents may be shown.
    """
    if not page.user.administers:
        return page
    others = {row.id: row.name or row.email for row in page.services.people.list(page.user) if row.email}
    others.pop(page.user.id, None)
    if not others:
        return page
    chosen = st.selectbox(
        "Whose",
        [MINE, ALL, *others],
        format_func=lambda key: {MINE: "Mine", ALL: "Everybody's"}.get(key) or f"{others[key]}'s",
        key=KEY,
        bind="query-params",
        width=240,
    )
    if chosen == MINE or chosen is None:
        return page
    user = page.user.changed(id=EVERYBODY if chosen == ALL else chosen)
    contents = page.services.settings.admins_read_content
    if not contents:
        st.caption("Numbers only: other people's questions, titles and errors are theirs.")
    return replace(page, user=user, contents=contents)


def veiled(page: Page, turns: Sequence[Turn]) -> list[Turn]:
    """Turns without what people wrote, where only numbers may be shown."""
    if page.contents:
        return list(turns)
    return [turn.model_copy(update={"question": None, "error": None}) for turn in turns]


def reader_of(page: Page, turn_id: str) -> User:
    """As whom a turn is opened: its owner, where administrators may read what people wrote; else oneself."""
    if not (page.user.administers and page.services.settings.admins_read_content):
        return page.user
    return page.user.changed(id=page.services.glass.owner(turn_id) or page.user.id)
