"""Traces: a line that is typed, the table that only a browser draws, and what a click on it does."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chat import SIDEWAYS
from tests.browser.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]
ROW, TICK, WHEN = 35, 15, 60
"""Pixels: the height of a row, and where its box to tick and its first cell are."""


def click_row(page: Page, number: int, across: int) -> None:
    """Click into a row of the table, from 1."""
    table = page.get_by_test_id("stDataFrame").locator("canvas").first
    expect(table).to_be_visible()
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    table.click(position={"x": across, "y": number * ROW + ROW // 2}, force=True)


def test_a_line_is_completed_as_it_is_typed_and_its_turns_open_and_lead_back(
    page: Page, desk: Desk, answered: dict[str, Any]
) -> None:
    page.goto(f"{desk.url}/traces")
    line = page.get_by_label("Which turns")
    line.press_sequentially("unread tool:search_gm")
    page.get_by_test_id("stButtonGroup").get_by_text("search_gmail_messages").click()
    expect(line).to_have_value("unread tool:search_gmail_messages ")
    expect(page).to_have_url(re.compile("q=unread\\+tool"))
    expect(page.get_by_text(re.compile("turns?, the newest first"))).to_be_visible()
    expect(page.get_by_test_id("stDataFrame").get_by_text("Found", exact=True)).to_be_attached()
    click_row(page, 1, WHEN)
    expect(page.get_by_test_id("stMetric").filter(has_text="Took")).to_be_visible()
    page.get_by_role("button", name="Back to the list").click()
    expect(page.get_by_label("Which turns")).to_have_value("unread tool:search_gmail_messages ")
    page.get_by_label("Which turns").fill("latency:fast level:ok")
    expect(page.get_by_text("Character 9: fast is no number.")).to_be_visible()


def test_two_turns_are_ticked_and_compared_and_a_phone_shows_them_without_scrolling_sideways(
    open_context: Callable[..., BrowserContext], desk: Desk, answered: dict[str, Any]
) -> None:
    tab = open_context(viewport={"width": 390, "height": 844}, is_mobile=True, color_scheme="dark").new_page()
    body = {"message": "What is on my calendar tomorrow?"}
    assert tab.request.post(f"{desk.url}/api/chat", data=body).ok
    tab.goto(f"{desk.url}/traces")
    expect(tab.get_by_test_id("stDataFrame")).to_be_visible()
    assert tab.evaluate(SIDEWAYS) == []
    click_row(tab, 1, TICK)
    expect(tab.get_by_role("button", name="Tick a second one")).to_be_disabled()
    click_row(tab, 2, TICK)
    tab.get_by_role("button", name="Compare these two").click()
    expect(tab.get_by_text(re.compile("The second took .* than the first"))).to_be_visible()
    expect(tab.locator(".st-key-steps-Second .bar").first).to_be_attached()
    assert tab.evaluate(SIDEWAYS) == []
