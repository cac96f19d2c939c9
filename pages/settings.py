"""Settings: what the assistant may do without asking, and what was asked and decided."""

import streamlit as st

from pages.components.audit import audit
from pages.components.oneself import oneself
from pages.components.page import open_page
from pages.components.people import people
from pages.components.policy import policy
from pages.components.tokens import tokens

page = open_page()
st.title("Settings", anchor=False)
policy(page)
st.divider()
audit(page)
st.divider()
tokens(page)
st.divider()
if page.user.administers:
    people(page)
    st.divider()
oneself(page)
