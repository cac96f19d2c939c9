"""The tools of a service: what each lacks, and a switch for each, for oneself."""

import streamlit as st

from core.errors import GlassdeskError
from core.google.standing import Service
from core.registry.manifests import ToolManifest
from core.store.switches import Off
from pages.components.asking import forget, say
from pages.components.markdown import literal
from pages.components.page import Page
from telemetry.formats import counted


def tools(page: Page, service: Service, off: Off) -> None:
    """Draw them, once they are asked for."""
    domain = page.services.catalogue.domains[service.name]
    out = sum(tool.name in off.tools for tool in domain.tools)
    label = counted(len(domain.tools), "tool") + (f", {out} switched off" if out else "")
    if service.name in off.domains:
        label = f"{counted(len(domain.tools), 'tool')}, all switched off"
    place = st.expander(label, type="compact", key=f"tools_{service.name}", on_change="rerun")
    if not place.open:
        return
    with place:
        if service.name in off.domains:
            st.caption(f"{literal(domain.agent.title)} is switched off for you on the page Agents.")
        for tool in domain.tools:
            one(page, service, tool, off)


def one(page: Page, service: Service, tool: ToolManifest, off: Off) -> None:
    """A tool with its switch; says what it lacks."""
    key = f"switch_{tool.name}"
    with st.container(gap=None):
        st.toggle(
            literal(tool.title),
            tool.name not in off.tools,
            key=key,
            help=literal(tool.description),
            disabled=service.name in off.domains,
            on_change=switch,
            args=(page, tool.name, key),
        )
        lacks = service.missing.get(tool.name, ())
        if lacks and service.state == "connected":
            what = " ".join(page.services.accounts.scopes.purpose(one) for one in lacks)
            st.caption(f":material/lock: Not allowed: {literal(what)}")


def switch(page: Page, tool: str, key: str) -> None:
    """Switch a tool as its toggle stands."""
    forget()
    try:
        page.services.switchboard.switch(page.user, "tool", tool, bool(st.session_state[key]))
    except GlassdeskError as error:
        say(error.sentence)
