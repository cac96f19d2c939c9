"""Every page on a phone: nothing is wider than the screen, but what scrolls by itself."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PATIENCE, Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

WIDTH = 390
DONE = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
    && document.querySelector("[data-testid=stMainBlockContainer] :is(h1, h2, [data-testid=stChatMessage])")
    && !document.querySelector("[data-testid=stSkeleton]")"""
"""The page's script has run, and what it drew is there."""
WIDER = """width => [...document.querySelectorAll("[data-testid=stMainBlockContainer] *")]
    .filter(element => element.getBoundingClientRect().right > width + 1 && element.getClientRects().length)
    .filter(element => {
        for (let at = element.parentElement; at && at.dataset.testid !== "stMainBlockContainer"; at = at.parentElement)
            if (getComputedStyle(at).overflowX !== "visible") return false
        return true
    })
    .map(element => `${element.tagName} ${element.dataset.testid ?? element.className}`)"""
"""What reaches beyond the screen; what something around it cuts off or scrolls may."""
PAGES = {
    "the start": "/",
    "a conversation": "/?c={conversation_id}",
    "latency": "/latency",
    "a turn": "/latency?turn={turn_id}",
    "costs": "/costs",
    "tools": "/tools",
    "a tool": "/tools?tool=search_gmail_messages",
    "traces": "/traces",
    "two turns": "/traces?compare={turn_id},{turn_id}",
    "agents": "/agents",
    "connect": "/connect",
    "settings": "/settings",
}


@pytest.fixture(scope="module")
def phone(open_context: Callable[..., BrowserContext]) -> Page:
    """One tab: the browser keeps the app's files."""
    return open_context(viewport={"width": WIDTH, "height": 844}, is_mobile=True, has_touch=True).new_page()


@pytest.mark.parametrize("address", PAGES.values(), ids=PAGES.keys())
def test_nothing_is_wider_than_a_phone(phone: Page, desk: Desk, answered: dict[str, Any], address: str) -> None:
    phone.goto(desk.url + address.format(**answered), wait_until="commit")
    phone.wait_for_function(DONE, timeout=PATIENCE * 4)
    expect(phone.get_by_test_id("stException")).to_have_count(0)
    assert phone.evaluate("document.documentElement.scrollWidth") <= WIDTH
    assert phone.evaluate(WIDER, WIDTH) == []
