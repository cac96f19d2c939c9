"""Latency: where the time of the turns goes; with `?turn=` one of them, to the nanosecond."""

import streamlit as st

from pages.components.latency_overview import overview
from pages.components.page import open_page
from pages.components.traces_place import way_back
from pages.components.turn_ways import ways_on
from pages.components.waterfall import turn_view
from pages.components.whose import reader_of, whose
from telemetry.latency import Latency

page = open_page()
theme = "dark" if st.context.theme.type == "dark" else "light"
store = page.services.telemetry.store

st.title("Latency", anchor=False)
turn_id = st.query_params.get("turn")
if turn_id:
    reader = reader_of(page, turn_id)
    way_back(page)
    ways_on(page, reader, turn_id)
    turn_view(page.services.glass, reader, turn_id, theme, page.services.stores.feedbacks)
else:
    overview(whose(page), Latency(store), store, theme)
