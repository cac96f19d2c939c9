"""The list of traces: those that run, then a page of those that a query line finds; open one, compare two."""

from typing import Any

import streamlit as st

from pages.components.filters import Chosen, choose
from pages.components.page import Page
from pages.components.traces_export import exports
from pages.components.traces_place import LATENCY, address, ask_for, mark, turn_address
from pages.components.traces_query import LINE, put, query_line
from pages.components.under_way import under_way
from pages.components.waterfall import STATES
from pages.components.whose import whose
from telemetry import formats
from telemetry.comparing import latency_of, tokens_of
from telemetry.formats import NONE, SECOND
from telemetry.querylang.line import Line
from telemetry.tables import Turn
from telemetry.traces import COUNTED, Listed, Traces

PAGE_SIZE = 25
POLL_SECONDS = 1.0
PLACE = "page"
OPENED, PICKED = "opened_trace", "picked_traces"


def traces(page: Page) -> None:
    """Draw the page."""
    looked = whose(page).user
    chosen = choose(page.services.glass, looked.id, page.user.zone)
    text, line = query_line(page, looked.id, chosen.selection)
    if page.services.glass.running(page.user.id, limit=1):
        st.fragment(running, run_every=POLL_SECONDS)(page, address(text, chosen, looked.id))
    marked = mark(text, chosen, looked.id)
    before, after = place_of(marked)
    found = Traces(page.services.telemetry.store)
    listed = found.page(ask_for(page, looked.id, line, chosen.selection), PAGE_SIZE, before, after)
    if not listed.turns:
        nothing(page, line, chosen)
        return
    excerpts = found.excerpts(page.user.id, line, [turn.turn_id for turn in listed.turns])
    table(page, listed, excerpts, address(text, chosen, looked.id, st.query_params.get(PLACE)))
    pager(listed, marked)
    if looked.id == page.user.id:
        exports(page, ask_for(page, looked.id, line, chosen.selection))


def running(page: Page, written: str) -> None:
    """The turns that run, with their times so far; the list is drawn anew when one ends."""
    turns = page.services.glass.running(page.user.id)
    seen = {turn.turn_id for turn in turns}
    if st.session_state.get("ran", seen) - seen or not turns:
        st.session_state.pop("ran", None)
        st.rerun()
    st.session_state.ran = seen
    waiting = page.services.glass.waiting(page.user.id)
    under_way(turns, waiting, lambda turn: st.switch_page(LATENCY, query_params=turn_address(turn.turn_id, written)))


def place_of(marked: str) -> tuple[str | None, str | None]:
    """Where in the list the page is: after this turn, or before that one; at its beginning if the list is another."""
    side, _, rest = st.query_params.get(PLACE, "").partition(".")
    turn_id, _, belongs = rest.partition(".")
    if belongs != marked or not turn_id:
        st.query_params.pop(PLACE, None)
        return None, None
    return (turn_id, None) if side == "before" else (None, turn_id)


def table(page: Page, listed: Listed, excerpts: dict[str, str], written: str) -> None:
    """One page; a click on a cell opens a turn, two ticks compare."""
    others = any(turn.user_id != page.user.id for turn in listed.turns)
    rows = [cells(page, turn, excerpts.get(turn.turn_id), bool(excerpts), others) for turn in listed.turns]
    head = st.container(horizontal=True, vertical_alignment="center")
    key = f"traces-{listed.turns[0].turn_id}-{listed.turns[-1].turn_id}-{len(rows)}"
    st.dataframe(
        rows,
        hide_index=True,
        height="content",
        key=key,
        on_select=lambda: pick(key, listed.turns),
        selection_mode=["multi-row", "single-cell"],
        placeholder=NONE,
        column_config={
            "Question": st.column_config.TextColumn(width="medium"),
            "Found": st.column_config.TextColumn(width="medium", help="Where the words stand."),
            "Took": st.column_config.NumberColumn(format="%.2f s", help="Without waiting for you."),
            "First word": st.column_config.NumberColumn(format="%.2f s"),
            "Tokens": st.column_config.NumberColumn(format="localized", help="In and out."),
            "Agents": st.column_config.TextColumn(width=130),
        },
        alt="Turns, newest first; choose a cell to open one, or tick two rows to compare them",
    )
    picked = [turn_id for turn_id in st.session_state.get(PICKED, ()) if turn_id in {t.turn_id for t in listed.turns}]
    with head:
        heading(picked, written)  # left: the table's own buttons hang over the right end of what is above it
        st.caption(counted(listed))
    opened = st.session_state.pop(OPENED, None)
    if opened:
        st.switch_page(LATENCY, query_params=turn_address(opened, written))


def counted(listed: Listed) -> str:
    """How many there are, as far as they were counted, and how to go on."""
    how = "Click one to open it; tick two to compare them."
    if listed.total is None:
        return how
    number = f"More than {COUNTED:,} turns" if listed.total > COUNTED else formats.counted(listed.total, "turn")
    return f"{number}, the newest first. {how}"


def heading(picked: list[str], written: str) -> None:
    """What can be done with the rows that are ticked."""
    if len(picked) == 2:
        if st.button("Compare these two", key="compare", icon=":material/compare_arrows:", type="primary"):
            st.session_state.pop(PICKED, None)
            st.query_params.from_dict({"compare": ",".join(reversed(picked)), "from": written})
            st.rerun()
    elif picked:
        sentence = "Tick a second one" if len(picked) == 1 else "Leave two ticked"
        st.button(sentence, key="compare", icon=":material/compare_arrows:", disabled=True)


def pick(key: str, turns: list[Turn]) -> None:
    """Note which cell was clicked and which rows are ticked; the page changes once the script runs."""
    selection = st.session_state[key].selection
    st.session_state[PICKED] = [turns[row].turn_id for row in sorted(selection.rows) if row < len(turns)]
    if selection.cells and selection.cells[0][0] < len(turns):
        st.session_state[OPENED] = turns[selection.cells[0][0]].turn_id


def cells(page: Page, turn: Turn, excerpt: str | None, searched: bool, others: bool) -> dict[str, Any]:
    """One turn in words and numbers."""
    return {
        "When": f"{formats.local(turn.start_ns, page.user.zone):%-d %b, %H:%M:%S}",
        "Question": turn.question,
        **({"Found": where_found(excerpt, turn)} if searched else {}),
        "Status": STATES.get(turn.status, (turn.status, ""))[0],
        "Took": seconds(latency_of(turn)),
        "First word": seconds(turn.first_token_ns),
        "Cost": formats.money(turn.cost_pico_usd, turn.unpriced),
        "Tokens": tokens_of(turn),
        "Tools": turn.tools,
        "Agents": " → ".join(turn.agents) or None,
        "Model": turn.model,
        "Route": turn.route,
        **({"Service": turn.service} if turn.service else {}),
        **({"Whose": turn.user_id} if others else {}),
    }


def where_found(excerpt: str | None, turn: Turn) -> str | None:
    """Where the words stand; what the question shows already is not said again."""
    return "in the question" if excerpt and excerpt.strip("…") in (turn.question or "") else excerpt


def seconds(ns: int | None) -> float | None:
    """Nanoseconds in seconds."""
    return None if ns is None else ns / SECOND


def pager(listed: Listed, marked: str) -> None:
    """The way to newer and older turns."""
    if not (listed.newer or listed.older):
        return
    first, last = listed.turns[0].turn_id, listed.turns[-1].turn_id
    with st.container(horizontal=True, horizontal_alignment="center"):
        newer = {"key": "newer", "icon": ":material/chevron_left:", "disabled": not listed.newer}
        older = {"key": "older", "icon": ":material/chevron_right:", "disabled": not listed.older}
        st.button("Newer", type="tertiary", on_click=turn_to, args=[f"after.{first}.{marked}"], **newer)
        st.button(
            "Older", type="tertiary", icon_position="right", on_click=turn_to, args=[f"before.{last}.{marked}"], **older
        )


def turn_to(place: str) -> None:
    """Show another part of the list."""
    st.query_params[PLACE] = place
    st.session_state.pop(PICKED, None)


def nothing(page: Page, line: Line, chosen: Chosen) -> None:
    """Why the list is empty, and how to fill it."""
    with st.container(border=True):
        if not page.services.glass.turns(page.user.id, limit=1):
            st.markdown("**No turn yet.** Every question that you ask leaves its trace here, while it runs and after.")
            st.page_link("chat.py", label="Ask something in the chat", icon=":material/forum:")
            return
        asked = line.terms or narrowed(chosen)
        fewer = ", or fewer conditions," if asked else ""
        fits = "fits" if asked else "ended"
        st.markdown(f"**No turn of the {chosen.name} {fits}.** A longer period{fewer} may find some.")
        if line.terms or st.session_state.get(LINE):
            st.button("Clear the query", key="clear", icon=":material/close:", on_click=put, args=[""])


def narrowed(chosen: Chosen) -> bool:
    """Whether a filter is set."""
    selection = chosen.selection
    return bool(selection.agents or selection.routes or selection.models or selection.statuses)
