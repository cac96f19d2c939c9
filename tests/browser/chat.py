"""What a person does and sees in Chat."""

import json
import re
import urllib.request
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Desk

INPUT = "[data-testid=stChatInput] textarea"
CONTRAST = """element => {
    const parse = text => (text.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number)
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
        .map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0)
    let ground = element
    while (ground && (parse(getComputedStyle(ground).backgroundColor)[3] ?? 1) < 1) ground = ground.parentElement
    const back = light(parse(getComputedStyle(ground ?? document.body).backgroundColor))
    const front = light(parse(getComputedStyle(element).color))
    return (Math.max(back, front) + 0.05) / (Math.min(back, front) + 0.05)
}"""
"""The contrast of an element's text to what is behind it, as WCAG measures it: 1 to 21."""


SIDEWAYS = """() => [...document.querySelectorAll("[data-testid=stMain] *, [data-testid=stAppViewContainer] *")]
    .filter(element => element.scrollWidth > element.clientWidth + 1)
    .filter(element => ["auto", "scroll"].includes(getComputedStyle(element).overflowX))
    .filter(element => !element.closest("[data-testid=stSidebar], table, pre, [data-testid=stDataFrame]"))
    .map(element => element.dataset.testid ?? element.className)"""
"""What could be scrolled sideways, beside tables and code, which may."""


def ask(page: Page, question: str) -> None:
    """Type a question and send it; it has left the input at the end."""
    send(page, question)
    expect(page.locator(INPUT)).to_have_value("")


def send(page: Page, question: str) -> None:
    """Type a question and press Enter, once the input takes one and it may leave: a file that goes with it has come."""
    box = page.locator(INPUT)
    expect(box).to_be_enabled()
    box.fill(question)
    expect(page.get_by_test_id("stChatInputSubmitButton")).to_be_enabled()
    box.press("Enter")


def answers(page: Page) -> Locator:
    """The assistant's messages."""
    return page.get_by_test_id("stChatMessage").filter(has=page.get_by_test_id("stExpander"))


def quiet_line(page: Page) -> Locator:
    """The line under the last answer."""
    return page.locator("[class*=st-key-numbers_]").last


def numbers(page: Page) -> Locator:
    """What the last answer took."""
    return quiet_line(page).get_by_test_id("stCaptionContainer")


def stop_button(page: Page) -> Locator:
    return page.locator("[class*=st-key-stop_] button")


def conversation_of(page: Page) -> str:
    """The conversation in the address, once there is one."""
    page.wait_for_url(re.compile(r"\?c="))
    return page.url.split("c=")[1]


def turns(desk: Desk, conversation_id: str) -> list[dict[str, Any]]:
    """The turns of a conversation over the HTTP API, newest first."""
    answer = fetched(desk, f"/api/turns?conversation_id={conversation_id}")
    return list(answer["turns"] if isinstance(answer, dict) else answer)


def fetched(desk: Desk, path: str) -> Any:
    """What the HTTP API answers."""
    with urllib.request.urlopen(desk.url + path, timeout=10) as answer:
        return json.load(answer)
