"""Settings: approvals; tool servers of others; API tokens; alerts; the people of this app; what is kept; oneself."""

import streamlit as st

from pages.components.alerts import alerts
from pages.components.audit import audit
from pages.components.data import data
from pages.components.oneself import oneself
from pages.components.page import open_page
from pages.components.people import people
from pages.components.policy import policy
from pages.components.servers import servers
from pages.components.tokens import tokens

page = open_page()
st.title("Settings", anchor=False)
names = [
    "Approvals",
    "Tool servers",
    "API tokens",
    "Alerts",
    *(["People"] if page.user.administers else []),
    "Data",
    "You",
]
shown = dict(zip(names, st.tabs(names), strict=True))
with shown["Approvals"]:
    policy(page)
    st.divider()
    audit(page)
with shown["Tool servers"]:
    servers(page)
with shown["API tokens"]:
    tokens(page)
with shown["Alerts"]:
    alerts(page)
if "People" in shown:
    with shown["People"]:
        people(page)
with shown["Data"]:
    data(page)
with shown["You"]:
    oneself(page)
