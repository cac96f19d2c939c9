"""A service account with domain-wide delegation: the other way in, which administrators open for everybody."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.auth.exceptions import RefreshError, TransportError
from google.oauth2 import service_account

from core.errors import GlassdeskError
from core.google.oauth import OFFLINE, Heard, Tokens, Unreached, tokens_of
from core.google.provider import is_googles
from core.google.transport import HttpLike


class RobotError(GlassdeskError):
    """The service account's file cannot be used."""

    code = "settings"


@dataclass(frozen=True)
class Robot:
    """A service account.

    Attributes:
        info: its key file.
        line: opens an HTTP object.
    """

    info: dict[str, Any] = field(repr=False)
    line: Callable[[], HttpLike]

    @property
    def client_id(self) -> str:
        """What an administrator enters in the Admin console."""
        return str(self.info.get("client_id", ""))

    def lend(self, email: str, scopes: Sequence[str]) -> Tokens:
        """An access token with which the service account acts for somebody.

        Args:
            scopes: as Google spells them.

        Raises:
            Refused: it may not act for them, or not with these scopes.
            Unreached: Google could not be asked.
        """
        heard = Heard(self.line())
        try:
            acting = service_account.Credentials.from_service_account_info(self.info, scopes=scopes, subject=email)  # type: ignore[no-untyped-call]
            acting.refresh(heard)
        except TransportError as error:
            raise Unreached(OFFLINE) from error
        except RefreshError:
            raise heard.refusal() from None
        return tokens_of({"scope": " ".join(scopes), **heard.said()})


def read_robot(path: Path, line: Callable[[], HttpLike]) -> Robot:
    """The service account of a key file.

    Raises:
        RobotError: it is no such file.
    """
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
        service_account.Credentials.from_service_account_info(info)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise RobotError(
            f"GLASSDESK_GOOGLE_SERVICE_ACCOUNT: {path} is no key file of a service account. Make a JSON key in Google "
            "Cloud under IAM → Service accounts → Keys, and set its path."
        ) from error
    if not is_googles(str(info.get("token_uri", ""))):
        raise RobotError(f"GLASSDESK_GOOGLE_SERVICE_ACCOUNT: {path} leads to another place than Google.")
    return Robot(info, line)
