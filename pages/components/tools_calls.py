"""The calls of one tool, a page at a time; a click opens the turn of one."""

from collections.abc import Sequence

import streamlit as st

from pages.components.filters import choose
from pages.components.markdown import code, literal
from pages.components.page import Page
from pages.components.tools_overview import errors_in_words, kind_in_words, nothing, numbers, over_time, sized, tokens
from telemetry import formats
from telemetry.formats import NONE
from telemetry.palette import Theme
from telemetry.queries import Selection
from telemetry.tables import ToolCall
from telemetry.toolstats import CallOrder, ToolStats

PAGE_SIZE = 25
ORDERS: dict[CallOrder, str] = {
    "latest": "Latest",
    "slowest": "Slowest",
    "largest": "Largest result",
    "failed": "Failed first",
}
STATES = {"ok": "went well", "error": "failed", "interrupted": "interrupted", "running": "stopped"}


def one_tool(page: Page, stats: ToolStats, tool: str, theme: Theme) -> None:
    """Draw the page of one tool."""
    st.button("All tools", icon=":material/arrow_back:", type="tertiary", on_click=close)
    st.subheader(literal(tool), anchor=False)
    known = {one.name: one.title for _, one in page.own.catalogue.all_tools()}
    st.caption(literal(known[tool]) if tool in known else "There is no tool of this name now.")
    chosen = choose(page.services.glass, page.user.id, page.user.zone)
    row = stats.all_tools(page.user.id, chosen.selection, tool)
    if not row.calls:
        nothing(chosen)
        return
    numbers(row, stats.all_tools(page.user.id, chosen.selection.previous(), tool), chosen)
    kinds = stats.errors(page.user.id, chosen.selection, tool).get(tool)
    if kinds:
        st.markdown(f"Failed: {literal(errors_in_words(kinds))}.")
    over_time(stats, page, chosen.selection, theme, tool)
    calls(page, stats, chosen.selection, tool, row.calls)


def close() -> None:
    """Back to all tools."""
    st.query_params.pop("tool", None)


def calls(page: Page, stats: ToolStats, selection: Selection, tool: str, total: int) -> None:
    """One page of the calls."""
    st.subheader("The calls", anchor=False)
    order = st.segmented_control(
        "Sort by",
        list(ORDERS),
        default="latest",
        required=True,
        format_func=lambda key: ORDERS[key],
        key="calls",
        bind="query-params",
        label_visibility="collapsed",
    )
    place = st.container()
    number = 1
    if total > PAGE_SIZE:
        # A key of the tool's own: another tool begins on its first page.
        number = st.pagination(-(-total // PAGE_SIZE), key=f"page_{tool}", bind="query-params")
    skip = (number - 1) * PAGE_SIZE
    found = stats.calls(page.user.id, selection, tool, order, skip=skip, limit=PAGE_SIZE)
    chosen = [call for call, _ in found]
    with place:
        st.caption("Click one to see it in its turn.")
        st.dataframe(
            [cells(page, call, question) for call, question in found],
            hide_index=True,
            height="content",
            key=f"calls-{tool}-{order}-{number}",
            on_select=lambda: remember(f"calls-{tool}-{order}-{number}", chosen),
            selection_mode="single-cell",
            alt=f"Calls of {tool}; choose one to see it in its turn",
        )
    said = [call for call in chosen if call.error and page.contents][:3]
    if said:
        st.caption("What failed on this page said:")
    for call in said:
        st.caption(f"{formats.moment(call.start_ns, page.user.zone)}: {code(call.error or '')}")
    opened = st.session_state.pop("opened_call", None)
    if opened:
        st.switch_page("latency.py", query_params=opened)


def cells(page: Page, call: ToolCall, question: str | None) -> dict[str, str]:
    """One call in words."""
    kind = f" ({kind_in_words(call.error_kind)})" if call.status == "error" and call.error_kind else ""
    return {
        "When": formats.moment(call.start_ns, page.user.zone),
        "Took": formats.duration(call.duration_ns),
        "Result": sized(call.result_bytes),
        "Tokens": tokens(call.result_tokens),
        "How it went": STATES.get(call.status, call.status) + kind,
        "Question": (question if page.contents else None) or NONE,
        "Agent": call.agent or NONE,
    }


def remember(key: str, calls: Sequence[ToolCall]) -> None:
    """Note which call was chosen; the page changes once the script runs."""
    cells = st.session_state[key].selection.cells
    if cells and cells[0][0] < len(calls):
        call = calls[cells[0][0]]
        st.session_state.opened_call = {"turn": call.turn_id, "span": call.span_id}
