"""The open conversation: what was said in it, and the turn that runs."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from core.errors import NotFound
from core.runtime.steps import outline_of
from core.runtime.turn import Turn
from core.store.tables import Approval, Exchange, Feedback
from pages.components.asking import CONVERSATION
from pages.components.markdown import literal
from pages.components.page import Page


def running_turn(page: Page) -> Turn | None:
    """The turn that runs in the open conversation."""
    conversation_id = st.query_params.get(CONVERSATION)
    return page.services.runtime.attend(page.user, conversation_id) if conversation_id else None


def opened(page: Page) -> Sequence[Exchange]:
    """What was said in the conversation that the address names; an unknown one is left for a new one."""
    conversation_id = st.query_params.get(CONVERSATION)
    if conversation_id is None:
        return []
    try:
        page.services.conversations.get(page.user.id, conversation_id)
    except NotFound as error:
        del st.query_params[CONVERSATION]
        st.info(literal(error.sentence), icon=":material/info:")
        return []
    return page.services.conversations.exchanges(page.user.id, conversation_id)


OPEN = ("running", "waiting")
"""What is kept of a turn that has not ended; it may wait for a person's decision."""


def turns_of(page: Page, exchanges: Sequence[Exchange], live: Turn | None) -> dict[str, Turn]:
    """The turns in memory behind exchanges that have not ended.

    Args:
        live: the turn that ran before the exchanges were read; one that is kept as ended may still be at its end.
    """
    found = {} if live is None else {live.id: live}
    for exchange in exchanges:
        if exchange.status in OPEN and exchange.turn_id not in found:
            with suppress(NotFound):
                found[exchange.turn_id] = page.services.runtime.turn(page.user, exchange.turn_id)
    return found


def approvals_of(page: Page, exchanges: Sequence[Exchange]) -> dict[str, list[Approval]]:
    """Turn id → what was asked in it."""
    found: dict[str, list[Approval]] = {}
    for conversation_id in {exchange.conversation_id for exchange in exchanges}:
        for row in page.services.approvals.of_conversation(page.user.id, conversation_id):
            found.setdefault(row.turn_id, []).append(row)
    return found


def feedback_of(page: Page, exchanges: Sequence[Exchange]) -> dict[str, Feedback]:
    """Turn id → what the person thought of it."""
    kept = page.services.stores.feedbacks
    conversations = {exchange.conversation_id for exchange in exchanges}
    return {turn: given for one in conversations for turn, given in kept.of_conversation(page.user.id, one).items()}


def as_ended(exchange: Exchange, turn: Turn | None) -> Exchange:
    """An exchange whose turn has ended, as it ended.

    It may be kept as not ended all the same: its process was killed, or the disk was full at its end. Then the turn, if
    it is still in memory, knows more than the database.
    """
    if exchange.status not in OPEN:
        return exchange
    if turn is None:
        return exchange.model_copy(update={"status": "interrupted"})
    end = turn.log.last().data
    told = {"status": end["status"], "answer": end["response"], "error": end["error"]}
    return exchange.model_copy(update={**told, "plan": outline_of(turn.log.after(0)) or exchange.plan})
