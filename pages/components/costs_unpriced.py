"""The calls whose cost is not known, with the reason and what to do about it."""

import streamlit as st

from pages.components.page import Page
from telemetry import formats
from telemetry.costs import Costs, Unpriced
from telemetry.formats import NONE
from telemetry.queries import Selection


def unpriced(page: Page, costs: Costs, selection: Selection) -> None:
    """Draw the list; nothing where all calls have a cost."""
    found = costs.unpriced(page.user.id, selection)
    if not found:
        return
    calls = sum(one.calls for one in found)
    st.subheader(f"{formats.counted(calls, 'call')} of unknown cost", anchor=False)
    st.caption("They are in no sum. For a model without a price, add yours below. Click a row to open the latest turn.")
    st.dataframe(
        [
            {
                "Why": one.reason,
                "Model": one.model or NONE,
                "Provider": one.provider or NONE,
                "Calls": formats.count(one.calls),
                "Latest": formats.moment(one.last_ns, page.user.zone),
            }
            for one in found
        ],
        hide_index=True,
        key="unpriced",
        on_select=lambda: note(found),
        selection_mode="single-cell",
        alt="Calls of unknown cost by reason; choose one to open the latest turn",
    )
    opened = st.session_state.pop("opened_turn", None)
    if opened:
        st.switch_page("latency.py", query_params={"turn": opened})


def note(found: list[Unpriced]) -> None:
    """Note which turn was chosen; the page changes once the script runs."""
    chosen = st.session_state.unpriced.selection.cells
    if chosen and chosen[0][0] < len(found):
        st.session_state.opened_turn = found[chosen[0][0]].turn_id
