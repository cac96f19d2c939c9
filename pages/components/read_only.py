"""The switch that keeps a person from writing, whatever they allow."""

import streamlit as st

from core.errors import GlassdeskError
from pages.components.markdown import literal
from pages.components.page import Page

KEY = "read_only_me"
PROBLEM = "read_only_problem"


def read_only(page: Page) -> None:
    """Draw it for administrators, who may set their own; others are told how it stands."""
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(literal(problem))
    if not page.user.administers:
        if page.user.read_only:
            st.caption(
                ":material/lock: Read-only, as an administrator has set it: nothing is sent, changed or deleted."
            )
        return
    everybody = page.services.people.rules.read_only
    st.toggle(
        "Read-only: nothing is sent, changed or deleted for you",
        page.user.read_only,
        key=KEY,
        disabled=everybody,
        help="By the setting GLASSDESK_READ_ONLY, for everybody." if everybody else None,
        on_change=set_read_only,
        args=(page,),
    )


def set_read_only(page: Page) -> None:
    """Keep oneself from writing, or no longer."""
    try:
        page.services.people.set_read_only(page.user, page.user.id, st.session_state[KEY])
    except GlassdeskError as error:
        st.session_state[PROBLEM] = error.sentence
