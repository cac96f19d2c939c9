"""The open conversation: what was said in it, and the turn that runs."""

from collections.abc import Sequence

import streamlit as st

from core.errors import NotFound
from core.runtime.turn import Turn
from core.store.tables import Exchange
from pages.components.asking import CONVERSATION
from pages.components.markdown import literal
from pages.components.page import Page


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


def turn_of(page: Page, exchange: Exchange) -> Turn | None:
    """The turn behind an exchange that is kept as running."""
    if exchange.status != "running":
        return None
    try:
        return page.services.runtime.turn(page.user, exchange.turn_id)
    except NotFound:
        return None


def as_ended(exchange: Exchange, turn: Turn | None) -> Exchange:
    """An exchange that no longer runs, as it ended.

    It may be kept as running all the same: its process was killed, or the disk was full at its end. Then the turn, if
    it is still in memory, knows more than the database.
    """
    if exchange.status != "running":
        return exchange
    if turn is None:
        return exchange.model_copy(update={"status": "interrupted"})
    end = turn.log.last().data
    return exchange.model_copy(update={"status": end["status"], "answer": end["response"], "error": end["error"]})
