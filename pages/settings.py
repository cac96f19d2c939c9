"""Settings: what the assistant may do without asking, and what was asked and decided."""

import streamlit as st

from pages.components.audit import audit
from pages.components.page import open_page
from pages.components.policy import policy

page = open_page()
st.title("Settings", anchor=False)
policy(page)
st.divider()
audit(page)
