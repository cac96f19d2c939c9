"""Writes in the browser: seen as they will be done, approved, edited, refused, stopped, found again after a reload."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.chat import CONTRAST, INPUT, SIDEWAYS, ask, conversation_of, quiet_line, stop_button, turns
from tests.browser.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LEADS = "links => links.map(link => getComputedStyle(link).pointerEvents)"
"""Addresses become links, and the style takes that back."""
ONE = "Please tell Lena by mail that I come"
TWO = "Please tell Lena and Tom by mail that I come"
CARD = "[class*=st-key-approval_]"


def cards(page: Page) -> Locator:
    return page.locator(CARD).filter(has_text="Your approval is needed")


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def asked(page: Page, desk: Desk, question: str) -> str:
    """Ask for a write; the conversation's address once the card is there."""
    page.goto(desk.url)
    ask(page, question)
    expect(cards(page).first).to_be_visible()
    expect(page.get_by_placeholder("Decide above first")).to_be_disabled()
    return f"{desk.url}/?c={conversation_of(page)}"


def decided(page: Page) -> Locator:
    return page.locator("[class*=st-key-decided_]")


def test_a_mail_is_seen_as_it_will_leave_edited_and_approved(page: Page, slow_desk: Desk) -> None:
    asked(page, slow_desk, ONE)
    card = cards(page)
    for words in ("account sam@lumenworks.example", "Lena Vogt <lena@lumenworks.example>", "I'll be there at ten."):
        expect(card).to_contain_text(words)
    assert set(card.locator("a").evaluate_all(LEADS)) == {"none"}
    button(page, "Edit").click()
    card.get_by_label("Subject").fill("The offsite, at ten")
    button(page, "Save changes").click()
    expect(card).to_contain_text("You changed")
    button(page, "Send").click()
    expect(decided(page)).to_contain_text("“The offsite, at ten” · approved")
    expect(decided(page)).to_contain_text("by you · edited · done")
    expect(quiet_line(page)).to_contain_text("waited for you")
    expect(page.locator(INPUT)).to_be_enabled()


def test_a_no_with_a_reason_is_kept_and_told(page: Page, slow_desk: Desk) -> None:
    address = asked(page, slow_desk, ONE)
    button(page, "Don't send").click()
    page.get_by_label("Why not? (optional)").fill("Too early")
    page.get_by_test_id("stPopoverBody").get_by_role("button").click()
    expect(decided(page)).to_contain_text("not approved")
    expect(decided(page)).to_contain_text("“Too early”")
    page.goto(address)
    expect(decided(page)).to_contain_text("“Too early”")


def test_two_are_decided_together(page: Page, slow_desk: Desk) -> None:
    asked(page, slow_desk, TWO)
    expect(cards(page)).to_have_count(2)
    button(page, "Approve all 2 actions").click()
    expect(decided(page)).to_have_count(2)
    expect(page.get_by_text("All done as you said.")).to_be_visible()


def test_a_card_survives_a_reload_and_a_second_tab_hears_of_the_decision(
    context: BrowserContext, page: Page, slow_desk: Desk
) -> None:
    address = asked(page, slow_desk, ONE)
    page.reload()
    expect(cards(page)).to_be_visible()
    other = context.new_page()
    other.goto(address)
    expect(cards(other)).to_be_visible()
    button(page, "Send").click()
    for tab in (page, other):
        expect(decided(tab)).to_contain_text("by you")
        expect(cards(tab)).to_have_count(0)


def test_stop_while_it_waits_sends_nothing(page: Page, slow_desk: Desk) -> None:
    asked(page, slow_desk, ONE)
    stop_button(page).click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(cards(page)).to_have_count(0)
    assert [turn["status"] for turn in turns(slow_desk, conversation_of(page))] == ["stopped"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_a_card_legibly(
    open_context: Callable[..., BrowserContext], slow_desk: Desk, scheme: str
) -> None:
    page = open_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True, color_scheme=scheme
    ).new_page()
    asked(page, slow_desk, ONE)
    assert page.evaluate(SIDEWAYS) == []
    assert cards(page).locator("strong").first.evaluate(CONTRAST) >= 4.5
    assert button(page, "Send").evaluate(CONTRAST) >= 4.5
    button(page, "Send").click()
    expect(decided(page)).to_contain_text("done")


def test_an_answer_and_a_question_are_given_anew(page: Page, slow_desk: Desk) -> None:
    asked(page, slow_desk, ONE)
    button(page, "Send").click()
    expect(page.get_by_text("All done as you said.")).to_be_visible()
    button(page, "Edit question").click()
    page.get_by_label("Your question").fill(f"{TWO}, please")
    button(page, "Ask").click()
    expect(cards(page).first).to_be_visible()
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text("Lena and Tom")
    stop_button(page).click()
    button(page, "Ask again").click()
    expect(cards(page).first).to_be_visible()
    stop_button(page).click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
