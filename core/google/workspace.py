"""The Workspace that the tools work in, Google's or the sandbox's, with the accounts connected to it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from core.google.accounts import Accounts
from core.google.app_client import AppClient
from core.google.authorised import authorised, google_line
from core.google.clients import GoogleClients
from core.google.connecting import Connecting
from core.google.keyring import system_ring
from core.google.oauth import OAuth, Tokens
from core.google.parting import Parting
from core.google.provider import GOOGLE, Client, Provider
from core.google.robot import read_robot
from core.google.scopes import Scopes, load_scopes, spelled
from core.google.signins import Kit, SignIns
from core.google.transport import HttpLike
from core.google.vault import Vault, keys_of
from core.registry.manifests import Catalogue
from core.sandbox.oauth.consent import ConsentPages
from core.sandbox.oauth.office import ACCESS_SECONDS
from core.sandbox.sandbox import Sandbox
from core.settings import Settings
from core.settings import Workspace as Kind
from core.store.account_tables import GoogleConnection
from core.store.connections import Connections
from core.store.consents import Consents
from core.store.conversations import Conversations
from core.store.vaulted import Vaulted, kind_of
from core.users import SANDBOX_ACCOUNT

SANDBOX_CLIENT = Client("glassdesk.sandbox.example", "not-a-secret")
"""The sandbox's secret guards nothing: whoever can read this file runs the sandbox."""
AUTHORISE = "/sandbox/oauth/authorize"


@dataclass(frozen=True)
class Workspace:
    """The Workspace, wired.

    Attributes:
        kind: whose it is.
        clients: the ways to it.
        pages: the sandbox's consent pages; None where the Workspace is Google's.
    """

    kind: Kind
    accounts: Accounts
    clients: GoogleClients
    pages: ConsentPages | None


def open_workspace(settings: Settings, catalogue: Catalogue, database: Engine, sandbox: Sandbox) -> Workspace:
    """Open the vault and the Workspace that the settings name.

    Args:
        sandbox: is opened only where it is the Workspace.

    Raises:
        StorageError: the sandbox's file, or the vault's, cannot be used.
        VaultError: the vault's key is wrong or missing.
        RobotError: the service account's file is none.
    """
    kept = Vaulted(database)
    vault = Vault(keys_of(settings.vault_key.get_secret_value(), settings.data_dir, system_ring()), kept)
    parts = Parts(settings, database, vault, load_scopes(catalogue))
    if kind_of(settings, kept) is Kind.GOOGLE:
        given = Client(settings.google_client_id, settings.google_client_secret.get_secret_value())
        client = AppClient(given if given.id else None, "settings", vault, kept)
        accounts = parts.accounts(Kind.GOOGLE, client, GOOGLE, google_line, lambda _: lambda user_id: None)
        return Workspace(Kind.GOOGLE, accounts, accounts.clients, None)
    sandbox.open()
    return in_sandbox(parts, AppClient(SANDBOX_CLIENT, "sandbox", vault, kept), sandbox)


def in_sandbox(parts: "Parts", client: AppClient, sandbox: Sandbox) -> Workspace:
    """The sandbox as the Workspace: its sign-in knows this app, and each user is given its account once."""
    settings, scopes = parts.settings, parts.scopes
    here = {settings.base_url, f"http://127.0.0.1:{settings.port}", f"http://localhost:{settings.port}"}
    back = [f"{base}/oauth/callback" for base in sorted(here)]
    sandbox.office.register(SANDBOX_CLIENT.id, SANDBOX_CLIENT.secret, back)
    provider = Provider(auth_uri=f"{settings.base_url}{AUTHORISE}")
    accounts = parts.accounts(
        Kind.SANDBOX, client, provider, sandbox.line, lambda connecting: Guests(sandbox, connecting, scopes)
    )
    purposes = {spelled(name): scope.purpose for name, scope in scopes.file.scopes.items()}
    return Workspace(Kind.SANDBOX, accounts, accounts.clients, ConsentPages(sandbox.office, purposes))


@dataclass(frozen=True)
class Parts:
    """What accounts are made of in either Workspace."""

    settings: Settings
    database: Engine
    vault: Vault
    scopes: Scopes

    def accounts(
        self,
        kind: Kind,
        client: AppClient,
        provider: Provider,
        line: Callable[[], HttpLike],
        welcome: Callable[[Connecting], Callable[[str], None]],
    ) -> Accounts:
        """The accounts of a Workspace.

        Args:
            line: opens an HTTP object that knows nobody.
            welcome: makes what connects an account for a user at first.
        """
        connections, oauth = Connections(self.database, kind.value), OAuth(provider, line)
        path = self.settings.google_service_account
        robot = read_robot(Path(path), line) if path else None
        signins = SignIns(Kit(connections, self.vault, oauth, client.current, robot, self.scopes))
        connecting = Connecting(
            Consents(self.database),
            connections,
            self.vault,
            oauth,
            client,
            self.scopes,
            signins,
            self.settings.base_url,
        )
        return Accounts(
            connections=connections,
            connecting=connecting,
            signins=signins,
            scopes=self.scopes,
            clients=GoogleClients.of_users(authorised(signins, line)),
            client=client,
            oauth=oauth,
            vault=self.vault,
            parting=Parting(connections, connecting, signins, self.scopes, oauth, self.vault),
            conversations=Conversations(self.database),
            welcome=welcome(connecting),
            robot=robot is not None,
            robot_id=robot.client_id if robot else "",
        )


class Guests:
    """Connects the sandbox's account for each user once, so that the app answers at once; who disconnects it stays so.

    Args:
        sandbox: lends the tokens.
        connecting: keeps them.
        scopes: all that there are, are given.
    """

    def __init__(self, sandbox: Sandbox, connecting: Connecting, scopes: Scopes) -> None:
        self._sandbox, self._connecting, self._scopes = sandbox, connecting, scopes
        self._known = set[str]()
        self._lock = threading.Lock()

    def __call__(self, user_id: str) -> None:
        """Welcome a user; from memory, but for the first time in this process.

        Raises:
            StorageError: it could not be kept.
        """
        if user_id in self._known:
            return
        with self._lock:
            if user_id not in self._known:
                self._meet(user_id)
                self._known.add(user_id)

    def _meet(self, user_id: str) -> None:
        connections = self._connecting.connections
        welcomed, row = connections.welcomed(user_id), connections.get(user_id, SANDBOX_ACCOUNT)
        if (not welcomed and row is None) or (row is not None and self._emptied(row)):
            self._connect(user_id)
        if not welcomed:
            connections.welcome(user_id)

    def _emptied(self, row: GoogleConnection) -> bool:
        """Whether the world has forgotten a sign-in that it gave: it was made anew, and nobody has disconnected."""
        if self._sandbox.office.knows(SANDBOX_CLIENT.id, SANDBOX_ACCOUNT):
            return False
        return self._connecting.signins.kept(row).get("client_id") == SANDBOX_CLIENT.id

    def _connect(self, user_id: str) -> None:
        urls = self._scopes.urls(self._scopes.all())
        lent = self._sandbox.office.lend(SANDBOX_CLIENT.id, SANDBOX_ACCOUNT, urls)
        tokens = Tokens(lent.access, ACCESS_SECONDS, lent.refresh, lent.scopes)
        self._connecting.store(user_id, SANDBOX_ACCOUNT, SANDBOX_CLIENT, tokens, ())
