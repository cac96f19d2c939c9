"""When the person is asked before a tool writes; some are always asked about."""

import streamlit as st

from core.registry.manifests import Approval, DomainManifest, ToolManifest
from pages.components.markdown import literal
from pages.components.page import Page

CHOICES = {Approval.ASK: "Ask each time", Approval.NONE: "Allow"}


def policy(page: Page) -> None:
    """Draw it, by service."""
    st.subheader("What needs your approval", anchor=False)
    st.markdown(
        "Glassdesk reads without asking, and changes nothing without your yes. For what is easily undone you can give "
        "that yes once and for all; what sends, shares or deletes for good is always asked about."
    )
    chosen = page.services.approvals.policies(page.user.id)
    for name, domain in page.services.catalogue.domains.items():
        service(page, name, domain, chosen)


def service(page: Page, name: str, domain: DomainManifest, chosen: dict[str, str]) -> None:
    """The writing tools of a service."""
    writes = [tool for tool in domain.tools if not tool.reads]
    if not writes:
        return
    free = [tool for tool in writes if tool.approval is not Approval.ALWAYS_ASK]
    fixed = [tool for tool in writes if tool.approval is Approval.ALWAYS_ASK]
    with st.expander(literal(domain.agent.title), key=f"policy_{name}", expanded=name in ("gmail", "calendar")):
        for tool in free:
            choice(page, tool, chosen.get(tool.name, tool.approval))
        if fixed:
            titles = ", ".join(f"**{literal(tool.title)}**" for tool in fixed)
            st.markdown(f":material/lock: Always asked: {titles}")
            st.caption(
                "These send, share, delete, or change what other people see, so nobody can switch the question off."
            )


def choice(page: Page, tool: ToolManifest, chosen: str) -> None:
    """One tool that may be allowed."""
    key = f"policy_of_{tool.name}"
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(gap=None):
            st.markdown(f"**{literal(tool.title)}**")
            st.caption(literal(tool.description))
        st.segmented_control(
            tool.title,
            list(CHOICES),
            default=Approval.NONE if chosen == Approval.NONE else Approval.ASK,
            required=True,
            format_func=CHOICES.__getitem__,
            key=key,
            label_visibility="collapsed",
            width="content",
            on_change=choose,
            args=(page, tool.name, key),
        )


def choose(page: Page, tool: str, key: str) -> None:
    """Remember a choice."""
    page.services.approvals.set_policy(page.user.id, tool, str(st.session_state[key]))
