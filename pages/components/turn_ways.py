"""From one turn onward: to the turns around it, beside the one before it, and out of the app as JSON."""

import json

import streamlit as st

from core.users import User
from pages.components.copying import copy_button
from pages.components.page import Page
from pages.components.traces_place import LIST, TRACES, step
from telemetry.export import turns_jsonl
from telemetry.formats import size
from telemetry.traces import Ask, Traces

COPIED_AT_MOST = 4_000_000
"""Characters that are sent to the browser to be copied; more is a file."""


def ways_on(page: Page, reader: User, turn_id: str) -> None:
    """Draw them; a turn that was opened from a list has its neighbours there.

    Args:
        reader: as whom the turn is read.
    """
    newer, older = Traces(page.services.telemetry.store).neighbours(Ask(reader.id), turn_id)
    with st.container(horizontal=True, vertical_alignment="center"):
        if LIST not in st.query_params:
            st.button("All turns", icon=":material/arrow_back:", type="tertiary", on_click=close)
            step("Newer", "newer", newer)
            step("Older", "older", older)
        if older is not None and reader.id == page.user.id:
            pair = {"compare": f"{older},{turn_id}"}
            st.page_link(
                TRACES, label="Compare with the one before", icon=":material/compare_arrows:", query_params=pair
            )
        as_json(page, reader, turn_id)


def close() -> None:
    """Back to all turns."""
    for key in ("turn", "span"):
        st.query_params.pop(key, None)


def as_json(page: Page, reader: User, turn_id: str) -> None:
    """The turn with everything that is recorded of it; read when it is asked for, because it may be large."""
    with st.popover("JSON", icon=":material/data_object:", type="tertiary", key="json", on_change="rerun") as opened:
        if not opened.open:
            return
        text = json_of(page, reader, turn_id)
        if text is None:
            st.caption("There is no such turn any more.")
            return
        st.caption(f"The turn, its steps and their long texts: {size(len(text.encode()))}")
        if len(text) <= COPIED_AT_MOST:
            copy_button(text, key=f"copy-{turn_id}", label="Copy as JSON")
        name = f"turn-{turn_id}.json"
        st.download_button("Download", text, name, "application/json", icon=":material/download:", on_click="ignore")


def json_of(page: Page, reader: User, turn_id: str) -> str | None:
    """A turn as indented JSON; None if it is not the reader's."""
    line = next(turns_jsonl(page.services.telemetry.store, reader.id, [turn_id]), None)
    return None if line is None else json.dumps(json.loads(line), ensure_ascii=False, indent=2)
