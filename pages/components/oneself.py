"""What a person sets for themselves: their time zone; and the way out, with all that is theirs."""

from functools import cache
from zoneinfo import available_timezones

import streamlit as st

from core.errors import GlassdeskError
from pages.components.markdown import literal
from pages.components.page import Page
from pages.components.read_only import read_only
from pages.components.session import signs_in

PROBLEM = "oneself_problem"
WORD = "delete"


def oneself(page: Page) -> None:
    """Draw it."""
    st.subheader("You", anchor=False)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(literal(problem))
    role = " · administrator" if page.user.email and page.user.administers else ""
    st.markdown(f"**{literal(page.user.name)}**{role}")
    st.text(page.user.email or "On this machine, without a sign-in")
    zones = every_zone()
    st.selectbox(
        "Your time zone",
        zones,
        index=zones.index(page.user.zone.key) if page.user.zone.key in zones else None,
        key="zone",
        help="Days, times and “tomorrow” are meant in it.",
        on_change=set_zone,
        args=(page,),
    )
    read_only(page)
    with st.popover("Delete my data", icon=":material/delete:", key="delete_me"):
        st.markdown(
            "Everything of yours is deleted for good: conversations, approvals, files, ratings, budgets, tokens, "
            "connections and traces. What is in your Google account stays there. This cannot be undone."
        )
        typed = st.text_input(f"Type “{WORD}” to confirm", key="confirm_me")
        st.button(
            "Delete for good",
            key="forget_me",
            type="primary",
            disabled=typed.strip().lower() != WORD,
            on_click=forget_me,
            args=(page,),
        )


@cache
def every_zone() -> list[str]:
    """The names of all zones, in order; they are files, of which there are hundreds."""
    return sorted(available_timezones())


def set_zone(page: Page) -> None:
    """Keep the zone."""
    try:
        page.services.people.set_zone(page.user, st.session_state.zone)
    except GlassdeskError as error:
        st.session_state[PROBLEM] = error.sentence


def forget_me(page: Page) -> None:
    """Delete everything, and leave."""
    page.services.forget(page.user.id)
    st.session_state.clear()
    st.query_params.clear()
    if signs_in():
        st.logout()
