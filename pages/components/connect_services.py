"""A card a Google service: what it may do with an account, what it lacks, and what can be done about it."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.errors import GlassdeskError
from core.google.accounts import Tested
from core.google.connecting import HOME
from core.google.scopes import Scopes
from core.google.standing import Account, Service
from pages.components.asking import say
from pages.components.connect_accounts import disconnect
from pages.components.connect_tools import tools
from pages.components.leaving import leave
from pages.components.markdown import literal
from pages.components.page import Page
from telemetry.formats import MILLI, duration

ICONS = {
    "gmail": ":material/mail:",
    "calendar": ":material/calendar_month:",
    "drive": ":material/folder:",
    "docs": ":material/description:",
    "sheets": ":material/table:",
    "slides": ":material/slideshow:",
}
NARROWEST = 330
TESTED = "connect_tested"


def services(page: Page, account: Account | None) -> None:
    """Draw them, as an account has them; None is no account."""
    st.subheader("Services", anchor=False)
    off = page.services.switchboard.switches.off(page.user.id)
    found = page.services.accounts.services(page.user, account.email if account else "")
    with st.grid(2, min_column_width=NARROWEST):
        for service in found:
            with st.container(border=True, height="stretch", key=f"service_{service.name}"):
                head(page, service, account)
                permissions(page, service, account)
                lacking(page, service)
                buttons(page, service, account)
                tools(page, service, off)


def head(page: Page, service: Service, account: Account | None) -> None:
    """What it is, how it stands, and since when."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="xsmall"):
        st.markdown(f"{ICONS.get(service.name, ':material/cloud:')} **{literal(service.title)}**", width="content")
        if service.state == "connected":
            st.badge("Connected", icon=":material/check:", color="green")
        elif service.state == "needs_attention":
            st.badge("Needs attention", icon=":material/error:", color="orange")
        else:
            st.badge("Available", color="gray")
    if service.state == "needs_attention":
        st.caption(literal(service.reason))
    elif service.connected_at is not None and account is not None:
        since = f"{service.connected_at.astimezone(page.user.zone):%-d %b %Y}"
        st.caption(f"{reach(service)} · {literal(account.email)} · since {since}")
    else:
        st.caption("Not connected")


def reach(service: Service) -> str:
    """What it may do, in a few words."""
    if service.writes:
        return "Reads, and changes after your yes" if service.reads else "Changes after your yes, does not read"
    return "Reads only"


def permissions(page: Page, service: Service, account: Account | None) -> None:
    """What Google has granted, or would be asked for, in words."""
    scopes = page.services.accounts.scopes
    granted = account.granted if account else ()
    if service.state == "connected":
        shown = scopes.permissions(service.name, granted, service.writes)
        st.markdown("  \n".join(line(one.purpose, one.granted) for one in shown))
    else:
        st.markdown(
            f"To read: {literal(purposes(scopes, service.name, False))}  \n"
            f"To change, too: {literal(purposes(scopes, service.name, True))}"
        )


def line(purpose: str, granted: bool) -> str:
    """One permission."""
    return f":green[:material/check:] {literal(purpose)}" if granted else f":gray[:material/close: {literal(purpose)}]"


def purposes(scopes: Scopes, service: str, write: bool) -> str:
    """What the permissions are for."""
    return " ".join(one.purpose for one in scopes.permissions(service, (), write))


def lacking(page: Page, service: Service) -> None:
    """Exactly which tools lack which permission; where only reading was allowed, writing is not missed."""
    if service.state != "connected":
        return
    for lacks, titles in missed(page.services.accounts.scopes, service, service.writes).items():
        st.markdown(said(page.services.accounts.scopes, lacks, titles))


def missed(scopes: Scopes, service: Service, write: bool) -> Mapping[tuple[str, ...], Sequence[str]]:
    """What is missing → the titles of the tools that miss it.

    Args:
        write: whether tools that change something are meant, too.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for name, lacks in service.missing.items():
        tool = scopes.tool(name)
        if tool.reads or write:
            found.setdefault(tuple(lacks), []).append(tool.title)
    return found


def said(scopes: Scopes, lacks: Sequence[str], titles: Sequence[str]) -> str:
    """One lack, in words."""
    what = " ".join(scopes.purpose(one) for one in lacks)
    tools_ = ", ".join(f"**{literal(title)}**" for title in titles)
    verb = "needs" if len(titles) == 1 else "need"
    return f":orange[:material/lock:] {tools_} {verb} a permission that was not given: {literal(what)}"


def buttons(page: Page, service: Service, account: Account | None) -> None:
    """What can be done: at most one stands out."""
    email = account.email if account else ""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        if service.state == "available":
            ways(page, service, email)
        elif service.state == "needs_attention":
            grant(page, "Connect again", "", False, email, service.name)
        else:
            if account is not None and not account.delegated:
                more(page, service, email)
            test(page, service, email)
            if account is not None and not account.delegated:
                part(page, service, account)
    outcome(email, service)


def ways(page: Page, service: Service, email: str) -> None:
    """Connect it, either way."""
    grant(page, "Connect to read", service.name, False, email, service.name)
    grant(page, "Read and write", service.name, True, email, service.name)


def more(page: Page, service: Service, email: str) -> None:
    """Allow what is missing, if anything is."""
    if missed(page.services.accounts.scopes, service, service.writes):
        grant(page, "Allow the rest", service.name, service.writes, email, service.name, "primary")
    elif not service.writes:
        grant(page, "Allow changes", service.name, True, email, service.name)


def grant(page: Page, label: str, service: str, write: bool, email: str, name: str, kind: str = "secondary") -> None:
    """A button to Google."""
    st.button(
        label,
        key=f"grant_{name}_{'write' if write else 'read'}",
        type=kind,  # type: ignore[arg-type]
        on_click=leave,
        args=(page, service, write, HOME, email),
    )


def test(page: Page, service: Service, email: str) -> None:
    """A harmless call."""
    if not st.button("Test it", key=f"test_{service.name}", type="tertiary", icon=":material/network_check:"):
        return
    with st.spinner("Asking…"):
        try:
            st.session_state[TESTED] = (
                (email, service.name),
                page.services.accounts.test(page.user, email, service.name),
            )
        except GlassdeskError as error:
            say(error.sentence)


def outcome(email: str, service: Service) -> None:
    """What the last test gave."""
    about, tested = st.session_state.get(TESTED, (None, Tested(False, 0.0, "")))
    if about != (email, service.name):
        return
    words = f"{literal(tested.sentence)} {duration(round(tested.ms * MILLI))}"
    st.caption(f":green[:material/check:] {words}" if tested.ok else f":red[:material/error:] {words}")


def part(page: Page, service: Service, account: Account) -> None:
    """Disconnect this service alone; says what that does to the others."""
    with st.popover("Disconnect", type="tertiary", key=f"part_{service.name}"):
        others = [name for name in account.services if name != service.name]
        st.markdown(consequences(page.services.accounts.scopes, others))
        st.button(
            f"Disconnect {literal(service.title)}",
            key=f"disconnect_{service.name}",
            type="primary",
            on_click=disconnect,
            args=(page, account.email, service.name),
        )


def consequences(scopes: Scopes, others: Sequence[str]) -> str:
    """What disconnecting one service does."""
    if not others:
        return "It is the only service of this account: Google takes everything back, and the account is removed here."
    names = ", ".join(literal(scopes.title(name)) for name in others)
    return (
        "Google can only take back all permissions of an account at once. It does that, and then asks you to allow the "
        f"others again: {names}. Until you do, they do not work either."
    )
