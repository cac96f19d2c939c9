"""A user's Google accounts: which there are, what each may do, which one acts, and how to be rid of them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.errors import BadInput, GlassdeskError, NotFound
from core.google.app_client import AppClient
from core.google.clients import GoogleClients
from core.google.connecting import Connecting, Returned
from core.google.needs import NONE, ConnectNeeded
from core.google.oauth import OAuth
from core.google.parting import Disconnected, Parting
from core.google.scopes import Scopes
from core.google.signins import CONNECTED, ROBOT, SignIns
from core.google.standing import Account, Service, service_of, shown
from core.google.vault import Vault
from core.registry.manifests import ToolManifest
from core.store.account_tables import GoogleConnection
from core.store.connections import Connections
from core.store.conversations import Conversations
from core.users import User

State = Literal["available", "connected", "needs_attention"]
NO_ACCOUNT = "You have not connected that Google account. Choose one of your accounts on the Connect page."
LACKS = (
    "{tool} needs a permission that {email} has not given: {what} Connect {service} on the Connect page to allow it."
)
NOT_YET = "{service} is not connected for {email}. Connect it on the Connect page, then repeat the question."
CHECKS: Mapping[str, tuple[str, str, Mapping[str, object]]] = {
    "gmail": ("gmail.users", "getProfile", {"userId": "me"}),
    "calendar": ("calendar.calendarList", "list", {"maxResults": 1}),
    "drive": ("drive.files", "list", {"pageSize": 1, "fields": "files(id)"}),
    "docs": ("drive.files", "list", {"pageSize": 1, "fields": "files(id)"}),
    "sheets": ("drive.files", "list", {"pageSize": 1, "fields": "files(id)"}),
    "slides": ("drive.files", "list", {"pageSize": 1, "fields": "files(id)"}),
}
"""A harmless call of each service; those that only open what Drive finds are asked through Drive."""


@dataclass(frozen=True)
class Tested:
    """What came of a harmless call; `ms` is how long Google took."""

    ok: bool
    ms: float
    sentence: str


@dataclass(frozen=True)
class Accounts:
    """All that pages, routes and the runtime ask about Google accounts; every call names its user.

    Attributes:
        welcome: connects the sandbox's account for a user at first; does nothing where the Workspace is Google's.
        robot: whether there is a service account.
        robot_id: its client id, which an administrator enters in the Admin console.
    """

    connections: Connections
    connecting: Connecting
    signins: SignIns
    scopes: Scopes
    clients: GoogleClients
    client: AppClient
    oauth: OAuth
    vault: Vault
    parting: Parting
    conversations: Conversations
    welcome: Callable[[str], None]
    robot: bool = False
    robot_id: str = ""
    clock: Callable[[], float] = time.time

    def list(self, user: User) -> Sequence[Account]:
        """The user's accounts, the default one first."""
        self.welcome(user.id)
        return [shown(self.scopes, row) for row in self.connections.of_user(user.id)]

    def acting(self, user: User, conversation_id: str | None = None) -> str:
        """The account that acts for a user.

        Args:
            conversation_id: one keeps the account that it was begun with or that was chosen for it, connected or not.

        Returns:
            An address; empty where the user has connected none.
        """
        chosen = self.conversations.account(user.id, conversation_id) if conversation_id else ""
        if chosen:
            return chosen
        self.welcome(user.id)
        return self.connections.default_of(user.id)

    def set_default(self, user: User, email: str) -> None:
        """Let an account act wherever no other is chosen.

        Raises:
            NotFound: the user has not connected it.
        """
        if not self.connections.set_default(user.id, email):
            raise NotFound(NO_ACCOUNT)

    def choose(self, user: User, conversation_id: str, email: str) -> None:
        """Let an account act in a conversation from now on.

        Raises:
            NotFound: the user has not connected it, or has no such conversation.
        """
        self.conversations.set_account(user.id, conversation_id, self._row(user, email).email)

    def services(self, user: User, email: str = "") -> Sequence[Service]:
        """Every service as an account has it.

        Args:
            email: empty: the default one.

        Raises:
            NotFound: the user has not connected it.
        """
        self.welcome(user.id)
        row = self._row(user, email) if email else next(iter(self.connections.of_user(user.id)), None)
        return [service_of(self.scopes, name, row) for name in self.scopes.services]

    def missing(self, user: User, email: str) -> Mapping[str, tuple[str, ...]]:
        """The tools that lack something with an account, and what.

        Raises:
            NotFound: the user has not connected it.
        """
        return self.scopes.lacking(self._row(user, email).scopes)

    def begin(
        self, user: User, service: str = "", write: bool = False, return_to: str = "/connect", email: str = ""
    ) -> str:
        """Where to send the user to connect a service, or an account again; see `Connecting.begin`."""
        return self.connecting.begin(user, service, write, return_to, email)

    def finish(self, user: User, said: Mapping[str, str]) -> Returned:
        """Take what the user brings back from Google; see `Connecting.finish`."""
        return self.connecting.finish(user, said)

    def require(self, user_id: str, email: str, tool: ToolManifest) -> None:
        """Let a tool pass; from memory.

        Raises:
            ConnectNeeded: the account is not connected, or lacks something that the tool needs.
            GoogleError: Google cannot be asked for a new token now.
        """
        if not tool.scopes:
            return
        service, write = self.scopes.service_of(tool.name), not tool.reads
        if not email:
            raise ConnectNeeded(NONE, "", service, write)
        try:
            lacks = self.signins.lacking(user_id, email, tool.name)
        except ConnectNeeded as error:
            raise error.about(service, write) from None
        if lacks:
            raise ConnectNeeded(self._lacks(user_id, email, tool, lacks), email, service, write, lacks)

    def test(self, user: User, email: str, service: str) -> Tested:
        """Ask a service something harmless.

        Raises:
            BadInput: there is no such service.
            NotFound: the user has not connected the account.
        """
        self.scopes.title(service)
        self._row(user, email)
        path, method, given = CHECKS[service]
        google = self.clients.for_account(email, user.id)
        request = getattr(google.resource(path), method)(**given)
        began = time.perf_counter()
        try:
            google.execute(request)
        except GlassdeskError as error:
            return Tested(False, (time.perf_counter() - began) * 1000, error.sentence)
        return Tested(True, (time.perf_counter() - began) * 1000, f"{self.scopes.title(service)} answers.")

    def disconnect(self, user: User, email: str, service: str = "", anyway: bool = False) -> Disconnected:
        """Take permissions back at Google, and delete what is kept here.

        Args:
            service: only this one. Google takes back all at once, so that the others must be allowed again.
            anyway: delete it here even where Google cannot be told.

        Raises:
            BadInput: there is no such service.
            NotFound: the user has not connected the account.
            Unreached: Google could not be told, and nothing was changed.
        """
        return self.parting.disconnect(user, self._row(user, email), service, anyway)

    def delegate(self, user: User, email: str = "") -> Account:
        """Connect an account through the service account.

        Args:
            email: of another than the user, which only the local user's administrator may name.

        Raises:
            BadInput: there is no service account, or the address is not the user's own.
            ConnectNeeded: Google does not let the service account act for it.
        """
        own = user.email.lower()
        email = (email or own).strip().lower()
        if not self.robot:
            raise BadInput("No service account is set up. Set GLASSDESK_GOOGLE_SERVICE_ACCOUNT to its key file.")
        if "@" not in email or (own and email != own):
            raise BadInput("The service account acts for your own address only. Connect other accounts with Google.")
        if not own and not user.administers:
            raise BadInput("Your own address is not known here, so the service account cannot act for you.")
        before = self.connections.get(user.id, email)
        row = self.connections.keep(self._robots(user, email))
        try:
            self.signins.drop(user.id, email)
            self.signins.token(user.id, email)
        except GlassdeskError:
            if before is None:
                self.connections.remove(user.id, email)
            else:
                self.connections.keep(before)
            raise
        return shown(self.scopes, self.connections.get(user.id, email) or row)

    def forget(self, user_id: str) -> None:
        """Take back and delete everything of a user's; what Google cannot be told now is deleted all the same."""
        for row in self.connections.of_user(user_id):
            self.parting.revoke(row, anyway=True)
        self.connections.remove_all(user_id)
        self.connecting.consents.remove_all(user_id)
        self.signins.drop_user(user_id)

    def _robots(self, user: User, email: str) -> GoogleConnection:
        scopes = list(self.scopes.all())
        return GoogleConnection(
            user_id=user.id,
            email=email,
            kind=ROBOT,
            sealed=self.vault.seal('{"refresh_token": ""}'),
            scopes=scopes,
            wanted=scopes,
            state=CONNECTED,
            connected=int(self.clock()),
        )

    def _lacks(self, user_id: str, email: str, tool: ToolManifest, lacks: Sequence[str]) -> str:
        service = self.scopes.service_of(tool.name)
        row = self.connections.get(user_id, email)
        title = self.scopes.title(service)
        if row is not None and not any(self.scopes.works(service, row.scopes, write) for write in (False, True)):
            return NOT_YET.format(service=title, email=email)
        what = " ".join(self.scopes.purpose(one) for one in lacks)
        return LACKS.format(tool=tool.title, email=email, what=what, service=title)

    def _row(self, user: User, email: str) -> GoogleConnection:
        row = self.connections.get(user.id, email.strip().lower())
        if row is None:
            raise NotFound(NO_ACCOUNT)
        return row
