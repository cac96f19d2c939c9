"""Nothing leaves the machine. Runs last: it looks at what all tests before it asked for."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Desk

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_no_page_asks_for_anything_elsewhere(page: Page, desk: Desk, requests: list[str]) -> None:
    page.goto(f"{desk.url}/latency")
    expect(page.get_by_role("heading", name="Latency")).to_be_visible()
    hosts = {urlsplit(address).hostname for address in requests if not address.startswith(("data:", "blob:"))}
    assert hosts <= {"127.0.0.1", "localhost"}
