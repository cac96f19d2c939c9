"""The approvals of an answer: what waits as cards, what was decided as quiet lines."""

from collections.abc import Sequence

import streamlit as st

from core.runtime.turn import Turn
from core.store.approvals import POLICY
from core.store.tables import Approval
from pages.components.approval_card import card, changed, exact, expired
from pages.components.approvals_together import together
from pages.components.asking import redraw
from pages.components.markdown import literal
from pages.components.page import Page
from pages.components.sketches import honest, revisions

POLL = 1.0
"""Seconds between two looks whether somebody decided elsewhere."""
PENDING = "pending"
STATES = {
    "approved": ("approved", ":material/hourglass_top:"),
    "running": ("approved, being done", ":material/hourglass_top:"),
    "done": ("approved", ":material/check:"),
    "failed": ("approved, but it was not done", ":material/error:"),
    "unknown": ("approved, outcome unknown", ":material/warning:"),
    "rejected": ("not approved", ":material/block:"),
    "expired": ("expired, nobody decided", ":material/timer_off:"),
}


def waiting(approvals: Sequence[Approval]) -> list[Approval]:
    """Those that nobody has decided about."""
    return [approval for approval in approvals if approval.state == PENDING]


def cards(page: Page, approvals: Sequence[Approval]) -> None:
    """What waits, each its own card; several can be decided at once."""
    open_ones = waiting(approvals)
    for approval in open_ones:
        card(page, approval)
    ready = [approval for approval in open_ones if not expired(approval)]
    if len(ready) > 1:
        together(page, ready)


def decided(page: Page, approvals: Sequence[Approval]) -> None:
    """What was decided, a line each; an unknown outcome is not quiet."""
    for approval in approvals:
        if approval.state == PENDING:
            continue
        words, icon = STATES.get(approval.state, (approval.state, ":material/help:"))
        line = f"{honest(approval.summary)} · {literal(' · '.join(told(page, approval, words)))}"
        with st.expander(line, type="step", icon=icon, key=f"decided_{approval.id}"):
            revisions(changed(approval.proposed, approval.arguments))
            st.code(exact(approval.arguments), language="json", wrap_lines=True)
        if approval.state == "unknown":
            st.warning(literal(unknown(approval)), icon=":material/warning:")
        elif approval.state == "failed" and approval.result:
            st.caption(honest(approval.result))


def told(page: Page, approval: Approval, words: str) -> list[str]:
    """How it was decided: when, by whom, edited or not, why not."""
    at = f" {approval.decided_at.astimezone(page.user.zone):%H:%M}" if approval.decided_at else ""
    by = " by you" if approval.decided_by == page.user.id else ""
    if approval.decided_by == POLICY:
        words, by = words.replace("approved", "allowed"), " by your settings"
    parts = [f"{words}{at}{by}"]
    parts += ["edited"] if approval.arguments != approval.proposed else []
    parts += [f"“{approval.reason}”"] if approval.reason else []
    return [*parts, "done"] if approval.state == "done" else parts


def unknown(approval: Approval) -> str:
    """What to do about an outcome that nobody knows."""
    return approval.result or "Whether this was done is unknown. Check before you ask for it again."


def watch(turn: Turn, heard: int) -> None:
    """Draw the page again as soon as anything happens to a turn that waits: somebody may decide elsewhere.

    Args:
        heard: how many of its events are on the page.
    """
    if len(turn.log.after(0)) > heard:
        redraw()
        st.rerun()
