"""People for tests: what a provider says of them, and the rules by which they come in."""

from pathlib import Path
from typing import Any

from core.settings import Settings
from core.users import Claims, Rules, rules_of

ISSUER = "https://id.example"
CLAIMS = Claims(ISSUER, "ana-1", "ana@lumenworks.example", True, "Ana")


def claims(email: str, subject: str = "", verified: bool = True) -> Claims:
    """What the provider says of the owner of an address."""
    return Claims(ISSUER, subject or email, email, verified, email.partition("@")[0].title())


def rules(**settings: Any) -> Rules:
    """The rules of some settings."""
    return rules_of(Settings(_env_file=None, data_dir=Path("/nowhere"), zone="Europe/Berlin", **settings))
