"""One decision for all that wait: the plan that they belong to, and exactly what would be done."""

from collections.abc import Sequence

import streamlit as st

from core.store.tables import Approval
from pages.components.approval_card import exact
from pages.components.deciding import decide_all, is_edited
from pages.components.page import Page
from pages.components.plan import lines
from pages.components.sketches import honest
from telemetry.formats import counted

HEIGHT = 240
"""Pixels of the longest arguments; what is longer scrolls."""
LINES = 9
LATER = "Whatever else it changes, in a later step or by another plan, is asked about when it comes to that."
UNSAVED = "Save or leave the form that is open first: what it holds would not count."


def together(page: Page, approvals: Sequence[Approval]) -> None:
    """Draw what one click would do, and the buttons.

    Args:
        approvals: those that wait and have not expired; more than one, all of one turn.
    """
    turn_id, words = approvals[0].turn_id, counted(len(approvals), "action")
    plan = page.services.conversations.exchange(page.user.id, turn_id).plan
    with st.container(border=True, key=f"all_{turn_id}"):
        st.markdown(f":material/checklist: **{'The plan' if plan else 'Everything'} at once: {words}, exactly these**")
        if plan:
            st.caption(f"{lines(plan)}  \n{LATER}")
        for number, approval in enumerate(approvals, start=1):
            st.markdown(f"{number}. {honest(approval.summary)}")
            arguments = exact(approval.arguments)
            long = arguments.count("\n") >= LINES
            st.code(arguments, language="json", wrap_lines=True, height=HEIGHT if long else "content")
        buttons(page, approvals, words)


def buttons(page: Page, approvals: Sequence[Approval], words: str) -> None:
    """Yes or no to all of them."""
    unsaved = any(map(is_edited, approvals))
    with st.container(horizontal=True):
        st.button(
            f"Approve all {words}",
            key="approve_all",
            disabled=unsaved,
            help=UNSAVED if unsaved else None,
            on_click=decide_all,
            args=(page, approvals, "approve"),
        )
        st.button(
            "Reject all", key="reject_all", type="tertiary", on_click=decide_all, args=(page, approvals, "reject")
        )
