"""Disconnecting: permissions are taken back at Google, and what is kept here is deleted."""

from dataclasses import dataclass

from core.google.connecting import Connecting
from core.google.oauth import OAuth, Refused, Unreached
from core.google.scopes import Scopes
from core.google.signins import ATTENTION, CONSENT, SignIns
from core.google.vault import Vault, VaultError
from core.store.account_tables import GoogleConnection
from core.store.connections import Connections
from core.users import User

REST = "{service} was disconnected. Google takes back all permissions of an account at once: allow the others again."
WHOLE = "{email} was disconnected: Google has taken back all permissions, and nothing of it is kept here."
HERE = (
    "{email} was disconnected here, and nothing of it is kept. Somebody else uses the same Google account here, so the "
    "permission at Google stays until they disconnect too, or you remove it at myaccount.google.com/permissions."
)
FORGOTTEN = (
    "{email} was disconnected here, and nothing of it is kept. Google could not be told: remove this app at "
    "myaccount.google.com/permissions."
)


@dataclass(frozen=True)
class Disconnected:
    """What came of disconnecting; `url` is where the rest is allowed again, empty where there is none."""

    sentence: str
    url: str = ""


@dataclass(frozen=True)
class Parting:
    """Takes accounts apart again."""

    connections: Connections
    connecting: Connecting
    signins: SignIns
    scopes: Scopes
    oauth: OAuth
    vault: Vault

    def disconnect(self, user: User, row: GoogleConnection, service: str, anyway: bool) -> Disconnected:
        """See `Accounts.disconnect`."""
        email = row.email
        rest = self._rest(row, service) if service else ()
        told = self.revoke(row, anyway)
        if not rest:
            self.connections.remove(user.id, email)
            self.signins.drop(user.id, email)
            return Disconnected(told.format(email=email))
        reason = REST.format(service=self.scopes.title(service))
        values = {"state": ATTENTION, "reason": reason, "wanted": list(rest), "scopes": []}
        self.connections.change(user.id, email, sealed=self.vault.seal("{}"), **values)
        self.signins.drop(user.id, email)
        return Disconnected(reason, self.connecting.begin(user, "", False, email=email))

    def revoke(self, row: GoogleConnection, anyway: bool) -> str:
        """Tell Google; the sentence about what came of it."""
        if row.kind != CONSENT:
            return "{email} was disconnected here. The service account may still act for it, as the administrator set."
        if self.connections.held_by_others(row.user_id, row.email):
            return HERE
        try:
            kept = self.signins.kept(row)
            token = kept.get("refresh_token") or kept.get("token")
            return WHOLE if not token or self.oauth.revoke(str(token)) else FORGOTTEN
        except Unreached as error:
            if not anyway:
                raise Unreached(f"{error.sentence} You may also remove the account here only.") from None
        except (VaultError, Refused):
            pass  # nothing that could be read is left to tell Google
        return FORGOTTEN

    def _rest(self, row: GoogleConnection, service: str) -> tuple[str, ...]:
        """What the other services need of what an account has granted."""
        self.scopes.title(service)
        others = {one for name in self.scopes.services if name != service for one in self.scopes.of(name, True)}
        others |= {one for name in self.scopes.services if name != service for one in self.scopes.of(name, False)}
        own = {*self.scopes.of(service, True), *self.scopes.of(service, False)}
        return tuple(sorted(one for one in {*row.scopes, *row.wanted} if one in others or one not in own))
