"""Connect: which Google accounts and services the assistant may use, and for what."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.google.connecting import RESULTS
from core.google.standing import Account
from core.settings import Workspace
from pages.components.asking import forget, refusal
from pages.components.connect_accounts import DONE, accounts, show, stuck
from pages.components.connect_services import missed, said, services
from pages.components.connect_setup import setup
from pages.components.leaving import Back, arrived
from pages.components.markdown import literal
from pages.components.page import Page, open_page
from pages.components.read_only import read_only

STYLE = Path(__file__).parent / "styles" / "connect.css"
WHOSE = {
    Workspace.SANDBOX: ":material/science: Sandbox: a made-up company stands for Google. Connecting works as it does "
    "with Google, over a sign-in of its own, and nothing leaves this machine.",
    Workspace.GOOGLE: ":material/lock: Google is asked for no more than you choose here, what it gives is kept sealed, "
    "and you can take it back at any time.",
}


def news(page: Page) -> None:
    """What came of the last thing that was done."""
    back = arrived()
    if back is not None:
        forget()
        st.session_state.pop(DONE, None)
        result(page, back)
    elif sentence := st.session_state.pop(DONE, None):
        st.success(literal(sentence), icon=":material/check:")
    refusal()
    stuck(page)


def result(page: Page, back: Back) -> None:
    """What came of the way to Google; of an incomplete one, exactly which tools lack what."""
    sentence = literal(RESULTS[back.result])
    latest = max(page.services.accounts.list(page.user), key=lambda account: account.connected_at, default=None)
    if latest is not None and back.result in ("ok", "some"):
        show(latest.email)
        lines = unticked(page, back, latest) if back.result == "some" else []
        done(page, back, latest, [sentence, *lines])
    elif back.result == "denied":
        st.info(sentence, icon=":material/info:")
    elif back.result not in ("ok", "some"):
        st.error(sentence, icon=":material/error:")


def done(page: Page, back: Back, account: Account, lines: Sequence[str]) -> None:
    """It is connected, with all that was asked for or a part of it."""
    if back.result == "some":
        st.warning("  \n".join(lines), icon=":material/lock:")
    elif back.service in account.services:
        title = page.services.accounts.scopes.title(back.service)
        st.success(f"{literal(title)} is connected for {literal(account.email)}.", icon=":material/check:")
    else:
        st.success(lines[0], icon=":material/check:")


def unticked(page: Page, back: Back, account: Account) -> list[str]:
    """The tools that now say that they lack something."""
    scopes = page.services.accounts.scopes
    found = page.services.accounts.services(page.user, account.email)
    return [
        said(scopes, lacks, titles)
        for service in found
        if service.name == back.service
        for lacks, titles in missed(scopes, service, back.write).items()
    ]


page = open_page()
st.html(STYLE)
st.title("Connect", anchor=False)
st.caption(WHOSE[page.services.workspace.kind])
news(page)
unknown = page.services.accounts.client.source == "none"
if unknown:
    setup(page)
found = page.services.accounts.list(page.user)
email = accounts(page, found)
services(page, next((account for account in found if account.email == email), None))
read_only(page)
if not unknown:
    setup(page)
