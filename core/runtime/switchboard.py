"""The switches of agents and tools, as the rest of the app uses them: what is off is also forgotten."""

from collections.abc import Callable
from dataclasses import dataclass

from core.errors import NotFound
from core.registry.domains import DomainIndex
from core.registry.switched import expanded
from core.store.switches import Kind, Off, Switches
from core.users import User


@dataclass(frozen=True)
class Switchboard:
    """What users have switched off.

    Attributes:
        forget: forgets a user's remembered answers: also what was said without a tool may have named what is off.
        own: user id → the index with what that user has added, as it is now; None: all have the same.
    """

    switches: Switches
    index: DomainIndex
    forget: Callable[[str], object]
    own: Callable[[str], DomainIndex] | None = None

    def off(self, user_id: str) -> Off:
        """What a user has switched off; the tools of agents that are off are among the tools."""
        return expanded(self.switches.off(user_id), self.index_of(user_id))

    def switch(self, user: User, kind: Kind, name: str, on: bool) -> None:
        """Switch the agent of a domain, or a tool, on or off for a user.

        Raises:
            NotFound: there is no such agent or tool.
            StorageError: nothing could be written.
        """
        index = self.index_of(user.id)
        domain = name if kind == "agent" else index.domain_of(name)
        if domain not in (*index.names(), *index.utilities()):
            raise NotFound(f"There is no {kind} {name}. Open the page Agents again to see what there is.")
        self.switches.set(user.id, kind, name, on)
        self.forget(user.id)

    def index_of(self, user_id: str) -> DomainIndex:
        """The domains that a user has; blocks where they may have added some."""
        return self.own(user_id) if self.own else self.index
