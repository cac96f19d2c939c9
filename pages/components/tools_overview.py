"""All tools of a period: numbers, calls over time, a row a tool, and those that were not used."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.store.approvals import Tally
from pages.components.filters import Chosen, choose
from pages.components.metrics import NARROWEST, difference, number, signed
from pages.components.page import Page
from telemetry import formats
from telemetry.figures import FIXED
from telemetry.figures_tools import calls_over_time
from telemetry.formats import MILLI, NONE, local
from telemetry.palette import Theme
from telemetry.queries import Selection
from telemetry.toolstats import Order, ToolRow, ToolStats

ORDERS: dict[Order, str] = {
    "calls": "Most calls",
    "failures": "Most failures",
    "slowest": "Slowest",
    "largest": "Largest results",
    "latest": "Last used",
    "name": "Name",
}
WHOLE = 25
"""Tools up to which the table needs no scrolling of its own."""
KINDS = {"tool_error": "refused by the tool", "unknown": "of unknown kind"}


def overview(page: Page, stats: ToolStats, theme: Theme) -> None:
    """Draw the page of all tools."""
    chosen = choose(page.services.glass, page.user.id, page.user.zone)
    whole = stats.all_tools(page.user.id, chosen.selection)
    if whole.calls:
        before = stats.all_tools(page.user.id, chosen.selection.previous())
        numbers(whole, before, chosen)
        over_time(stats, page, chosen.selection, theme)
        rows = table(page, stats, chosen.selection)
    else:
        nothing(chosen)
        rows = []
    unused(page, stats, {row.tool for row in rows}, chosen)


def nothing(chosen: Chosen) -> None:
    """How to fill the page."""
    with st.container(border=True):
        st.markdown(f"**No tool was called in the {chosen.name}** that fits the filters.")
        st.markdown("Ask for something that needs one, for example “Show my unread emails”; its calls appear here.")
        st.page_link("chat.py", label="Go to the chat", icon=":material/forum:")


def numbers(now: ToolRow, before: ToolRow, chosen: Chosen) -> None:
    """The numbers, against the period before where there was anything."""
    with st.grid(3, min_column_width=NARROWEST):
        change = now.calls - before.calls if before.calls else None
        number("Calls", formats.count(now.calls), signed(change, formats.count), good_up=None)
        better = signed(difference(now.success, before.success), formats.points)
        number("Success", formats.percent(now.success), better, "Of the calls that came to an end.", good_up=True)
        for label, value, was, meaning in (
            ("Median", now.p50_ns, before.p50_ns, "Half of the calls took no longer (p50)."),
            ("95 % within", now.p95_ns, before.p95_ns, "One call in twenty took longer (p95)."),
        ):
            number(label, formats.duration(value), signed(difference(value, was), formats.duration), help=meaning)
        size = difference(now.result_bytes, before.result_bytes)
        meaning = "What a call gave to the model, on average, where that was recorded."
        number("Result", sized(now.result_bytes), signed(size, formats.size), help=meaning)
        more = signed(difference(now.tokens_a_result, before.tokens_a_result), formats.count)
        meaning = (
            "What a call added to the model's input, on average: our tokenizer's count, other models count otherwise."
        )
        number("Tokens a result", tokens(now.tokens_a_result), more, help=meaning)
    against = f"Against the {chosen.period} before." if before.calls else f"No calls in the {chosen.period} before."
    st.caption(f"{against} A specialist that is asked by the assistant is no tool call. {in_all(now)}".rstrip())


def in_all(row: ToolRow) -> str:
    """What all results were together, in tokens, and of how many calls that is known."""
    if row.result_tokens is None:
        return ""
    known = "All results" if row.tokens_known == row.calls else f"The results of {row.tokens_known:,} of these calls"
    return f"{known} together were about {formats.counted(row.result_tokens, 'token')}."


def tokens(number: int | None) -> str:
    """An estimate of tokens, or that it is not known."""
    return NONE if number is None else f"≈ {formats.count(number)}"


def sized(number: int | None) -> str:
    """A size, or that it is not known."""
    return NONE if number is None else formats.size(number)


def over_time(stats: ToolStats, page: Page, selection: Selection, theme: Theme, tool: str | None = None) -> None:
    """Calls over time."""
    who = "it was called, and how often it" if tool else "tools were called, and how often they"
    st.subheader(f"How often {who} failed", anchor=False)
    course = stats.course(page.user.id, selection, tool, page.user.zone)
    figure = calls_over_time(course, selection, page.user.zone, theme)
    st.plotly_chart(figure, key=f"course-{tool or 'all'}", config=FIXED, alt="Tool calls over time, failed ones apart")


def table(page: Page, stats: ToolStats, selection: Selection) -> Sequence[ToolRow]:
    """A row a tool; a click opens its calls."""
    st.subheader("How each tool did", anchor=False)
    order = st.selectbox(
        "Sort by", list(ORDERS), format_func=lambda key: ORDERS[key], key="sort", bind="query-params", width=220
    )
    rows = stats.table(page.user.id, selection, order)
    errors, trends = stats.errors(page.user.id, selection), stats.trends(page.user.id, selection)
    zone = page.user.zone
    tallies = page.services.approvals.tally(
        page.user.id, local(selection.start_ns, zone), local(selection.end_ns, zone)
    )
    services = services_of(page)
    st.caption("Click a row to see its calls.")
    st.dataframe(
        [cells(page, row, services, errors, trends, tallies) for row in rows],
        hide_index=True,
        height="content" if len(rows) <= WHOLE else "auto",
        key="tools",
        on_select=lambda: open_tool(rows),
        selection_mode="single-cell",
        column_config={
            "Over time": st.column_config.BarChartColumn(help="Calls over the period.", width="small"),
            "Calls": st.column_config.NumberColumn(format="localized"),
            "Median": st.column_config.NumberColumn(format="%.1f ms"),
            "95 % within": st.column_config.NumberColumn(format="%.1f ms"),
            "Result": st.column_config.TextColumn(help="Size of a result on average."),
            "Tokens": st.column_config.TextColumn(help="Of a result on average: an estimate by our tokenizer."),
            "Tokens in all": st.column_config.TextColumn(help="What its results added to the models' input."),
            "Approvals": st.column_config.TextColumn(help="How often you were asked first, and what you decided."),
        },
        alt="Calls, success, times, errors and approvals by tool; choose one to see its calls",
    )
    return rows


def cells(
    page: Page,
    row: ToolRow,
    services: Mapping[str, str],
    errors: Mapping[str, Mapping[str, int]],
    trends: Mapping[str, list[int]],
    tallies: Mapping[str, Tally],
) -> dict[str, Any]:
    """One row of the table."""
    return {
        "Tool": row.tool,
        "Calls": row.calls,
        "Over time": trends.get(row.tool, []),
        "Success": formats.percent(row.success),
        "Median": None if row.p50_ns is None else row.p50_ns / MILLI,
        "95 % within": None if row.p95_ns is None else row.p95_ns / MILLI,
        "Result": sized(row.result_bytes),
        "Tokens": tokens(row.tokens_a_result),
        "Tokens in all": tokens(row.result_tokens),
        "Errors": errors_in_words(errors.get(row.tool, {})),
        "Approvals": approvals_in_words(tallies.get(row.tool, Tally())),
        "Last used": NONE if row.last_ns is None else f"{local(row.last_ns, page.user.zone):%-d %b, %H:%M}",
        "Service": services.get(row.tool, NONE),
    }


def errors_in_words(kinds: Mapping[str, int]) -> str:
    """Errors by kind: `2 × Google 404, 1 × refused by the tool`."""
    return ", ".join(f"{number:,} × {kind_in_words(kind)}" for kind, number in kinds.items()) or NONE


def approvals_in_words(tally: Tally) -> str:
    """What was asked and decided: `3 asked: 2 approved, 1 rejected`."""
    parts = {name: getattr(tally, name) for name in ("approved", "rejected", "expired", "pending")}
    said = ", ".join(f"{number:,} {name}" for name, number in parts.items() if number)
    asked = [f"{tally.asked:,} asked: {said}"] if tally.asked else []
    return "; ".join([*asked, *([f"{tally.allowed:,} by your rule"] if tally.allowed else [])]) or NONE


def kind_in_words(kind: str) -> str:
    """A kind of error; a number is Google's HTTP status."""
    return f"Google {kind}" if kind.isdigit() else KINDS.get(kind, kind)


def services_of(page: Page) -> dict[str, str]:
    """Tool → the title of the specialist that has it, or of the utilities."""
    known = page.own.catalogue
    return {tool.name: known.every[domain].agent.title for domain, tool in known.all_tools()}


def open_tool(rows: Sequence[ToolRow]) -> None:
    """Show the calls of the tool whose row was chosen."""
    chosen = st.session_state.tools.selection.cells
    if chosen and chosen[0][0] < len(rows):
        st.query_params["tool"] = rows[chosen[0][0]].tool


def unused(page: Page, stats: ToolStats, used: set[str], chosen: Chosen) -> None:
    """The tools of the catalogue that were not called in the period, and when they last were."""
    services = services_of(page)
    idle = stats.last_used(page.user.id, [tool for tool in services if tool not in used])
    if not idle:
        return
    st.subheader(f"Not used in the {chosen.name}: {len(idle)} of {len(services)}", anchor=False)
    never = sum(last is None for last in idle.values())
    st.caption(f"{formats.counted(never, 'tool')} never used so far. Each of them costs a model tokens to read.")
    with st.expander("Show them"):
        st.dataframe(
            [
                {
                    "Tool": tool,
                    "Service": services[tool],
                    "Last used": "never" if last is None else formats.moment(last, page.user.zone),
                }
                for tool, last in sorted(idle.items(), key=lambda item: (services[item[0]], item[0]))
            ],
            hide_index=True,
            key="unused",
            alt="Tools that were not used in the period",
        )
