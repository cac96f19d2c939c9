"""What becomes of a fault of our own in the middle of a tool."""

import pytest

from core.mcp_server.meta import OUTCOME
from core.mcp_server.outbox import Outbox
from tests.mcp_server.conftest import said
from tests.mcp_server.writing import Desk


async def test_a_fault_after_a_write_began_leaves_its_outcome_unknown(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Outbox, "send", lambda *_: ({}, True))
    result = await desk.result("send_gmail_message", to="ana@lumenworks.example", subject="Hi", body="x")
    assert result.is_error and result.meta[OUTCOME] == "unknown"
    assert said(result).endswith("Whether the change was made is unknown: check first.")


async def test_a_fault_in_a_read_is_no_more_than_a_failure(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.mcp_server.tools.gmail.Mailbox.summaries", lambda *_: 1 / 0)
    result = await desk.result("search_gmail_messages", query="is:unread")
    assert result.is_error and OUTCOME not in (result.meta or {})
    assert "a fault in this app" in said(result)
