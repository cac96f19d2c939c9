"""A turn that runs: it belongs to the app, not to the tab."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.chat import INPUT, SIDEWAYS, answers, ask, conversation_of, quiet_line, stop_button, turns
from tests.browser.conftest import Desk
from tests.browser.model import WORDS

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_an_answer_streams_and_its_steps_show_while_it_does(page: Page, slow_desk: Desk) -> None:
    page.goto(slow_desk.url)
    expect(page.get_by_text("Sandbox Workspace · scripted-1 at 127.0.0.1")).to_be_visible()
    ask(page, "Show my unread emails")
    expect(answers(page).last.get_by_text("search_gmail_messages")).to_be_visible()
    lengths = []
    for word in (WORDS[3], WORDS[20], WORDS[40]):
        expect(answers(page).last).to_contain_text(word)
        lengths.append(len(answers(page).last.inner_text()))
    assert lengths == sorted(set(lengths))
    expect(page.locator(INPUT)).to_be_disabled()
    expect(quiet_line(page)).to_contain_text("1 tool · 150 tokens")
    expect(answers(page).last).to_contain_text(WORDS[-1])
    expect(page.locator(INPUT)).to_be_enabled()
    expect(stop_button(page)).to_have_count(0)


def test_a_click_a_page_change_a_reload_and_a_closed_tab_do_not_stop_it(
    context: BrowserContext, page: Page, slow_desk: Desk
) -> None:
    page.goto(slow_desk.url)
    ask(page, "Show my unread emails")
    expect(answers(page).last).to_contain_text(WORDS[2])
    answers(page).last.get_by_text("Gmail").first.click()
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator("[class*=st-key-suggestions]")).to_be_visible()
    page.go_back()
    address = f"{slow_desk.url}/?c={conversation_of(page)}"
    expect(answers(page).last).to_contain_text(WORDS[2])
    page.get_by_test_id("stSidebarNav").get_by_text("Latency").click()
    expect(page.get_by_role("heading", name="Latency")).to_be_visible()
    page.goto(address)
    expect(answers(page).last).to_contain_text(WORDS[2])
    page.reload()
    expect(answers(page).last).to_contain_text(WORDS[2])
    page.close()
    again, beside = context.new_page(), context.new_page()
    for tab in (again, beside):
        tab.goto(address)
        expect(quiet_line(tab)).to_contain_text("1 tool")
        expect(answers(tab).last).to_contain_text(" ".join(WORDS))
    assert [turn["status"] for turn in turns(slow_desk, address.split("c=")[1])] == ["done"]


def test_stop_stops_at_once_keeps_what_was_said_and_offers_to_ask_again(page: Page, slow_desk: Desk) -> None:
    page.goto(slow_desk.url)
    ask(page, "Show my unread emails")
    expect(answers(page).last).to_contain_text(WORDS[4])
    stop_button(page).click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(answers(page).last).to_contain_text(WORDS[4])
    expect(answers(page).last).not_to_contain_text(WORDS[-1])
    assert [turn["status"] for turn in turns(slow_desk, conversation_of(page))] == ["stopped"]
    page.get_by_role("button", name="Ask again").click()
    expect(page.get_by_text("You stopped this answer.")).to_have_count(0)
    expect(answers(page).last).to_contain_text(WORDS[1])
    stop_button(page).click()
    expect(page.get_by_text("You stopped this answer.")).to_be_visible()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)


def test_a_running_conversation_is_marked_until_it_ends(page: Page, slow_desk: Desk) -> None:
    page.goto(slow_desk.url)
    ask(page, "Show my unread emails")
    expect(answers(page).last).to_contain_text(WORDS[2])
    conversation = conversation_of(page)
    page.get_by_role("button", name="New conversation").click()
    entry = page.locator(f".st-key-open_{conversation}")
    spinner = entry.get_by_test_id("stSpinnerIcon")
    expect(spinner).to_be_visible()
    expect(spinner).to_have_count(0)
    entry.get_by_role("button").click()
    expect(answers(page).last).to_contain_text(WORDS[-1])


def test_a_failed_turn_says_why_and_what_to_do(page: Page, slow_desk: Desk) -> None:
    page.goto(slow_desk.url)
    ask(page, "Break my unread emails: break")
    expect(page.get_by_test_id("stAlert")).to_contain_text("key")
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()
    assert [turn["status"] for turn in turns(slow_desk, conversation_of(page))] == ["failed"]


def test_hostile_text_in_an_answer_does_nothing(page: Page, slow_desk: Desk, requests: list[str]) -> None:
    page.goto(slow_desk.url)
    ask(page, "Show my hostile unread emails")
    expect(answers(page).last).to_contain_text("that was all")
    expect(quiet_line(page)).to_contain_text("1 tool")
    message = answers(page).last
    for acting in (
        "img[src*=evil]",
        ".katex",
        "a[href^=javascript]",
        "[role=img][aria-label*=icon]",
        "svg[id*=mermaid]",
    ):
        expect(message.get_by_test_id("stMarkdown").locator(acting)).to_have_count(0)
    for shown in ("$114.22 today and $115.40 tomorrow, $a$ in code", ":red[loud]", "graph TD; A-->B"):
        expect(message).to_contain_text(shown)
    assert not [address for address in requests if "evil" in address]


def test_a_wide_answer_does_not_make_a_phone_scroll_sideways(
    open_context: Callable[..., BrowserContext], slow_desk: Desk
) -> None:
    page = open_context(viewport={"width": 390, "height": 844}, is_mobile=True).new_page()
    page.goto(slow_desk.url)
    ask(page, "Show my unread emails, wide, " + "and long" * 300)
    expect(quiet_line(page)).to_contain_text("tokens")
    expect(answers(page).last.locator("table")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == []
