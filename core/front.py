"""What serves before the assistant is ready: the databases, and who may come in."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from core.folder import make_data_folder
from core.glass import open_telemetry
from core.settings import Settings, Workspace
from core.store.approvals import Approvals
from core.store.conversations import Conversations
from core.store.people import People
from core.store.stores import Stores, open_stores
from core.store.tokens import Tokens
from core.store.vaulted import Vaulted, kind_of
from core.users import rules_of
from telemetry.presence import Presence
from telemetry.queries import Glass
from telemetry.setup import Telemetry


@dataclass(frozen=True)
class Front:
    """Enough to take spans, to tell numbers, and to know who asks."""

    settings: Settings
    telemetry: Telemetry
    glass: Glass
    stores: Stores
    people: People

    @property
    def conversations(self) -> Conversations:
        """What was asked and answered."""
        return self.stores.conversations

    @property
    def approvals(self) -> Approvals:
        """What a person was asked, and decided."""
        return self.stores.approvals

    @property
    def tokens(self) -> Tokens:
        """The API's tokens."""
        return self.stores.tokens

    @cached_property
    def kind(self) -> Workspace:
        """Whose Workspace it is; a start keeps to what it was then."""
        return kind_of(self.settings, Vaulted(self.stores.database))

    def leave(self) -> None:
        """Store what is there, and close; the last thing that a process does."""
        self.telemetry.shutdown()
        self.stores.processes.close()


def open_front(settings: Settings) -> Front:
    """Open the databases.

    Raises:
        GlassdeskError: one of them is damaged, or out of reach.
    """
    make_data_folder(settings)
    telemetry = open_telemetry(settings)
    stores = open_stores(
        settings.app_url, settings.uploads, datetime.now(UTC), telemetry.forget_conversations, Presence
    )
    people = People(stores.database, rules_of(settings))
    return Front(settings, telemetry, Glass(telemetry.store), stores, people)
