"""Agents: who there is and with which tools; which of them a question needs; what is switched off."""

import streamlit as st

from pages.components.agents_catalogue import catalogue
from pages.components.agents_list import agents
from pages.components.agents_tester import tester
from pages.components.page import open_page

page = open_page()

st.title("Agents", anchor=False)
tester(page)
agents(page)
catalogue(page)
