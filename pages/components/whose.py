"""For administrators: whose numbers a page shows, in the URL; contents stay their owners'."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.users import User
from pages.components.page import Page
from telemetry.queries import EVERYBODY
from telemetry.tables import Turn

KEY, PARAMETER = "whose", "user"
"""Its own key: what Streamlit binds to the URL are the names that are shown, which people may share."""
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
    names = {MINE: "Mine", ALL: "Everybody's", **{id_: f"{name}'s" for id_, name in others.items()}}
    wanted = st.query_params.get(PARAMETER)
    chosen = st.selectbox(
        "Whose",
        list(names),
        index=list(names).index(wanted) if wanted in names else 0,
        format_func=names.__getitem__,
        key=KEY,
        on_change=note,
        width=240,
    )
    if chosen == MINE:
        return page
    user = page.user.changed(id=EVERYBODY if chosen == ALL else chosen)
    contents = page.services.settings.admins_read_content
    if not contents:
        st.caption("Numbers only: other people's questions, titles and errors are theirs.")
    return replace(page, user=user, contents=contents)


def names_of(page: Page) -> dict[str, str]:
    """The names of all people by their ids, for an administrator."""
    return {row.id: row.name or row.email or row.id for row in page.services.people.list(page.user)}


def note() -> None:
    """Keep the choice in the URL."""
    if st.session_state[KEY] == MINE:
        st.query_params.pop(PARAMETER, None)
    else:
        st.query_params[PARAMETER] = st.session_state[KEY]


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
