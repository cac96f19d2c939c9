"""The tool servers that a person has added: how they are, what their tools may do without asking, and how to part."""

from datetime import datetime
from functools import partial
from typing import Any

import streamlit as st

from core.errors import GlassdeskError
from core.servers.manifests import Server, claimed
from core.store.server_tables import AddedServer
from core.store.switches import Off
from core.store.tokens import aware
from pages.components.markdown import literal
from pages.components.page import Page
from pages.components.servers_form import servers_form
from telemetry import formats

PROBLEM = "server_problem"
COLUMNS = ("On", "Only reads", "Tool", "It claims", "It says it does")


def servers(page: Page) -> None:
    """Draw them, and the way to another."""
    st.subheader("Tool servers", anchor=False)
    st.markdown(
        "Give the assistant tools of others: MCP servers, for yourself alone. **Every call asks you first**, until you "
        "say that a tool only reads. A server is told what a call needs, and nothing else of yours."
    )
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(literal(problem), icon=":material/error:")
    rows = page.services.servers.list(page.user)
    off = page.services.stores.switches.off(page.user.id)
    for row in rows:
        one(page, row, off)
    if not rows:
        st.caption("You have added none.")
    with st.expander("Add a tool server", icon=":material/add:", expanded=not rows, key="adding_server"):
        servers_form(page)


def one(page: Page, row: AddedServer, off: Off) -> None:
    """One of them."""
    with st.container(border=True, key=f"server_{row.domain}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(gap=None):
                st.markdown(f"**{literal(row.title)}**")
                st.caption(literal(f"{row.shown} · {state(page, row)}"))
            switch = f"server_on_{row.id}"
            st.toggle(
                "On",
                value=row.domain not in off.domains,
                key=switch,
                help=f"Whether {literal(row.title)} is used for you.",
                on_change=turn,
                args=(page, "agent", row.domain, switch),
            )
        st.markdown(literal(row.description if row.own_words else f"It says: “{row.description}”"))
        notices(row)
        server = Server.of(row)
        with st.expander(f"{formats.counted(len(server.tools), 'tool')}, and what they may do", key=f"tools_{row.id}"):
            table(page, server, off)
        buttons(page, row)


def state(page: Page, row: AddedServer) -> str:
    """How it is, in words."""
    if row.problem:
        return "did not answer"
    seen = aware(row.seen_at).astimezone(page.user.zone) if row.seen_at else None
    return f"answered on {seen:%-d %b %Y at %H:%M}" if seen else "not asked yet"


def notices(row: AddedServer) -> None:
    """What the person must know of it."""
    if row.problem:
        st.error(literal(row.problem), icon=":material/error:")
    titles = {tool["original"]: tool["title"] for tool in row.tools}
    if changed := [titles[name] for name in row.changed if name in titles]:
        day = max(datetime.fromisoformat(when) for when in row.changed.values())
        st.warning(
            literal(
                f"Described otherwise since {day:%-d %b %Y} than when you said that they only read, so they ask again: "
                f"{', '.join(changed)}. Read what they say now before you say so again."
            ),
            icon=":material/published_with_changes:",
        )
    if row.left_out:
        with st.expander(f"Not used: {formats.counted(len(row.left_out), 'tool')}", key=f"left_out_{row.id}"):
            for name, why in row.left_out.items():
                st.caption(literal(f"{name}: {why}."))


def table(page: Page, server: Server, off: Off) -> None:
    """A row a tool, with what the person says of it."""
    key = f"tools_of_{server.row.id}_{server.row.version}"
    st.data_editor(
        [cells(server, number, off) for number in range(len(server.tools))],
        hide_index=True,
        height="content",
        key=key,
        disabled=[name for name in COLUMNS if name not in ("On", "Only reads")],
        on_change=changed_cells,
        args=(page, server, key),
        column_config={
            "On": st.column_config.CheckboxColumn(width="small", help="Whether the tool is used for you."),
            "Only reads": st.column_config.CheckboxColumn(
                width=110, help="You say that it changes nothing, so it runs without asking."
            ),
            "It claims": st.column_config.TextColumn(help="The server's word on it. Nothing here relies on it."),
            "It says it does": st.column_config.TextColumn(width="large"),
        },
    )
    if page.user.read_only:
        st.caption("You are in read-only mode, so none of them runs.")


def cells(server: Server, number: int, off: Off) -> dict[str, Any]:
    """One tool."""
    tool = server.tools[number]
    values = (tool.name not in off.tools, tool.name in server.reading, tool.title, claimed(tool), tool.description)
    return dict(zip(COLUMNS, values, strict=True))


def buttons(page: Page, row: AddedServer) -> None:
    """Try it, or be rid of it."""
    with st.container(horizontal=True):
        if st.button("Test connection", key=f"test_{row.id}", icon=":material/sync:"):
            with st.spinner("Asking the server…"):
                tried(page, row)
            st.rerun()
        with st.popover("Remove", icon=":material/delete:", type="tertiary", key=f"remove_{row.id}"):
            st.markdown(f"Remove **{literal(row.title)}** with its keys, marks and switches? This cannot be undone.")
            st.button("Remove it", key=f"removed_{row.id}", type="primary", on_click=remove, args=(page, row.id))


def tried(page: Page, row: AddedServer) -> None:
    """Ask a server anew; what comes of it stands in its card."""
    try:
        page.services.servers.test(page.user, row.id)
    except GlassdeskError as error:
        st.session_state[PROBLEM] = error.sentence


def turn(page: Page, kind: Any, name: str, key: str) -> None:
    """Switch a server as its toggle stands."""
    kept(lambda: page.services.switchboard.switch(page.user, kind, name, bool(st.session_state[key])))


def changed_cells(page: Page, server: Server, key: str) -> None:
    """Keep what was said of tools."""
    switch, mark = page.services.switchboard.switch, page.services.servers.mark
    for number, said in st.session_state[key]["edited_rows"].items():
        tool = server.tools[int(number)]
        if "On" in said:
            kept(partial(switch, page.user, "tool", tool.name, bool(said["On"])))
        if "Only reads" in said:
            kept(partial(mark, page.user, server.row.id, tool.original, bool(said["Only reads"])))


def remove(page: Page, server_id: str) -> None:
    """Be rid of a server."""
    kept(lambda: page.services.servers.remove(page.user, server_id))


def kept(change: Any) -> None:
    """Make a change; what keeps it from being made is said in the next run."""
    try:
        change()
    except GlassdeskError as error:
        st.session_state[PROBLEM] = error.sentence
