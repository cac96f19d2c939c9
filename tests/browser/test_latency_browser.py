"""Latency: the charts that only a browser draws, and what a click on them does."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from telemetry.formats import duration
from tests.browser.chat import CONTRAST, SIDEWAYS
from tests.browser.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def widest(bars: Locator) -> Locator:
    """The bar that is the easiest to hit."""
    expect(bars.last).to_be_attached()
    sizes = bars.evaluate_all("bars => bars.map(bar => bar.getBBox().width * bar.getBBox().height)")
    return bars.nth(sizes.index(max(sizes)))


def test_a_bar_opens_its_turn_and_a_step_opens_what_it_recorded(
    page: Page, desk: Desk, answered: dict[str, Any]
) -> None:
    asked = answered["turn_id"]
    page.goto(f"{desk.url}/latency")
    widest(page.locator(".st-key-stacked .bars .point path")).click(force=True)
    page.wait_for_url(re.compile(r"turn=[0-9a-f]{32}"))
    page.goto(f"{desk.url}/latency?turn={asked}")
    expect(page.get_by_test_id("stMetric").filter(has_text="Took")).to_contain_text(duration(answered["wall_ns"]))
    tree = page.locator(f".st-key-waterfall-{asked}")
    steps = tree.get_by_role("treeitem")
    expect(steps.filter(has_text="messages.list")).to_be_visible()
    steps.filter(has_text="search_gmail_messages").first.locator(".fold").click()
    expect(steps.filter(has_text="messages.list")).to_have_count(0)
    steps.filter(has_text="chat").first.click()
    expect(page.locator(".st-key-span-details")).to_contain_text("Show my unread emails")
    assert "span=" in page.url
    expect(steps.filter(has_text="messages.list")).to_have_count(0)  # what was folded stays so
    steps.first.press("End")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-span-details")).to_contain_text("persist")
    page.get_by_role("button", name="All turns").click()
    expect(page.locator(".st-key-stacked")).to_be_visible()


def test_a_phone_shows_a_turn_legibly_without_scrolling_sideways(
    open_context: Callable[..., BrowserContext], desk: Desk, answered: dict[str, Any]
) -> None:
    tab = open_context(viewport={"width": 390, "height": 844}, is_mobile=True, color_scheme="dark").new_page()
    for address in (f"{desk.url}/latency", f"{desk.url}/latency?turn={answered['turn_id']}"):
        tab.goto(address)
        expect(tab.get_by_test_id("stMetric").first).to_be_visible()
        expect(tab.locator(".js-plotly-plot").first).to_be_visible()
        assert tab.evaluate(SIDEWAYS) == []
    assert tab.get_by_test_id("stMetricValue").first.evaluate(CONTRAST) >= 4.5
