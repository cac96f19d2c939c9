"""How the connection to Google is, in the sidebar: nothing as long as it is well."""

import streamlit as st

from pages.components.page import Page

NOBODY = "No Google account is connected"
ATTENTION = "Google needs your attention"


def health(page: Page) -> None:
    """A dot and a few words that lead to Connect, where something is to be done there."""
    found = page.services.accounts.list(page.user)
    if found and all(account.state == "connected" for account in found):
        return
    words = ATTENTION if found else NOBODY
    st.page_link("connect.py", label=f":orange[●] :small[{words}]", help="Connect says what to do.")
