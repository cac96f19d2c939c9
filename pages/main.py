"""The router: which pages there are, and the sidebar."""

from pathlib import Path

import streamlit as st

from pages.components.leaving import departure
from pages.components.page import open_page
from pages.components.session import signs_in
from pages.components.sidebar import sidebar

IMAGES = Path(__file__).parent / "images"
DARK = Path(__file__).parent / "styles" / "dark.css"
TOUCH = Path(__file__).parent / "styles" / "touch.css"
CHAT = st.Page(
    "chat.py",
    title="Chat",
    icon=":material/forum:",
    default=True,
    help="Ask about your mail, calendar and files, and watch the answer come about.",
)
LATENCY = st.Page(
    "latency.py",
    title="Latency",
    icon=":material/timeline:",
    help="Where the time of your answers went: percentiles, phases, and each single turn.",
)
COSTS = st.Page(
    "costs.py",
    title="Costs",
    icon=":material/payments:",
    help="What your answers cost, by day, model, agent and conversation; budgets; the prices in use.",
)
TOOLS = st.Page(
    "tools.py",
    title="Tools",
    icon=":material/construction:",
    help="How each tool did: calls, success, times, errors, approvals, and which are never used.",
)
TRACES = st.Page(
    "traces.py",
    title="Traces",
    icon=":material/manage_search:",
    help="Find any turn by how it went or what was said in it; open one, compare two.",
)
AGENTS = st.Page(
    "agents.py",
    title="Agents",
    icon=":material/hub:",
    help="The agents and their tools, which of them a question needs, and what you have switched off.",
)
CONNECT = st.Page(
    "connect.py",
    title="Connect",
    icon=":material/link:",
    help="Which Google accounts and services may be used, and for what; a switch for each tool.",
)
SETTINGS = st.Page(
    "settings.py",
    title="Settings",
    icon=":material/tune:",
    help="What needs your approval, what was decided, API tokens, people, your time zone.",
)

# Before the navigation: a page's own icon would become the browser tab's, and is fetched from a server of Google.
st.set_page_config(page_title="Glassdesk", page_icon=IMAGES / "icon.svg")
st.logo(IMAGES / "logo.svg", icon_image=IMAGES / "icon.svg")
PAGES = {"": [CHAT], "See through": [LATENCY, COSTS, TOOLS, TRACES, AGENTS], "Yours": [CONNECT, SETTINGS]}
# Who is not signed in sees nothing but the way in.
page = st.navigation(PAGES, position="hidden" if signs_in() and not st.user.is_logged_in else "sidebar")
st.set_page_config(layout="centered" if page in (CHAT, SETTINGS) else "wide")
st.html(TOUCH)
if st.context.theme.type == "dark":
    st.html(DARK)
sidebar(open_page())
departure()
page.run()
