"""A tool server of somebody else: added in Settings, seen on the page Agents, asked, and switched off again."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.chat import answers, ask, quiet_line
from tests.browser.conftest import Desk
from tests.servers.depot import STATION, calls

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(150)]

QUESTION = 'When do trains leave the station "Bern"?'
CALLED = ["departures Bern"]


def go(page: Page, name: str) -> None:
    """Open a page from the sidebar."""
    page.get_by_test_id("stSidebarNav").get_by_role("link", name=name).click()


def switched_off(desk: Desk) -> list[str]:
    """What is kept as switched off."""
    with closing(sqlite3.connect(desk.data / "app.db")) as database:
        return [name for (name,) in database.execute("SELECT name FROM switched_off")]


def settings(page: Page) -> Locator:
    """The tool servers in Settings; returns the card of the one that is added."""
    go(page, "Settings")
    page.get_by_role("tab", name="Tool servers").click()
    return page.locator(".st-key-server_trains")


def test_a_server_is_added_shown_asked_and_switched_off(page: Page, desk: Desk, tmp_path: Path) -> None:
    page.goto(desk.url)
    card, form = settings(page), page.locator(".st-key-adding_server")
    form.get_by_role("radio", name="A command").click()
    form.get_by_label("Command", exact=True).fill(f"{sys.executable} {STATION} {tmp_path}")
    form.get_by_label("Name", exact=True).fill("Trains")
    form.get_by_role("button", name="Look at it and add it").click()
    expect(card).to_contain_text("Knows when trains leave")
    expect(card).to_contain_text("4 tools, and what they may do")

    go(page, "Agents")
    shown = page.locator("[class*=st-key-agent_trains_agent]")
    expect(shown).to_contain_text("Trains")
    expect(shown).to_contain_text("4 tools, and what they may do")

    go(page, "Chat")
    ask(page, QUESTION)
    page.get_by_role("button", name="Approve", exact=True).click()  # nobody has said that it only reads
    expect(answers(page).last).to_contain_text("From Bern: 10:04 to Ulm")
    assert calls(tmp_path) == CALLED

    settings(page)
    card.get_by_test_id("stCheckbox").first.locator("label").click()
    while not switched_off(desk):  # it is kept before another page is asked for
        page.wait_for_timeout(50)
    go(page, "Agents")
    expect(shown).to_contain_text("Trains is off, and all its tools with it.")
    go(page, "Chat")
    expect(answers(page)).to_have_count(0)  # another conversation
    ask(page, QUESTION)
    expect(quiet_line(page)).to_be_visible()
    assert calls(tmp_path) == CALLED

    settings(page)
    card.get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Remove it").click()
    expect(card).to_have_count(0)
