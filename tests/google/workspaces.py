"""A Workspace over the sandbox's sign-in, a browser in front of it, and a clock that can be moved."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit
from zoneinfo import ZoneInfo

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

import core.google.workspace as composition
from core.google.accounts import Accounts
from core.google.connecting import Returned
from core.registry.manifests import load_catalogue
from core.sandbox.oauth.tables import OAuthKey
from core.sandbox.sandbox import Sandbox
from core.settings import Settings
from core.store.engine import open_database
from core.users import Role, User

SAM, ANA = "sam@lumenworks.example", "ana@lumenworks.example"
CATALOGUE = load_catalogue()


def person(name: str, role: Role = Role.PERSON) -> User:
    return User(name, name.title(), "", ZoneInfo("Europe/Berlin"), role, email=f"{name}@lumenworks.example")


ME, OTHER, BOSS = person("sam"), person("ana"), person("boss", Role.ADMINISTRATOR)


@cache
def signing_key() -> str:
    """Made once for all: it takes a while."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


class Bare(Sandbox):
    """A world with nothing in it but its sign-in: it need not be seeded."""

    def open(self) -> None:
        self.world.create()
        with self.world.change() as session:
            session.merge(OAuthKey(id="k1", private=signing_key()))


class Place:
    """One process of the app over a data folder; several may share the folder."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.settings = Settings(_env_file=None, data_dir=folder, zone="Europe/Berlin", **settings)
        self.database = open_database(self.settings.app_url)
        self.sandbox = Bare(self.settings.sandbox_db, "Europe/Berlin", accounts=(SAM, ANA))
        self.workspace = composition.open_workspace(self.settings, CATALOGUE, self.database, self.sandbox)
        assert self.workspace.pages
        self.pages = self.workspace.pages

    @property
    def accounts(self) -> Accounts:
        return self.workspace.accounts

    def close(self) -> None:
        self.sandbox.close()
        self.database.dispose()

    def visit(self, url: str, *untick: str, account: str = SAM, answer: str = "allow") -> dict[str, str]:
        """What a browser brings back from the consent page."""
        asked = dict(parse_qsl(urlsplit(url).query))
        shown = self.pages.open(asked)
        if not shown.location:
            ticket = re.search(r'name="ticket" value="([^"]+)"', shown.body)
            assert ticket, shown.body
            scopes = [one for one in asked["scope"].split() if one.rsplit("/", 1)[-1] not in untick]
            form = {"ticket": [ticket[1]], "account": [account], "scope": scopes, "answer": [answer]}
            shown = self.pages.answer(form)
        return said(shown.location)

    def connect(self, user: User, service: str, *untick: str, write: bool = False, **how: Any) -> Returned:
        """The whole way."""
        email = how.pop("email", "")
        url = self.accounts.begin(user, service, write, email=email)
        return self.accounts.finish(user, self.visit(url, *untick, **how))

    def profile(self, user: User, email: str = SAM) -> Mapping[str, Any]:
        """Ask Gmail whose mailbox it is."""
        google = self.accounts.clients.for_account(email, user.id)
        return google.execute(google.resource("gmail.users").getProfile(userId="me"))


def said(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
