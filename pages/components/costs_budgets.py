"""The budgets of a user: how much is left, set one, remove one."""

from decimal import Decimal
from typing import get_args

import streamlit as st

from core.errors import GlassdeskError
from core.runtime.budgets import BudgetStatus
from core.store.budgets import EVERYBODY, PERIODS, Action, Period
from pages.components.markdown import literal
from pages.components.page import Page
from telemetry import formats

NAMES: dict[Period, str] = {"daily": "A day", "weekly": "A week, from Monday", "monthly": "A month"}
ACTIONS: dict[Action, str] = {"warn": "Warn me in the chat", "refuse": "Take no more questions"}


def budgets(page: Page) -> None:
    """Draw them."""
    st.subheader("What you want to spend at most", anchor=False)
    found = page.services.budgets.status(page.user)
    for status in found:
        budget(page, status)
    if not found:
        st.caption("No budget is set. With one, you are warned, or no question is taken once it is used up.")
    if problem := st.session_state.pop("budget_problem", None):
        st.error(literal(problem))
    with st.expander("Set a budget", icon=":material/savings:"):
        form(page)


def budget(page: Page, status: BudgetStatus) -> None:
    """One of them, with what is left."""
    with st.container(border=True):
        state = ":red[used up]" if status.used_up else f"{formats.percent(status.share)} used"
        whose = ", all of us together" if status.everybody else ""
        st.markdown(f"**{NAMES[status.period]}**{whose} · {state} · {ACTIONS[status.action]}")
        spent, limit = formats.money(status.spent_pico_usd), formats.money(status.limit_pico_usd)
        st.progress(min(1.0, status.share), text=literal(f"{spent} of {limit}"))
        also = f" {formats.counted(status.unpriced, 'call')} of unknown cost not counted." if status.unpriced else ""
        st.caption(f"Begins anew {status.end:%a %-d %b, %H:%M} ({page.user.zone.key}).{also}")
        if status.everybody and not page.user.administers:
            return
        whose_id = EVERYBODY if status.everybody else page.user.id
        st.button(
            "Remove",
            key=f"remove-{status.period}-all" if status.everybody else f"remove-{status.period}",
            type="tertiary",
            icon=":material/delete:",
            on_click=page.services.budgets.budgets.remove,
            args=[whose_id, status.period],
        )


def form(page: Page) -> None:
    """Set or replace one."""
    with st.form("budget", border=False):
        st.selectbox("For", PERIODS, format_func=lambda period: NAMES[period], key="budget_period")
        st.number_input("At most, in US dollars", 0.0, 1_000_000.0, 5.0, 0.5, "%.4f", key="budget_limit")
        st.radio(
            "Once it is used up",
            get_args(Action),
            format_func=lambda action: ACTIONS[action],
            key="budget_action",
            help="An answer that has begun is never stopped.",
        )
        if page.user.administers:
            st.checkbox("For everybody together, not me alone", key="budget_everybody")
        st.form_submit_button("Set", key="set-budget", type="primary", on_click=keep, args=[page])


def keep(page: Page) -> None:
    """Keep what the form says."""
    state = st.session_state
    limit = Decimal(str(state.budget_limit))
    whose_id = EVERYBODY if page.user.administers and state.get("budget_everybody") else page.user.id
    try:
        page.services.budgets.budgets.set(whose_id, state.budget_period, limit, state.budget_action)
    except GlassdeskError as error:
        state.budget_problem = error.sentence
