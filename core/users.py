"""Who is asking. Every query of the app and of telemetry takes a user's id."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from core.settings import Settings

LOCAL_USER_ID = "local"
SANDBOX_ACCOUNT = "sam@lumenworks.example"
SANDBOX_ACCOUNTS = (SANDBOX_ACCOUNT, "ana@lumenworks.example")
"""Who can sign in to the sandbox; its world is told from the first one's desk."""
ANYBODY = "*"
READ_ONLY = (
    "Glassdesk is in read-only mode for this person: nothing is sent, changed or deleted. It was not done. "
    "An administrator can switch read-only mode off."
)
"""What a tool that writes says where it may not."""


class Role(StrEnum):
    """What a person may see and set beyond their own."""

    PERSON = "person"
    ADMINISTRATOR = "administrator"


@dataclass(frozen=True)
class User:
    """One person.

    Attributes:
        id: stable; every query names it.
        name: what the assistant calls them.
        account: the Google account that acts unless a conversation has chosen another.
        zone: their time zone.
        role: an administrator sees everybody's numbers, never their contents.
        read_only: no write runs for them, whatever a policy allows.
        email: with which they signed in; empty for the local user.
    """

    id: str
    name: str
    account: str
    zone: ZoneInfo
    role: Role = Role.PERSON
    read_only: bool = False
    email: str = ""

    @property
    def administers(self) -> bool:
        """Whether they are an administrator."""
        return self.role is Role.ADMINISTRATOR

    def changed(self, **values: Any) -> "User":
        """The same person, with something set otherwise."""
        return replace(self, **values)


@dataclass(frozen=True)
class Claims:
    """What an OpenID provider says of somebody; `verified`: that the address is theirs."""

    issuer: str
    subject: str
    email: str
    verified: bool
    name: str


@dataclass(frozen=True)
class Rules:
    """Who may come in.

    Attributes:
        allowed: addresses, and domains without an `@`; `*` is anybody whom the provider lets in. Lower case.
        administrators: addresses.
        read_only: whether nobody may write.
        local: the user of local mode, whose account and zone are also those of whoever has none of their own.
    """

    allowed: frozenset[str]
    administrators: frozenset[str]
    read_only: bool
    local: User

    def allows(self, email: str) -> bool:
        """Whether an address, in lower case, may come in; without a list, administrators alone."""
        domain = email.rpartition("@")[2]
        return bool({email, domain, ANYBODY} & self.allowed) or email in self.administrators


def local_user(settings: Settings) -> User:
    """The one user of local mode, their own administrator, acting on the sandbox account."""
    zone = ZoneInfo(settings.zone)
    return User(LOCAL_USER_ID, "Sam", SANDBOX_ACCOUNT, zone, Role.ADMINISTRATOR, settings.read_only)


def rules_of(settings: Settings) -> Rules:
    """The rules that the settings give."""
    return Rules(
        frozenset(entry.removeprefix("@") for entry in words(settings.allowed)),
        frozenset(words(settings.administrators)),
        settings.read_only,
        local_user(settings),
    )


def words(text: str) -> list[str]:
    """The entries of a list in a setting, separated by commas or spaces."""
    return text.lower().replace(",", " ").split()
