"""Latency: where the time of the turns goes; with `?turn=` one of them, to the nanosecond."""

import streamlit as st

from pages.components.latency_overview import overview
from pages.components.page import open_page
from pages.components.waterfall import turn_view
from telemetry.latency import Latency

page = open_page()
theme = "dark" if st.context.theme.type == "dark" else "light"
store = page.services.telemetry.store

st.title("Latency", anchor=False)
turn_id = st.query_params.get("turn")
if turn_id:
    turn_view(page.services.glass, page.user, turn_id, theme, page.services.stores.feedbacks)
else:
    overview(page.services.glass, Latency(store), store, page.user, theme)
