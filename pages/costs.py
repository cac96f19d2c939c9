"""Costs: what the models cost, by time, model, agent and conversation; budgets; the prices in use."""

import time

import streamlit as st

from pages.components.costs_budgets import budgets
from pages.components.costs_groups import groups
from pages.components.costs_numbers import cost_numbers, spending
from pages.components.costs_prices import prices
from pages.components.costs_unpriced import unpriced
from pages.components.filters import choose
from pages.components.page import open_page
from pages.components.whose import names_of, whose
from telemetry.costs import Costs
from telemetry.queries import EVERYBODY

page = open_page()
theme = "dark" if st.context.theme.type == "dark" else "light"
costs = Costs(page.services.telemetry.store)
now_ns = time.time_ns()

st.title("Costs", anchor=False)
viewed = whose(page)
chosen = choose(page.services.glass, viewed.user.id, page.user.zone)
lines = costs.lines(viewed.user.id, chosen.selection, page.user.zone)
cost_numbers(viewed, costs, lines, chosen, now_ns)
if lines:
    spending(viewed, lines, chosen, theme)
    groups(viewed, costs, lines, chosen.selection, theme, names_of(page) if viewed.user.id == EVERYBODY else {})
    unpriced(viewed, costs, chosen.selection)
budgets(page)
prices(viewed, costs, lines, now_ns)
