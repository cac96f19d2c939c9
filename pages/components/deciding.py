"""Takes a person's decisions to the runtime; what is refused is said where the person looks."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.errors import GlassdeskError
from core.store.approvals import Decided, Verdict
from core.store.tables import Approval
from pages.components.asking import forget, redraw, say
from pages.components.page import Page

EDITING = "editing_"
REASON = "reason_"
AGREES = {"approve": ("approved", "running", "done"), "reject": ("rejected",)}
"""States in which a second click on the same button has nothing to say."""


def decide(page: Page, approval: Approval, verdict: Verdict) -> None:
    """Decide about what was shown, exactly that, whatever another tab has made of it meanwhile."""
    forget()
    redraw()
    reason = str(st.session_state.get(REASON + approval.id) or "").strip() or None
    st.session_state.pop(EDITING + approval.id, None)
    try:
        shown = approval.arguments if verdict == "approve" else None
        page.services.runtime.decide(page.user, approval.id, verdict, shown, reason if verdict == "reject" else None)
    except Decided as error:
        if page.services.approvals.get(page.user.id, approval.id).state not in AGREES[verdict]:
            say(error.sentence)
    except GlassdeskError as error:
        say(error.sentence)


def decide_all(page: Page, approvals: Sequence[Approval], verdict: Verdict) -> None:
    """One decision for all that wait."""
    for approval in approvals:
        decide(page, approval, verdict)


def revise(page: Page, approval: Approval, arguments: Mapping[str, Any]) -> None:
    """Keep what the person made of a call."""
    forget()
    try:
        page.services.runtime.revise(page.user, approval.id, arguments)
    except GlassdeskError as error:
        say(error.sentence)
    edit(approval, False)


def edit(approval: Approval, editing: bool) -> None:
    """Open or close the form."""
    st.session_state[EDITING + approval.id] = editing


def is_edited(approval: Approval) -> bool:
    """Whether the form is open."""
    return bool(st.session_state.get(EDITING + approval.id))
