"""What was asked and decided: when, what, by whom, and what came of it; searched and paged by the database."""

import streamlit as st

from core.runtime.summaries import DECEIVING
from core.store.approvals import POLICY
from core.store.tables import Approval
from pages.components.page import Page
from telemetry.formats import counted

ROWS = 25
NUMBER = "audit_page"
SHOWN = 160
"""Characters of a result."""
DECISIONS = {"pending": "waiting", "rejected": "not approved", "expired": "expired"}
RESULTS = {
    "approved": "about to be done",
    "running": "being done",
    "done": "done",
    "failed": "failed",
    "unknown": "unknown",
}


def audit(page: Page) -> None:
    """Draw a page of it."""
    st.subheader("What was decided", anchor=False)
    text = st.text_input(
        "Search decisions",
        key="decisions",
        placeholder="Search: a word of what was done, a tool, a state",
        icon=":material/search:",
        label_visibility="collapsed",
        bind="query-params",
        on_change=turn_to,
        args=(0,),
    )
    kept = page.services.approvals
    total = kept.audited(page.user.id, text)
    if not total:
        st.info(
            "Nothing fits. Try other words."
            if text
            else "Nothing was asked yet. Ask in Chat for a mail to be sent, "
            "for example, and what you decide is listed here.",
            icon=":material/info:",
        )
        return
    last = (total - 1) // ROWS
    number = min(st.session_state.get(NUMBER, 0), last)
    rows = kept.audit(page.user.id, ROWS, number * ROWS, text)
    st.dataframe(
        [cells(page, row) for row in rows],
        key="audit",
        hide_index=True,
        alt="Decisions about writes: when, what, decision, by whom, result",
    )
    pager(number, last, total, page.user.zone.key)


def cells(page: Page, row: Approval) -> dict[str, str]:
    """One entry in words."""
    at = (row.decided_at or row.asked_at).astimezone(page.user.zone)
    return {
        "When": f"{at:%Y-%m-%d %H:%M}",
        "What": DECEIVING.sub("\ufffd", row.summary),
        "Decision": decision(row),
        "By": by(page, row),
        "Result": result(row),
        "Account": row.account,
        "Tool": row.tool,
    }


def decision(row: Approval) -> str:
    """What was decided, with the reason, and whether the call was changed first."""
    word = DECISIONS.get(row.state, "allowed" if row.decided_by == POLICY else "approved")
    edited = " (edited)" if row.arguments != row.proposed else ""
    return f"{word}{edited}{f': {row.reason}' if row.reason else ''}"


def by(page: Page, row: Approval) -> str:
    """Who decided."""
    if row.decided_by == POLICY:
        return "your settings"
    return "you" if row.decided_by == page.user.id else row.decided_by or "—"


def result(row: Approval) -> str:
    """What came of it; the reason where it was not done."""
    word = RESULTS.get(row.state, "—")
    if row.state not in ("failed", "unknown") or not row.result:
        return word
    return f"{word}: {row.result[:SHOWN]}{'…' if len(row.result) > SHOWN else ''}"


def pager(number: int, last: int, total: int, zone: str) -> None:
    """The way to newer and older entries."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{counted(total, 'decision')} · times in {zone}", width="content")
        if last:
            st.button("Newer", key="newer", type="tertiary", disabled=not number, on_click=turn_to, args=(number - 1,))
            st.caption(f"{number + 1} of {last + 1}", width="content")
            st.button(
                "Older", key="older", type="tertiary", disabled=number == last, on_click=turn_to, args=(number + 1,)
            )


def turn_to(number: int) -> None:
    """Show another page."""
    st.session_state[NUMBER] = number
