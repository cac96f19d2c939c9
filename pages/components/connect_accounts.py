"""The Google accounts of a person: which acts by default, what each has, how to add one and to be rid of it."""

from collections.abc import Sequence

import streamlit as st

from core.errors import GlassdeskError
from core.google.connecting import HOME
from core.google.oauth import Unreached
from core.google.standing import Account
from pages.components.asking import forget, say
from pages.components.leaving import go, leave
from pages.components.markdown import literal
from pages.components.page import Page
from telemetry.formats import counted

CHOSEN = "connect_account"
STUCK = "connect_stuck"
DONE = "connect_done"
NAME = 310
"""Pixels that an account's name and state take at least and at most."""
WHOLE = (
    "Google takes back all permissions of this account, and what is kept of it here is deleted. Your conversations "
    "stay; nothing in the account itself changes. You can connect it again whenever you like."
)
ROBOTS = (
    "What is kept of this account here is deleted. The service account itself may go on acting for it, until an "
    "administrator of the domain takes that back."
)


def accounts(page: Page, found: Sequence[Account]) -> str:
    """Draw them; returns whose services are shown, empty where there is none."""
    if not found:
        return ""
    st.subheader("Accounts", anchor=False)
    for account in found:
        one(page, account, several=len(found) > 1)
    add(page)
    if len(found) == 1:
        return found[0].email
    return chosen(found)


def one(page: Page, account: Account, several: bool) -> None:
    """An account: how it stands, and what can be done with it; on a phone the buttons go under it."""
    with st.container(
        border=True,
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        gap="xsmall",
        key=f"account_{account.email}",
    ):
        with st.container(gap="xxsmall", width=NAME):
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
                st.markdown(f"**{literal(account.email)}**", width="content")
                if several and account.default:
                    st.badge("Default", color="primary")
                if account.state != "connected":
                    st.badge("Needs attention", icon=":material/error:", color="orange")
            st.caption(literal(standing(page, account)))
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
            deeds(page, account, several)


def deeds(page: Page, account: Account, several: bool) -> None:
    """What can be done with it."""
    if account.state != "connected":
        st.button(
            "Connect again",
            key=f"again_{account.email}",
            type="primary",
            on_click=leave,
            args=(page, "", False, HOME, account.email),
        )
    if several and not account.default:
        st.button(
            "Make default",
            key=f"default_{account.email}",
            type="tertiary",
            help="It acts in new conversations, unless you choose another.",
            on_click=make_default,
            args=(page, account.email),
        )
    with st.popover("Disconnect", type="tertiary", icon=":material/link_off:", key=f"part_{account.email}"):
        st.markdown(ROBOTS if account.delegated else WHOLE)
        st.button(
            f"Disconnect {literal(account.email)}",
            key=f"disconnect_{account.email}",
            type="primary",
            on_click=disconnect,
            args=(page, account.email),
        )


def standing(page: Page, account: Account) -> str:
    """Since when it is connected, and how far; or why it does not work."""
    if account.state != "connected":
        return account.reason
    since = f"{account.connected_at.astimezone(page.user.zone):%-d %b %Y, %H:%M}"
    how = "through the service account" if account.delegated else counted(len(account.services), "service")
    return f"Connected {since} · {how}"


def add(page: Page) -> None:
    """A further account, by any service of it."""
    with st.popover("Add an account", icon=":material/add:", type="tertiary", key="add_account"):
        st.markdown("Choose what to begin with; Google then asks which account it is.")
        scopes = page.services.accounts.scopes
        service = st.pills(
            "Service", scopes.services, default=scopes.services[0], required=True, format_func=scopes.title
        )
        write = st.toggle("Changes, too", key="add_account_write", help="Each change still waits for your yes.")
        st.button("Go on", key="go_add_account", type="primary", on_click=leave, args=(page, service or "gmail", write))


def chosen(found: Sequence[Account]) -> str:
    """Whose services the page shows: what was chosen, else the default one's."""
    emails = [account.email for account in found]
    if st.session_state.get(CHOSEN) not in emails:
        st.session_state[CHOSEN] = emails[0]
    return str(st.segmented_control("Services of", emails, required=True, key=CHOSEN) or emails[0])


def show(email: str) -> None:
    """Let the page show an account's services."""
    st.session_state[CHOSEN] = email


def make_default(page: Page, email: str) -> None:
    """Let an account act wherever no other is chosen."""
    forget()
    try:
        page.services.accounts.set_default(page.user, email)
    except GlassdeskError as error:
        say(error.sentence)


def disconnect(page: Page, email: str, service: str = "", anyway: bool = False) -> None:
    """Take permissions back; where others must be allowed again, go on to do that."""
    forget()
    st.session_state.pop(STUCK, None)
    try:
        parted = page.services.accounts.disconnect(page.user, email, service, anyway)
    except Unreached as error:
        st.session_state[STUCK] = email
        say(error.sentence)
    except GlassdeskError as error:
        say(error.sentence)
    else:
        st.session_state[DONE] = parted.sentence
        if parted.url:
            go(parted.url)


def stuck(page: Page) -> None:
    """The way out where Google cannot be told."""
    email = st.session_state.get(STUCK)
    if email:
        st.button(
            f"Remove {literal(email)} here only",
            key="part_anyway",
            icon=":material/delete:",
            help="What is kept of it here is deleted. At Google the permission stays until you remove it there.",
            on_click=disconnect,
            args=(page, email, "", True),
        )
