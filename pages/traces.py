"""Traces: the turns that a query line finds; with `?compare=` two of them side by side."""

import streamlit as st

from pages.components.page import open_page
from pages.components.traces_compare import comparison
from pages.components.traces_list import traces

page = open_page()
theme = "dark" if st.context.theme.type == "dark" else "light"

st.title("Traces", anchor=False)
pair = st.query_params.get("compare")
if pair:
    comparison(page, pair, theme)
else:
    traces(page)
