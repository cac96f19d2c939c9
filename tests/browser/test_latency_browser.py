"""Latency: the charts that only a browser draws, and what a click on them does."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.chat import CONTRAST, ask, conversation_of, numbers, quiet_line, turns
from tests.browser.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def widest(bars: Locator) -> Locator:
    """The bar that is the easiest to hit."""
    expect(bars.last).to_be_attached()
    sizes = bars.evaluate_all("bars => bars.map(bar => bar.getBBox().width * bar.getBBox().height)")
    return bars.nth(sizes.index(max(sizes)))


@pytest.fixture
def asked(page: Page, desk: Desk) -> str:
    """A turn to look at."""
    page.goto(desk.url)
    ask(page, "Show my unread emails")
    expect(quiet_line(page)).to_contain_text("tool")
    return str(turns(desk, conversation_of(page))[0]["turn_id"])


def test_a_bar_opens_its_turn_and_a_step_opens_what_it_recorded(page: Page, desk: Desk, asked: str) -> None:
    took = numbers(page).inner_text().split(" · ")[0]
    page.goto(f"{desk.url}/latency")
    widest(page.locator(".st-key-stacked .bars .point path")).click(force=True)
    page.wait_for_url(re.compile(r"turn=[0-9a-f]{32}"))
    page.goto(f"{desk.url}/latency?turn={asked}")
    expect(page.get_by_test_id("stMetric").filter(has_text="Took")).to_contain_text(took)
    waterfall = page.locator(f".st-key-waterfall-{asked}")
    expect(waterfall.get_by_text("messages.list")).to_be_visible()
    widest(waterfall.locator(".bars .point path")).click(force=True)
    expect(page.locator(".st-key-span-details")).to_contain_text("Show my unread emails")
    assert "span=" in page.url
    page.get_by_role("button", name="All turns").click()
    expect(page.locator(".st-key-stacked")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_a_turn_legibly_without_scrolling_sideways(
    open_context: Callable[..., BrowserContext], desk: Desk, asked: str, scheme: str
) -> None:
    tab = open_context(viewport={"width": 390, "height": 844}, is_mobile=True, color_scheme=scheme).new_page()
    for address in (f"{desk.url}/latency", f"{desk.url}/latency?turn={asked}"):
        tab.goto(address)
        expect(tab.get_by_test_id("stMetric").first).to_be_visible()
        expect(tab.locator(".js-plotly-plot .xtick text").first).to_be_attached()
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    value = tab.get_by_test_id("stMetricValue").first
    assert value.evaluate(CONTRAST) >= 4.5
