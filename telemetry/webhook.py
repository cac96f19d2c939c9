"""Tells another program of alerts: one POST of JSON, to an address that only the operator sets."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

log = logging.getLogger(__name__)

TIMEOUT_SECONDS: Final = 5.0
TRIES: Final = 2


@dataclass(frozen=True)
class Webhook:
    """Where alerts are posted; its address may hold a secret, so nothing but the host is ever shown.

    Redirects are not followed: whoever answers there cannot send the app elsewhere.
    """

    url: str = field(repr=False)

    @property
    def host(self) -> str:
        """The host that gets them, for people."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def tell(self, message: Mapping[str, Any]) -> str | None:
        """Post a message; None once it was taken, else why not, without the address."""
        problem: str | None = None
        for _ in range(TRIES):
            problem = self._post(message)
            if problem is None:
                return None
        log.warning("The webhook at %s: %s", self.host, problem)
        return problem

    def _post(self, message: Mapping[str, Any]) -> str | None:
        try:
            with httpx2.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False) as client:
                status = client.post(self.url, json=dict(message)).status_code
        except httpx2.HTTPError as error:
            return f"It cannot be reached ({type(error).__name__}). Check that it runs, and its address."
        return None if status < 300 else f"It answered {status}. Check its address."
