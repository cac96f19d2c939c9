"""Connect: which Google accounts and services the assistant may use, and for what."""

from pathlib import Path

import streamlit as st

from core.google.connecting import RESULTS
from core.settings import Workspace
from pages.components.asking import forget, refusal
from pages.components.connect_accounts import DONE, accounts, stuck
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
    elif done := st.session_state.pop(DONE, None):
        st.success(literal(done), icon=":material/check:")
    refusal()
    stuck(page)


def result(page: Page, back: Back) -> None:
    """What came of the way to Google; of an incomplete one, exactly which tools lack what."""
    sentence = literal(RESULTS[back.result])
    if back.result == "ok":
        st.success(connected(page, back), icon=":material/check:")
    elif back.result == "some":
        st.warning("  \n".join([sentence, *unticked(page, back)]), icon=":material/lock:")
    elif back.result == "denied":
        st.info(sentence, icon=":material/info:")
    else:
        st.error(sentence, icon=":material/error:")


def connected(page: Page, back: Back) -> str:
    """That it is connected, and what."""
    accounts = page.services.accounts
    if any(back.service in account.services for account in accounts.list(page.user)):
        return f"{literal(accounts.scopes.title(back.service))} is connected."
    return literal(RESULTS["ok"])


def unticked(page: Page, back: Back) -> list[str]:
    """The tools that now say that they lack something, with the account that was connected last."""
    scopes, found = page.services.accounts.scopes, page.services.accounts.list(page.user)
    latest = max(found, key=lambda account: account.connected_at, default=None)
    if latest is None or back.service not in scopes.services:
        return []
    (service,) = (one for one in page.services.accounts.services(page.user, latest.email) if one.name == back.service)
    return [said(scopes, lacks, titles) for lacks, titles in missed(scopes, service, back.write).items()]


page = open_page()
st.html(STYLE)
st.title("Connect", anchor=False)
st.caption(WHOSE[page.services.workspace.kind])
news(page)
found = page.services.accounts.list(page.user)
email = accounts(page, found)
services(page, next((account for account in found if account.email == email), None))
read_only(page)
setup(page)
