"""The app's stores, opened together: what was deleted long ago is gone, what a killed process left is in order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from core.store.approvals import Approvals
from core.store.budgets import Budgets
from core.store.conversations import UNDO, Conversations
from core.store.engine import open_database
from core.store.export import Record
from core.store.feedback import Feedbacks
from core.store.parked import ParkedTurns
from core.store.processes import Alone, Processes
from core.store.purge import Gone, kept_files, purge
from core.store.search import ConversationSearch
from core.store.searches import Searches
from core.store.servers import AddedServers
from core.store.switches import Switches
from core.store.tokens import Tokens
from core.store.uploads import Uploads


@dataclass(frozen=True)
class Stores:
    """All of them."""

    conversations: Conversations
    approvals: Approvals
    parked: ParkedTurns
    feedbacks: Feedbacks
    search: ConversationSearch
    uploads: Uploads
    budgets: Budgets
    switches: Switches
    tokens: Tokens
    searches: Searches
    servers: AddedServers
    database: Engine
    processes: Processes

    def record(self, user_id: str, conversation_id: str, numbers: Mapping[str, Mapping[str, Any]]) -> Record:
        """A conversation with all that belongs to it, for an export.

        Args:
            numbers: turn id → what the HTTP contract says about the turn; may lack turns.

        Raises:
            NotFound: the conversation is not the user's.
        """
        conversation = self.conversations.get(user_id, conversation_id)
        exchanges = self.conversations.exchanges(user_id, conversation_id, superseded=True)
        asked = [row for exchange in exchanges for row in self.approvals.of_turn(user_id, exchange.turn_id)]
        feedback = self.feedbacks.of_conversation(user_id, conversation_id)
        return Record(conversation, exchanges, asked, feedback, numbers)


def open_stores(
    url: str, uploads: Path, now: datetime, gone: Gone = list, processes: Callable[[str], Processes] = lambda _: Alone()
) -> Stores:
    """Open the app database and the folder of uploads.

    Args:
        url: an SQLAlchemy URL.
        now: aware; what was deleted too long before it is deleted for good.
        gone: told which conversations that are, (user id, conversation id), before they go.
        processes: makes what tells the processes that use a database, given its URL.
    """
    database = open_database(url)
    present = processes(url)
    present.follow(database)
    approvals, files = Approvals(database, present), Uploads(uploads)
    approvals.recover()
    purge(database, now, gone)
    files.sweep(kept_files(database), now - UNDO)
    return Stores(
        conversations=Conversations(database, present),
        approvals=approvals,
        parked=ParkedTurns(database, present),
        feedbacks=Feedbacks(database),
        search=ConversationSearch(database),
        uploads=files,
        budgets=Budgets(database),
        switches=Switches(database),
        tokens=Tokens(database),
        searches=Searches(database),
        servers=AddedServers(database),
        database=database,
        processes=present,
    )
