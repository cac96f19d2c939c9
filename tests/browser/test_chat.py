"""Chat with the built-in assistant, as a person meets it."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chat import (
    CONTRAST,
    INPUT,
    SIDEWAYS,
    answers,
    ask,
    conversation_of,
    fetched,
    numbers,
    quiet_line,
    send,
)
from tests.browser.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

UNREAD = [
    "Invoice 2041",
    "製品ロードマップのレビュー",
    "Release 4.2 failed on main",
    "Offsite: two dates to choose from",
]


def test_the_first_question_is_answered_and_its_time_accounted_for(page: Page, desk: Desk) -> None:
    page.goto(desk.url)
    expect(page.get_by_text("Sandbox Workspace · offline assistant, no language model")).to_be_visible()
    page.locator("[class*=st-key-suggestions]").get_by_role("button", name="Show my unread emails").click()
    for subject in UNREAD:
        expect(answers(page).last).to_contain_text(subject)
    expect(quiet_line(page)).to_contain_text(
        re.compile(r"\d m?s · first word .* · 1 tool · about [\d,]+ tokens · no cost")
    )
    expect(page.locator("[class*=st-key-suggestions]")).to_have_count(0)
    quiet_line(page).get_by_role("link").first.click()
    page.wait_for_url(re.compile(r"/latency\?turn=[0-9a-f]{32}$"))
    expect(page.get_by_role("heading", name="Latency")).to_be_visible()
    expect(page.get_by_text("Show my unread emails").first).to_be_visible()
    turn = fetched(desk, f"/api/turns/{page.url[-32:]}")
    assert sum(phase["ns"] for phase in turn["phases"]) == turn["wall_ns"] > 0


def test_conversations_are_kept_listed_and_opened_again(context: BrowserContext, page: Page, desk: Desk) -> None:
    page.goto(desk.url)
    ask(page, "Find the mail from Ana about the invoice")
    expect(quiet_line(page)).to_contain_text("tool")
    first = conversation_of(page)
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_role("heading", name=re.compile("^Good "))).to_be_visible()
    ask(page, "What's on my calendar tomorrow?")
    expect(quiet_line(page)).to_contain_text("tool")
    page.locator(f".st-key-open_{first} button").click()
    expect(answers(page).last).to_contain_text("Invoice 2041")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
    second_tab = context.new_page()
    second_tab.goto(page.url)
    expect(answers(second_tab).last).to_contain_text("Invoice 2041")
    expect(numbers(second_tab)).to_have_text(numbers(page).inner_text())


def test_the_steps_of_an_answer_unfold(page: Page, desk: Desk, answered: dict[str, Any]) -> None:
    page.goto(f"{desk.url}/?c={answered['conversation_id']}")
    expect(quiet_line(page)).to_contain_text("tool")
    step = answers(page).last.get_by_text("search_gmail_messages")
    expect(step).not_to_be_visible()
    answers(page).last.get_by_text("Gmail · 1 tool").click()
    expect(step).to_be_visible()
    expect(answers(page).last.get_by_text("Routed to Gmail")).to_be_visible()


def test_an_answer_is_copied_at_one_click(page: Page, desk: Desk, answered: dict[str, Any]) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{desk.url}/?c={answered['conversation_id']}")
    acts = page.locator("[class*=st-key-acts_]").last
    acts.get_by_role("button", name="Copy").click()
    expect(acts.get_by_role("button", name="Copied")).to_be_visible()
    assert "**製品ロードマップのレビュー" in page.evaluate("navigator.clipboard.readText()")


def test_what_cannot_be_asked_is_said_and_stays_in_the_input(page: Page, desk: Desk) -> None:
    page.goto(desk.url)
    ask(page, "   ")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)
    send(page, "x" * 100_000)
    expect(page.get_by_text("That is 100,000 characters; a question may have 32,000.")).to_be_in_viewport()
    expect(page.locator(INPUT)).to_have_value("x" * 100_000)
    ask(page, "Show my unread emails")
    expect(answers(page).last).to_contain_text("Invoice 2041")
    expect(page.get_by_text("That is 100,000 characters")).to_have_count(0)


def test_an_unknown_conversation_says_so_and_leaves_room_for_a_new_one(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.url}/?c=nothing")
    expect(page.get_by_text("There is no such conversation.")).to_be_visible()
    ask(page, "Show my unread emails")
    expect(answers(page).last).to_contain_text("Invoice 2041")


def test_a_phone_shows_everything_without_scrolling_sideways(
    open_context: Callable[..., BrowserContext], desk: Desk
) -> None:
    page = open_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True).new_page()
    page.goto(desk.url)
    ask(page, "Show my unread emails")
    expect(quiet_line(page)).to_contain_text("tool")
    assert page.evaluate(SIDEWAYS) == []
    box = page.locator(INPUT).bounding_box()
    assert box is not None and box["width"] > 200 and box["y"] + box["height"] <= 844
    page.get_by_test_id("stExpandSidebarButton").click()
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_role("heading", name=re.compile("^Good "))).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).to_have_attribute("data-collapsed", "true")
    page.locator(INPUT).tap()
    expect(page.locator(INPUT)).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_legible_in_light_and_dark(
    open_context: Callable[..., BrowserContext], desk: Desk, answered: dict[str, Any], scheme: str
) -> None:
    page = open_context(color_scheme=scheme).new_page()
    page.goto(f"{desk.url}/?c={answered['conversation_id']}")
    expect(quiet_line(page)).to_contain_text("tool")
    background = page.get_by_test_id("stApp").evaluate("element => getComputedStyle(element).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    texts = {
        "question": page.get_by_test_id("stChatMessage").first.get_by_test_id("stText"),
        "answer": answers(page).last.locator("li").first,
        "input": page.locator(INPUT),
        "conversation": page.locator("[class*=st-key-open_] p").first,
        "link": quiet_line(page).get_by_role("link").first.locator("span").last,
    }
    contrasts = {name: text.evaluate(CONTRAST) for name, text in texts.items()}
    assert min(contrasts.values()) >= 4.5, contrasts
