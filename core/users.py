"""Who is asking. Every query of the app and of telemetry takes a user's id."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from core.settings import Settings

LOCAL_USER_ID = "local"
SANDBOX_ACCOUNT = "sam@lumenworks.example"


@dataclass(frozen=True)
class User:
    """One person: their id, the name the assistant uses, the Google account that acts, their time zone."""

    id: str
    name: str
    account: str
    zone: ZoneInfo


def local_user(settings: Settings) -> User:
    """The one user of local mode, acting on the sandbox account."""
    return User(LOCAL_USER_ID, "Sam", SANDBOX_ACCOUNT, ZoneInfo(settings.zone))
