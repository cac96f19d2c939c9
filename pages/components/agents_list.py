"""The agents: whether each is ready, its tools with what they cost, and the switches."""

import time
from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.errors import GlassdeskError
from core.registry.manifests import Approval, DomainManifest, ToolManifest
from core.registry.registry import AgentState
from core.store.switches import Off
from pages.components.markdown import literal
from pages.components.page import Page
from telemetry import formats
from telemetry.formats import MILLI, NONE
from telemetry.queries import Selection
from telemetry.toolstats import ToolRow, ToolStats

DAYS = 30
DAY_NS = 24 * formats.HOUR
ASKS = {Approval.NONE: "no", Approval.ASK: "ask", Approval.ALWAYS_ASK: "always"}
KEPT = "agents_notice"
SHARED = "No agent: every agent has these tools beside its own, once there is anything to refer to."


def agents(page: Page) -> None:
    """Draw a card an agent."""
    states = page.services.agents.list_agents(page.user.id)
    ready = sum(state.built for state in states)
    st.subheader("Who there is", anchor=False)
    st.caption(
        f"{formats.counted(len(states), 'agent')}, {ready} ready. An agent is made when it is first needed. What you "
        "switch off is not used for you: no question goes there, and no call is made."
    )
    if notice := st.session_state.pop(KEPT, None):
        st.error(literal(notice), icon=":material/error:")
    off = page.services.stores.switches.off(page.user.id)
    measured = measures(page)
    for state in states:
        card(page, state, off, measured)
    for domain in page.own.catalogue.utilities.values():
        utilities(page, domain, off, measured)


def measures(page: Page) -> dict[str, ToolRow]:
    """Tool → how its calls of this user went lately."""
    now = time.time_ns()
    rows = ToolStats(page.services.telemetry.store).table(page.user.id, Selection(now - DAYS * DAY_NS, now))
    return {row.tool: row for row in rows}


def card(page: Page, state: AgentState, off: Off, measured: Mapping[str, ToolRow]) -> None:
    """One agent."""
    domain = page.own.catalogue.domains.get(state.domain)
    with st.container(border=True, key=f"agent_{state.name}"):
        head(page, state, domain, off)
        if state.error:
            st.error(literal(state.error), icon=":material/error:")
        if domain is None:
            st.markdown("Answers what is for no specialist or for several, and hands each part to the one for it.")
        else:
            its_tools(page, domain, off, measured)


def utilities(page: Page, domain: DomainManifest, off: Off, measured: Mapping[str, ToolRow]) -> None:
    """Tools that are nobody's own."""
    with st.container(border=True, key=f"agent_{domain.agent.name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(gap=None):
                st.markdown(f"**{literal(domain.agent.title)}**")
                st.caption(SHARED)
            switch(page, domain.agent.name, domain.agent.title, domain.agent.domain, off)
        its_tools(page, domain, off, measured)


def its_tools(page: Page, domain: DomainManifest, off: Off, measured: Mapping[str, ToolRow]) -> None:
    """What it is for, and its tools."""
    st.markdown(literal(domain.agent.description))
    words = f"{formats.counted(len(domain.tools), 'tool')}, and what they may do"
    with st.expander(words, key=f"of_{domain.agent.name}"):
        tool_table(page, domain, off, measured)
        scopes(domain)


def head(page: Page, state: AgentState, domain: DomainManifest | None, off: Off) -> None:
    """Its name, its state, and what can be done with it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap=None):
            st.markdown(f"**{literal(state.title)}**")
            st.caption(literal(status(page, state)))
        if page.user.administers:
            st.button(
                "Rebuild",
                key=f"rebuild_{state.name}",
                icon=":material/refresh:",
                help="Make it anew, with its prompt as the file now is.",
                on_click=rebuild,
                args=(page, state.name),
            )
        if domain is not None:
            switch(page, state.name, state.title, state.domain, off)


def switch(page: Page, name: str, title: str, domain: str, off: Off) -> None:
    """Whether it is used for the user."""
    key = f"on_{name}"
    st.toggle(
        "On",
        value=domain not in off.domains,
        key=key,
        help=f"Whether {title} is used for you.",
        on_change=switch_agent,
        args=(page, domain, key),
    )


def status(page: Page, state: AgentState) -> str:
    """How it is, in words."""
    if not state.built or state.built_at is None or state.build_ms is None:
        return "Could not be made" if state.error else "Not needed yet"
    local = state.built_at.astimezone(page.user.zone)
    again = f", {state.builds} times in all" if state.builds > 1 else ""
    return f"Ready, made in {formats.duration(state.build_ms * MILLI)} on {local:%-d %b} at {local:%H:%M}{again}"


def tool_table(page: Page, domain: DomainManifest, off: Off, measured: Mapping[str, ToolRow]) -> None:
    """A row a tool, with its switch."""
    key = f"tools_of_{domain.agent.domain}"
    locked = domain.agent.domain in off.domains
    st.data_editor(
        [row(tool, off, measured.get(tool.name)) for tool in domain.tools],
        hide_index=True,
        height="content",
        key=key,
        disabled=True if locked else [name for name in HEADINGS if name != "On"],
        on_change=switch_tools,
        args=(page, domain, key),
        column_config={
            "On": st.column_config.CheckboxColumn(width="small", help="Whether the tool is used for you."),
            "Asks first": st.column_config.TextColumn(
                help="Whether you are asked before it runs; Settings has the choice."
            ),
            "Tokens": st.column_config.TextColumn(help="Of a call and of its result, as its manifest expects."),
            "Expected": st.column_config.TextColumn(help="How long a call takes, as its manifest expects."),
            "Measured": st.column_config.TextColumn(help=f"Half of your calls of the last {DAYS} days took no longer."),
            "Result": st.column_config.TextColumn(
                help=f"Size of a result of the last {DAYS} days on average; tokens are an estimate."
            ),
        },
    )
    if locked:
        st.caption(f"{literal(domain.agent.title)} is off, and all its tools with it.")


HEADINGS = ("On", "Tool", "Does", "Asks first", "Tokens", "Expected", "Measured", "Result")


def row(tool: ToolManifest, off: Off, measured: ToolRow | None) -> dict[str, Any]:
    """One tool."""
    cost = tool.cost
    values = (
        tool.name not in off.tools,
        tool.title,
        "reads" if tool.reads else "writes",
        ASKS[tool.approval],
        f"{cost.tokens_in:,} + {cost.tokens_out:,}",
        formats.duration(cost.latency_ms * MILLI),
        NONE if measured is None or measured.p50_ns is None else formats.duration(measured.p50_ns),
        result_of(measured),
    )
    return dict(zip(HEADINGS, values, strict=True))


def result_of(measured: ToolRow | None) -> str:
    """How large results were: in tokens where that was counted."""
    if measured is None or measured.result_bytes is None:
        return NONE
    tokens = measured.tokens_a_result
    return formats.size(measured.result_bytes) if tokens is None else f"≈ {formats.counted(tokens, 'token')}"


def scopes(domain: DomainManifest) -> None:
    """What Google must have granted."""
    names = sorted({scope for tool in domain.tools for scope in tool.scopes})
    needed = f"Permissions at Google that they need: {', '.join(literal(name) for name in names)}"
    st.caption(needed if names else "They need no permission at Google.")


def switch_agent(page: Page, domain: str, key: str) -> None:
    """Switch an agent as its toggle stands."""
    try:
        page.services.switchboard.switch(page.user, "agent", domain, bool(st.session_state[key]))
    except GlassdeskError as error:
        st.session_state[KEPT] = error.sentence


def switch_tools(page: Page, domain: DomainManifest, key: str) -> None:
    """Switch the tools whose boxes were changed."""
    for number, changed in st.session_state[key]["edited_rows"].items():
        if "On" not in changed:
            continue
        try:
            page.services.switchboard.switch(page.user, "tool", domain.tools[int(number)].name, bool(changed["On"]))
        except GlassdeskError as error:
            st.session_state[KEPT] = error.sentence


def rebuild(page: Page, name: str) -> None:
    """Make an agent anew; what goes wrong stands in its card."""
    try:
        page.services.agents.rebuild_agent(name)
    except GlassdeskError as error:
        st.session_state[KEPT] = error.sentence
