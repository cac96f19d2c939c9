"""A start beside other processes: what one of them begins at that moment is not taken for what a killed one left."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Engine

from core.store.approvals import Approvals, Asked
from core.store.conversations import Conversations

SAM, CALL = "sam", {"to": "ana@lumenworks.example"}


@dataclass
class Process:
    """One that sees the process `other` alone; `meanwhile` happens whenever it looks who lives."""

    id: str
    meanwhile: Callable[[], Any] = lambda: None

    def living(self, ids: Collection[str]) -> set[str]:
        self.meanwhile()
        return {"other"} & set(ids)

    def follow(self, engine: Engine) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def engine(engine: Engine) -> Engine:
    """Of SQLite, which lets one write at a time, nothing can happen in between."""
    if engine.dialect.name == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    return engine


def begins(engine: Engine, process: Process, turn_id: str) -> None:
    """A turn that runs, in which a call is being made."""
    Conversations(engine, process).begin(SAM, f"c-{turn_id}", turn_id, "Send Ana the invoice")
    approvals = Approvals(engine, process)
    asked = Asked(turn_id, f"c-{turn_id}", SAM, "sam@x", "call", "Gmail", "send", CALL, "Sends a mail.")
    approvals.decide(SAM, approvals.ask(asked).id, "approve")
    approvals.claim(SAM, turn_id, "call", CALL)


def test_a_turn_that_begins_elsewhere_while_this_one_starts_goes_on(engine: Engine) -> None:
    begins(engine, Process("killed"), "t1")
    starts = Process("this", lambda: begins(engine, Process("other"), "t2"))
    conversations = Conversations(engine, starts)
    assert conversations.mark_interrupted() == 1
    assert [conversations.exchange(SAM, turn).status for turn in ("t1", "t2")] == ["interrupted", "running"]


def test_a_call_that_is_begun_elsewhere_while_this_one_starts_is_not_lost(engine: Engine) -> None:
    begins(engine, Process("killed"), "t1")
    approvals = Approvals(engine, Process("this", lambda: begins(engine, Process("other"), "t2")))
    approvals.recover()
    states = [row.state for turn in ("t1", "t2") for row in approvals.of_turn(SAM, turn)]
    assert states == ["unknown", "running"]
