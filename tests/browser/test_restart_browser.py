"""Writes that wait while the app is started anew: a yes, over HTTP or by a click, sends exactly one mail."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from core.google.clients import GoogleClients
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.browser.chat import fetched, quiet_line
from tests.browser.conftest import Desk, running

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def posted(desk: Desk, path: str, body: dict[str, Any]) -> Any:
    """What the HTTP API answers to a body."""
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(desk.url + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def sent(desk: Desk, word: str) -> int:
    """How many mails of that subject are in Sent."""
    google = GoogleClients(Sandbox(desk.data / "sandbox.db", "Europe/Berlin").http).for_account(SANDBOX_ACCOUNT)
    messages = google.resource("gmail.users.messages")
    return len(google.execute(messages.list(userId="me", q=f"in:sent {word}")).get("messages", []))


@pytest.mark.timeout(180)
def test_an_approval_outlives_a_restart_and_sends_one_mail_over_http_and_by_a_click(page: Page, tmp_path: Path) -> None:
    with running(tmp_path) as first:
        asked = [
            posted(first, "/api/chat", {"message": f"Send Priya a mail saying that the {word} flies"})
            for word in ("zeppelin", "balloon")
        ]
        assert [turn["status"] for turn in asked] == ["waiting_approval"] * 2
    with running(tmp_path) as again:
        over_http, by_click = asked
        assert [fetched(again, f"/api/turns/{turn['turn_id']}")["status"] for turn in asked] == ["waiting_approval"] * 2
        (approval,) = over_http["approvals"]
        answer = posted(again, f"/api/approvals/{approval['approval_id']}", {"decision": "approve"})
        assert answer["approval_id"] == approval["approval_id"]
        page.goto(f"{again.url}/?c={by_click['conversation_id']}")
        expect(page.get_by_text("balloon").first).to_be_visible()
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.locator("[class*=st-key-decided_]")).to_contain_text("done")
        expect(quiet_line(page)).to_contain_text("waited for you")
        turns = [fetched(again, f"/api/turns/{turn['turn_id']}") for turn in asked]
        assert [turn["status"] for turn in turns] == ["done"] * 2
        assert [[one["state"] for one in turn["approvals"]] for turn in turns] == [["done"]] * 2
        assert (sent(again, "zeppelin"), sent(again, "balloon")) == (1, 1)
        with pytest.raises(urllib.error.HTTPError, match="409"):
            posted(again, f"/api/approvals/{approval['approval_id']}", {"decision": "approve"})
        assert sent(again, "zeppelin") == 1
