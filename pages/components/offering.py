"""What an answer lacked at Google: a button that connects it and comes back, then one that asks again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.google.scopes import Scopes
from core.google.standing import Account
from core.store.tables import Exchange
from pages.components.asking import ask_again
from pages.components.leaving import conversation_path, leave
from pages.components.markdown import literal
from pages.components.page import Page


@dataclass(frozen=True)
class Lack:
    """What calls of a turn lacked of one service.

    Attributes:
        tools: that said so.
        account: that acts now; empty where none does.
    """

    service: str
    write: bool
    tools: tuple[str, ...]
    account: str


def offers(page: Page, exchange: Exchange) -> None:
    """Draw an offer for each service; once nothing is lacking any more, the question can be asked again."""
    offered = lacks(exchange.steps, page.services.accounts.acting(page.user, exchange.conversation_id))
    if not offered:
        return
    found = page.services.accounts.list(page.user)
    still = [lack for lack in offered if lacking(page, found, lack)]
    for lack in still:
        offer(page, exchange, lack, found)
    if not still:
        again(page, exchange, offered)


def lacks(steps: Sequence[Mapping[str, Any]], account: str) -> list[Lack]:
    """What a turn's calls lacked, one of a service."""
    found: dict[str, Lack] = {}
    for step in steps:
        said = step.get("connect")
        if not said:
            continue
        name, known = str(said["service"]), found.get(str(said["service"]))
        write = said["access"] == "write" or (known is not None and known.write)
        tools = (*(known.tools if known else ()), str(step["tool"]))
        found[name] = Lack(name, write, tools, account)
    return list(found.values())


def lacking(page: Page, found: Sequence[Account], lack: Lack) -> bool:
    """Whether it still is so."""
    account = next((one for one in found if one.email == lack.account), None)
    if account is None or account.state != "connected":
        return True
    missing = page.services.accounts.missing(page.user, account.email)
    return any(tool in missing for tool in lack.tools)


def offer(page: Page, exchange: Exchange, lack: Lack, found: Sequence[Account]) -> None:
    """One offer."""
    scopes = page.services.accounts.scopes
    title = scopes.title(lack.service)
    works = any(one.email == lack.account and lack.service in one.services for one in found)
    with st.container(border=True, key=f"offer_{lack.service}_{exchange.turn_id}"):
        st.markdown(f"To answer this, {literal(title)} needs your permission: {literal(wanted(scopes, lack))}")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                f"Allow this in {literal(title)}" if works else f"Connect {literal(title)}",
                key=f"connect_{lack.service}_{exchange.turn_id}",
                type="primary",
                on_click=leave,
                args=(page, lack.service, lack.write, conversation_path(exchange.conversation_id), lack.account),
            )
            if lack.account:
                st.caption(literal(lack.account), width="content")


def wanted(scopes: Scopes, lack: Lack) -> str:
    """What the tools need, one sentence a permission."""
    names = dict.fromkeys(name for tool in lack.tools for name in scopes.tool(tool).scopes)
    return " ".join(scopes.purpose(name) for name in names)


def again(page: Page, exchange: Exchange, offered: Sequence[Lack]) -> None:
    """It is connected: the question can be asked again."""
    titles = " and ".join(page.services.accounts.scopes.title(lack.service) for lack in offered)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"connected_{exchange.turn_id}"):
        st.markdown(f":green[:material/check:] {literal(titles)} can do this now.", width="stretch")
        st.button(
            "Ask again",
            key=f"ask_connected_{exchange.turn_id}",
            type="primary",
            icon=":material/refresh:",
            on_click=ask_again,
            args=(page, exchange.turn_id),
        )
