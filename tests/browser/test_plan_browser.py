"""A request over several domains in the browser: its plan while it waits and after, one card, and the document."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import SIDEWAYS, answers, ask
from tests.browser.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

REQUEST = "Find Ana's last mail about the offsite, check whether I'm free that day, and make a doc with a checklist"
PLAN = "Plan of 3 steps for Gmail, Calendar and Docs"
STEPS = ("1. Gmail read Ana's last mail", "2. Calendar check whether I'm free that day · after 1", "3. Docs make a doc")


def test_a_plan_is_seen_waits_once_and_makes_the_document(page: Page, desk: Desk) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(desk.url)
    ask(page, REQUEST)
    card = page.locator("[class*=st-key-approval_]").filter(has_text="Your approval is needed")
    expect(card).to_contain_text("Create the document “Offsite checklist” with a checklist of 4")
    expect(card).to_contain_text("who comes by train and who by car")
    page.get_by_text("Waiting for your decision").click()
    expect(page.get_by_text(PLAN)).to_be_visible()
    for words in (*STEPS, "waits for you"):
        expect(answers(page).last).to_contain_text(words)
    page.get_by_role("button", name="Create", exact=True).click()
    expect(answers(page).last.get_by_role("link", name="Offsite checklist")).to_be_visible()
    page.reload()
    answers(page).last.get_by_text("Gmail, Calendar and Docs · 4 tools").click()
    page.get_by_text(PLAN).click()
    for words in STEPS:
        expect(answers(page).last).to_contain_text(words)
    assert page.evaluate(SIDEWAYS) == []
