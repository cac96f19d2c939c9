"""Connecting in the browser: services come one by one, a question offers what it lacks, a restart loses no sign-in."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from core.users import SANDBOX_ACCOUNT as SAM
from tests.browser.chat import SIDEWAYS, ask, conversation_of, quiet_line
from tests.browser.conftest import running
from tests.browser.ports import free_port

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(150)]
ATTENTION = "No Google account is connected"
LUNCH = "What's on my calendar tomorrow?"


class Office:
    """An app that can be started again at the same address over the same folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self._app = folder, free_port(), ExitStack()
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, after it was stopped where it runs."""
        self.stop()
        self._app.enter_context(running(self.folder, port=self.port))

    def stop(self) -> None:
        self._app.close()


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """The tests go on where the one before has ended: nothing connected, then Gmail, then Calendar."""
    made = Office(tmp_path_factory.mktemp("connect"))
    made.start()
    yield made
    made.stop()


def service(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-service_{name}")


def button(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def allow(page: Page, *untick: str) -> None:
    """On the consent page: untick some permissions, allow the rest."""
    expect(page.get_by_role("heading", name="Glassdesk asks for access")).to_be_visible()
    for purpose in untick:
        page.get_by_label(re.compile(purpose)).uncheck()
    button(page, "Allow").click()


def opened(page: Page, office: Office) -> Page:
    page.goto(f"{office.url}/connect")
    expect(page.get_by_role("heading", name="Services")).to_be_visible()
    return page


def disconnect(page: Page, place: Locator, name: str) -> None:
    button(place, "Disconnect").click()
    button(page.get_by_test_id("stPopoverBody"), f"Disconnect {name}").click()


def test_what_a_question_lacks_is_offered_in_the_chat_added_and_asked_again(page: Page, office: Office) -> None:
    opened(page, office)
    disconnect(page, page.locator("[class*=st-key-account_]"), SAM)
    expect(page.get_by_text("Google has taken back all permissions")).to_be_visible()
    expect(page.get_by_text(ATTENTION).first).to_be_visible()
    button(service(page, "gmail"), "Connect to read").click()
    allow(page)
    expect(page.get_by_text("Gmail is connected for")).to_be_visible()
    expect(service(page, "gmail")).to_contain_text("Reads only")
    expect(service(page, "calendar")).to_contain_text("Not connected")
    expect(page.get_by_text(ATTENTION)).to_have_count(0)
    assert page.url == f"{office.url}/connect"

    page.get_by_role("link", name="Chat").click()
    ask(page, LUNCH)
    offer = button(page, "Connect Google Calendar")
    expect(offer).to_be_visible()
    conversation = conversation_of(page)
    offer.click()
    allow(page)
    again = page.locator("[class*=st-key-ask_connected_] button")
    expect(again).to_be_visible()
    assert page.url == f"{office.url}/?c={conversation}"
    again.click()
    expect(again).to_have_count(0)
    expect(quiet_line(page)).to_contain_text("see where it went")
    expect(page.get_by_text("needs your permission")).to_have_count(0)


def test_an_unticked_permission_is_missed_by_exactly_its_tools(page: Page, office: Office) -> None:
    opened(page, office)
    button(service(page, "calendar"), "Allow changes").click()
    allow(page, "Make, change and delete events")
    said = page.get_by_test_id("stAlert")
    expect(said).to_contain_text("Connected, without what you unticked")
    expect(said).to_contain_text("Create an event, Change an event, Delete an event need a permission")
    service(page, "calendar").get_by_text("6 tools").click()
    expect(service(page, "calendar").get_by_text("Not allowed: Make, change and delete events")).to_have_count(3)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(SIDEWAYS) == []
    button(service(page, "calendar"), "Test it").click()
    expect(service(page, "calendar")).to_contain_text("Google Calendar answers.")


def test_a_restart_in_the_middle_of_the_consent_loses_nothing(page: Page, office: Office) -> None:
    opened(page, office)
    disconnect(page, service(page, "gmail"), "Gmail")
    expect(page.get_by_role("heading", name="Glassdesk asks for access")).to_be_visible()
    page.goto(f"{office.url}/connect")
    expect(service(page, "calendar")).to_contain_text("Needs attention")
    button(service(page, "calendar"), "Connect again").click()
    expect(page.get_by_role("heading", name="Glassdesk asks for access")).to_be_visible()
    office.start()
    allow(page)
    expect(service(page, "calendar")).to_contain_text("Connected")
    expect(service(page, "gmail")).to_contain_text("Not connected")
