"""The list of conversations in the browser: found, renamed, exported, deleted and had back; answers rated."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.chat import INPUT, ask, conversation_of, fetched, quiet_line, send
from tests.browser.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def begun(page: Page, desk: Desk, question: str) -> str:
    page.goto(desk.url)
    ask(page, question)
    expect(quiet_line(page)).to_contain_text("see where it went")
    return conversation_of(page)


def entry(page: Page, conversation: str) -> Locator:
    return page.locator(f".st-key-entry_{conversation}")


def menu(page: Page, conversation: str) -> Locator:
    entry(page, conversation).locator("[class*=st-key-menu_] button").first.click()
    body = page.get_by_test_id("stPopoverBody")
    expect(body.get_by_role("button", name="Delete")).to_be_visible()
    return body


def test_a_conversation_is_renamed_exported_deleted_and_had_back(page: Page, desk: Desk) -> None:
    conversation = begun(page, desk, "Show my unread emails")
    title = menu(page, conversation).get_by_label("Title")
    title.fill("Monday's *mail*")
    title.press("Enter")
    expect(entry(page, conversation)).to_contain_text("Monday's *mail*")
    page.reload()
    expect(entry(page, conversation)).to_contain_text("Monday's *mail*")
    with page.expect_download() as started:
        menu(page, conversation).get_by_role("button", name="Export as Markdown").click()
    assert "# Monday's *mail*" in Path(started.value.path()).read_text(encoding="utf-8")
    page.get_by_test_id("stPopoverBody").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name=re.compile("^Good "))).to_be_visible()
    expect(entry(page, conversation)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(entry(page, conversation)).to_be_visible()


def test_a_word_of_an_answer_finds_its_conversation(page: Page, desk: Desk) -> None:
    conversation = begun(page, desk, "Find the mail from Ana about the invoice")
    page.get_by_role("button", name="New conversation").click()
    search = page.get_by_placeholder("Search conversations")
    search.fill("invoice 2041")
    search.press("Enter")
    hit = page.locator(f".st-key-hit_{conversation}")
    expect(hit).to_contain_text("2041")
    hit.get_by_role("button").click()
    page.wait_for_url(re.compile(conversation))


def test_a_thumb_is_kept_and_shown_with_the_turn(page: Page, desk: Desk) -> None:
    conversation = begun(page, desk, "What's on my calendar tomorrow?")
    page.get_by_role("radiogroup", name="Feedback rating").get_by_role("radio").first.click(force=True)
    expect(page.get_by_role("button", name="Add a note")).to_be_visible()
    (turn,) = fetched(desk, f"/api/turns?conversation_id={conversation}")["turns"]
    page.goto(f"{desk.url}/latency?turn={turn['turn_id']}")
    expect(page.get_by_text("You rated this answer.")).to_be_visible()


def test_a_file_goes_with_a_question_and_one_that_is_not_taken_is_refused(page: Page, desk: Desk) -> None:
    page.goto(desk.url)
    chooser = page.get_by_test_id("stChatInput").locator("input[type=file]")
    chooser.set_input_files({"name": "plan.txt", "mimeType": "text/plain", "buffer": b"Lamps first."})
    expect(page.get_by_text("plan.txt")).to_be_visible()
    ask(page, "Show my unread emails")
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text("plan.txt · 12 bytes")
    expect(quiet_line(page)).to_contain_text("see where it went")
    chooser.set_input_files({"name": "run.exe", "mimeType": "application/x-msdownload", "buffer": b"MZ"})
    expect(page.get_by_text("run.exe")).to_be_visible()
    send(page, "Show my unread emails")
    expect(page.get_by_text("run.exe is of a kind that cannot be attached.")).to_be_visible()
    expect(page.locator(INPUT)).to_have_value("Show my unread emails")  # nothing is lost


def test_settings_say_what_is_asked_about(page: Page, desk: Desk) -> None:
    page.goto(f"{desk.url}/settings")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    expect(page.get_by_text("Always asked: Send a mail")).to_be_visible()
    allow = page.locator(".st-key-policy_of_draft_gmail_message").get_by_role("radio", name="Allow")
    allow.click(force=True)
    expect(allow).to_be_checked()
    page.reload()
    expect(allow).to_be_checked()
