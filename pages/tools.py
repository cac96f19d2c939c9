"""Tools: how each of them did; with `?tool=` the calls of one."""

import streamlit as st

from pages.components.page import open_page
from pages.components.tools_calls import one_tool
from pages.components.tools_overview import overview
from pages.components.whose import whose
from telemetry.toolstats import ToolStats

page = open_page()
theme = "dark" if st.context.theme.type == "dark" else "light"
stats = ToolStats(page.services.telemetry.store)

st.title("Tools", anchor=False)
tool = st.query_params.get("tool")
if tool:
    one_tool(whose(page), stats, tool, theme)
else:
    overview(whose(page), stats, theme)
