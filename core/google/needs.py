"""What a tool needs of Google and does not have: a sentence, and what to offer."""

from collections.abc import Sequence
from typing import Any

from core.errors import GlassdeskError

CONNECT = "glassdesk/connect"
"""In a failed result: what to connect so that it works, as `ConnectNeeded.offer` gives it."""
NONE = "No Google account is connected. Connect one on the Connect page, then repeat the question."


class ConnectNeeded(GlassdeskError):
    """An account is not connected, or lacks a permission.

    Attributes:
        account: the Google account; empty where there is none at all.
        service: the service to connect, such as `calendar`.
        write: whether reading alone would not do.
        missing: names of the permissions that are missing; empty where the whole account must be connected (again).
    """

    code = "connect_needed"
    http_status = 403

    def __init__(
        self, sentence: str, account: str = "", service: str = "", write: bool = False, missing: Sequence[str] = ()
    ) -> None:
        super().__init__(sentence)
        self.account, self.service, self.write, self.missing = account, service, write, tuple(missing)

    def offer(self) -> dict[str, Any]:
        """What a program needs to know to offer a button."""
        return {
            "service": self.service,
            "access": "write" if self.write else "read",
            "account": self.account,
            "missing": list(self.missing),
            "message": self.sentence,
        }

    def about(self, service: str, write: bool) -> "ConnectNeeded":
        """The same, for what a certain tool needs."""
        return ConnectNeeded(self.sentence, self.account, service, write, self.missing)
