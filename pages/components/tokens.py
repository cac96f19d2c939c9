"""A person's API tokens: make one, see what each may do and when it was used, revoke it."""

import streamlit as st

from core.errors import GlassdeskError
from core.store.people_tables import ApiToken
from core.store.tokens import NAME_LENGTH, Scope, aware
from pages.components.markdown import literal
from pages.components.page import Page

SCOPES = {
    Scope.CHAT: "Ask and decide",
    Scope.READ_TRACES: "Read turns",
    Scope.WRITE_TRACES: "Send traces",
    Scope.MCP: "Use the tools over MCP",
}
PROBLEM = "token_problem"


def tokens(page: Page) -> None:
    """Draw them."""
    st.subheader("API tokens", anchor=False)
    st.markdown(
        "With a token, a program calls Glassdesk as you: `Authorization: Bearer …`. Give each program its own, "
        "and only what it needs."
    )
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(literal(problem))
    make(page)
    found = page.services.tokens.of_user(page.user.id)
    for token in found:
        one(page, token)
    if not found:
        st.caption("You have no token.")


def make(page: Page) -> None:
    """The form; the new token is shown in this run of the page, and never again."""
    with st.form("new_token", border=True, clear_on_submit=True):
        name = st.text_input("For which program", key="token_name", max_chars=NAME_LENGTH, placeholder="Nightly report")
        chosen = st.pills(
            "It may", list(SCOPES), selection_mode="multi", format_func=SCOPES.__getitem__, key="token_scopes"
        )
        if not st.form_submit_button("Make a token", key="make_token", icon=":material/key:"):
            return
    try:
        _, token = page.services.tokens.make(page.user.id, name, chosen)
    except GlassdeskError as error:
        st.error(literal(error.sentence))
        return
    with st.container(border=True, key="made_token"):
        st.markdown(
            f"The token for **{literal(name)}**. Copy it now: it is not shown again, and nobody can look it up."
        )
        st.code(token, language=None, wrap_lines=True)


def one(page: Page, token: ApiToken) -> None:
    """One of them."""
    zone = page.user.zone
    used = f"last used {aware(token.used_at).astimezone(zone):%-d %b %Y, %H:%M}" if token.used_at else "never used"
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"token_{token.id}"):
        with st.container(gap=None):
            st.markdown(f"**{literal(token.name)}**")
            st.caption(" · ".join(SCOPES[Scope(scope)] for scope in token.scopes))
            st.caption(f"Made {aware(token.created_at).astimezone(zone):%-d %b %Y} · {used}")
        st.button(
            "Revoke",
            key=f"revoke_{token.id}",
            type="tertiary",
            icon=":material/delete:",
            width="content",
            on_click=revoke,
            args=(page, token.id),
        )


def revoke(page: Page, token_id: str) -> None:
    """Make a token worthless."""
    try:
        page.services.tokens.revoke(page.user.id, token_id)
    except GlassdeskError as error:
        st.session_state[PROBLEM] = error.sentence
