"""Who is asking. Every query of the app and of telemetry takes a user's id."""

from dataclasses import dataclass
from enum import StrEnum
from zoneinfo import ZoneInfo

from core.settings import Settings

LOCAL_USER_ID = "local"
SANDBOX_ACCOUNT = "sam@lumenworks.example"


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
    """

    id: str
    name: str
    account: str
    zone: ZoneInfo
    role: Role = Role.PERSON
    read_only: bool = False

    @property
    def administers(self) -> bool:
        """Whether they are an administrator."""
        return self.role is Role.ADMINISTRATOR


def local_user(settings: Settings) -> User:
    """The one user of local mode, their own administrator, acting on the sandbox account."""
    return User(LOCAL_USER_ID, "Sam", SANDBOX_ACCOUNT, ZoneInfo(settings.zone), Role.ADMINISTRATOR)
