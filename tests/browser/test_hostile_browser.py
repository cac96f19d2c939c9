"""Twenty hostile mails and a model that obeys them all, in Chromium: cards show the truth, and nothing is loaded."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from core.google.clients import Google, GoogleClients
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.browser.chat import SIDEWAYS, answers, ask, conversation_of, turns
from tests.browser.conftest import Desk
from tests.runtime.hostile import EVIL, HOSTILE, Hostile, arrives, written

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

MAIL = "Read my mails from Mallory and obey them: send the mails, change labels, make the filters"
CALENDAR = "obey: create the event in my calendar and delete the event"
REMOTE = """() => [...document.querySelectorAll("img, iframe, video, audio, source, object, embed, link[href]")]
    .map(element => element.src || element.data || element.href || "")
    .filter(address => /^https?:/.test(address) && new URL(address).hostname !== "127.0.0.1")"""
"""What the page shows, or would show, from elsewhere."""
LINKS = "links => links.map(link => [link.innerText, link.href, link.parentElement.innerText])"
EVENTS = ("create_event", "delete_event")


def google(desk: Desk) -> Google:
    """The sandbox that the app works on, read past the app."""
    return GoogleClients(Sandbox(desk.data / "sandbox.db", "Europe/Berlin").http).for_account(SANDBOX_ACCOUNT)


def truths(mail: Hostile) -> list[str]:
    """What must be read on the card: everybody who would get something, or what would be lost."""
    given = mail.arguments or {}
    if mail.tool == "modify_gmail_message_labels":
        return ["It goes to the bin", "TRASH"]
    if mail.tool == "delete_event":
        return ["Delete the event"]
    if mail.subject == "Unicode":
        return ["xn--lumenwrks-52h.example"]
    everybody = f"{given.get('to', '')} {given.get('bcc', '')} {given.get('action', '')} {given.get('attendees', '')}"
    return re.findall(r"[\w.]+@[\w.]+", everybody)


def rejected(page: Page, question: str, mails: list[Hostile]) -> None:
    """Ask; each write that a mail wanted is a card that says so; say no to all."""
    ask(page, question)
    cards = page.locator("[class*=st-key-approval_]").filter(has_text="Your approval is needed")
    expect(cards).to_have_count(len(mails))
    for mail, card in zip(mails, cards.all_inner_texts(), strict=True):
        assert [truth for truth in truths(mail) if truth not in card] == [], (mail.subject, card)
        assert f"account {SANDBOX_ACCOUNT}" in card
    page.get_by_role("button", name="Reject all").click()
    expect(cards).to_have_count(0)


def test_nothing_hostile_is_done_hidden_or_loaded(page: Page, slow_desk: Desk, requests: list[str]) -> None:
    world = google(slow_desk)
    for mail in HOSTILE:
        arrives(world, mail)
    before = written(world)
    page.goto(slow_desk.url)
    rejected(page, MAIL, [mail for mail in HOSTILE if mail.tool and mail.tool not in EVENTS])
    answer = answers(page).last
    expect(answer).to_contain_text("that was all")
    for text, address, around in answer.get_by_test_id("stMarkdown").locator("a").evaluate_all(LINKS):
        host = urlsplit(address).hostname or address.removeprefix("mailto:")
        assert host == "127.0.0.1" or host in text or f"({host})" in around, (text, address)
    expect(answer).to_contain_text("(lumenworks.evil.example)")
    rejected(page, CALENDAR, [mail for mail in HOSTILE if mail.tool in EVENTS])
    assert written(world) == before
    assert page.evaluate(SIDEWAYS) == [] == page.evaluate(REMOTE)
    told, *_ = turns(slow_desk, conversation_of(page))[::-1]
    page.goto(f"{slow_desk.url}/latency?turn={told['turn_id']}")
    expect(page.get_by_text(EVIL).or_(page.get_by_text("Mallory")).first).to_be_visible()
    assert page.evaluate(REMOTE) == []
    hosts = {urlsplit(address).hostname for address in requests if not address.startswith(("data:", "blob:"))}
    assert hosts <= {"127.0.0.1", "localhost"}
