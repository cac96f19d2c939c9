"""The form by which a person adds a tool server of somebody else."""

import streamlit as st

from core.errors import GlassdeskError
from core.servers.address import Address, from_line, from_url, pairs
from core.servers.servers import TEXT_LENGTH, TITLE_LENGTH, Wish
from pages.components.markdown import code, literal
from pages.components.page import Page

ADDRESS, COMMAND = "At an address", "A command"
ROUND = "server_round"
"""Counts what was added, so that each form begins empty."""


def servers_form(page: Page) -> None:
    """Draw it; what was added is in the list in the next run."""
    commands = page.services.servers.links.rules.commands_for(page.user.administers)
    kind = ADDRESS
    if commands:
        kind = st.segmented_control(
            "Where it is", [ADDRESS, COMMAND], default=ADDRESS, required=True, key="server_kind"
        )
    with st.form("new_server", border=True):
        title = st.text_input("Name", key=key("title"), max_chars=TITLE_LENGTH, placeholder="DeepWiki")
        place, secrets = at_address() if kind == ADDRESS else by_command(commands)
        words = st.text_input(
            "What it is for (optional)",
            key=key("words"),
            max_chars=TEXT_LENGTH,
            placeholder="Answers questions about public code repositories",
            help="Questions find it by this. Without it, by what the server says of itself.",
        )
        if not st.form_submit_button("Look at it and add it", key="add_server", icon=":material/add:", type="primary"):
            return
    try:
        with st.spinner("Asking the server what it can do…"):
            page.services.servers.add(page.user, Wish(title, address_of(kind, place, secrets), words))
    except GlassdeskError as error:
        st.error(literal(error.sentence), icon=":material/error:")
        return
    st.session_state[ROUND] = st.session_state.get(ROUND, 0) + 1
    st.rerun()


def at_address() -> tuple[str, str]:
    """The fields of a server at an address."""
    place = st.text_input("Address", key=key("url"), placeholder="https://mcp.deepwiki.com/mcp")
    secrets = st.text_area(
        "Headers (optional)",
        key=key("headers"),
        placeholder="Authorization: Bearer …",
        height=68,
        help="One a line. They are sealed, go to this server alone, and are not shown again.",
    )
    return place, secrets


def by_command(commands: tuple[tuple[str, ...], ...]) -> tuple[str, str]:
    """The fields of a server that a command starts."""
    place = st.text_input("Command", key=key("line"), placeholder="npx -y @modelcontextprotocol/server-everything")
    st.caption(f"Commands may begin with {', '.join(code(' '.join(entry)) for entry in commands)}. No shell is used.")
    secrets = st.text_area(
        "Variables (optional)",
        key=key("env"),
        placeholder="API_KEY=…",
        height=68,
        help="One a line. They are sealed, go to this command alone, and are not shown again.",
    )
    return place, secrets


def address_of(kind: str, place: str, secrets: str) -> Address:
    """Where it is, as it was entered.

    Raises:
        BadInput: it cannot be read.
    """
    if kind == ADDRESS:
        return from_url(place, pairs(secrets, ":"))
    return from_line(place, pairs(secrets, "="))


def key(name: str) -> str:
    """A field's key."""
    return f"server_{name}_{st.session_state.get(ROUND, 0)}"
