"""A stop that comes between the claim of a write and the write itself: it is not made, and that is known."""

import asyncio
from types import SimpleNamespace

import pytest

from core.mcp_server.meta import Caller
from core.registry.manifests import load_catalogue
from core.runtime.gate import NOT_MADE, Gate
from core.runtime.remains import Remains
from core.store.approvals import Approvals, Asked
from core.store.conversations import Conversations
from core.store.engine import open_database

MAIL = {"to": "ana@lumenworks.example", "subject": "Hi", "body": "x"}


@pytest.fixture
def approvals(tmp_path):
    database = open_database(f"sqlite:///{tmp_path / 'app.db'}")
    yield Approvals(database)
    database.dispose()


async def test_a_stop_before_the_write_leaves_it_not_made(approvals):
    row = approvals.ask(
        Asked("t", "c", "sam", "sam@lumenworks.example", "call", "Gmail", "send_gmail_message", MAIL, "Send")
    )
    approvals.decide("sam", row.id, "approve")
    conversations = Conversations(approvals._engine)
    gate = Gate(load_catalogue(), approvals, Remains(conversations, approvals), lambda *_: None)
    made = []

    async def call(arguments):
        made.append(arguments)
        return SimpleNamespace()

    caller = Caller(user_id="sam", turn_id="t", call_id="call", account="sam@lumenworks.example")
    passing = asyncio.create_task(gate.passes(caller, "send_gmail_message", MAIL, call))
    await asyncio.sleep(0)
    passing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await passing
    kept = approvals.get("sam", row.id)
    assert (made, kept.state, kept.result) == ([], "failed", NOT_MADE)
