"""Whom the sign-in goes to: Google's addresses, and the app's registration there."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadInput

HERE = {"localhost", "127.0.0.1", "::1"}
LARGEST = 20_000
"""Bytes of a client_secret.json."""
NEED = "Download it again in Google Cloud under APIs & Services → Credentials, then upload that file."


@dataclass(frozen=True)
class Provider:
    """The addresses of a sign-in service that speaks as Google does."""

    auth_uri: str = "https://accounts.google.com/o/oauth2/v2/auth"
    token_uri: str = "https://oauth2.googleapis.com/token"
    revoke_uri: str = "https://oauth2.googleapis.com/revoke"
    userinfo_uri: str = "https://openidconnect.googleapis.com/v1/userinfo"
    certs_uri: str = "https://www.googleapis.com/oauth2/v1/certs"
    issuers: frozenset[str] = frozenset({"accounts.google.com", "https://accounts.google.com"})


GOOGLE = Provider()


@dataclass(frozen=True)
class Client:
    """The app's registration at Google; `secret` is never shown, nor in a repr."""

    id: str
    secret: str = field(repr=False)
    kind: Literal["web", "installed"] = "web"
    redirect_uris: tuple[str, ...] = ()

    def config(self, provider: Provider) -> dict[str, Any]:
        """As google-auth-oauthlib reads it."""
        return {
            self.kind: {
                "client_id": self.id,
                "client_secret": self.secret,
                "auth_uri": provider.auth_uri,
                "token_uri": provider.token_uri,
            }
        }

    def takes(self, redirect_uri: str) -> None:
        """Check that Google will come back to an address.

        Raises:
            BadInput: it is not registered, as far as the file says.
        """
        if self.kind == "installed":
            if urlsplit(redirect_uri).hostname not in HERE:
                raise BadInput(
                    "The Google client is one for desktop apps, which only works on this machine. "
                    "Make a client of the type “Web application” instead."
                )
        elif self.redirect_uris and redirect_uri not in self.redirect_uris:
            raise BadInput(
                f"Google does not know this app's address yet. In Google Cloud, add {redirect_uri} "
                "to the client's authorised redirect URIs, download its file again and upload it."
            )


class Entry(BaseModel):
    """What `client_secret.json` says under `web` or `installed`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    client_id: str = Field(min_length=1)
    client_secret: str = Field(min_length=1)
    auth_uri: str = GOOGLE.auth_uri
    token_uri: str = GOOGLE.token_uri
    redirect_uris: tuple[str, ...] = ()


def read_client(content: bytes) -> Client:
    """The client in an uploaded `client_secret.json`.

    Raises:
        BadInput: it is none; says which file is needed.
    """
    if len(content) > LARGEST:
        raise BadInput(f"That file is too large to be a client_secret.json. {NEED}")
    try:
        found = json.loads(content)
    except ValueError as error:
        raise BadInput(f"That file is no JSON, so it is no client_secret.json. {NEED}") from error
    if not isinstance(found, dict):
        raise BadInput(f"That file is no client_secret.json. {NEED}")
    if found.get("type") == "service_account":
        raise BadInput(
            "That is a service account's key, not an OAuth client. Save it on the server, and set "
            "GLASSDESK_GOOGLE_SERVICE_ACCOUNT to its path."
        )
    kind: Literal["web", "installed"] = "web" if "web" in found else "installed"
    return client_of(kind, found.get(kind))


def client_of(kind: Literal["web", "installed"], entry: Any) -> Client:
    """The client that an entry describes.

    Raises:
        BadInput: something is missing, or it would send secrets to somebody who is not Google.
    """
    try:
        known = Entry.model_validate(entry)
    except ValidationError as error:
        raise BadInput(f"That client_secret.json lacks the client's id or secret. {NEED}") from error
    for uri in (known.auth_uri, known.token_uri):
        if not is_googles(uri):
            raise BadInput(f"That client_secret.json leads to another place than Google. {NEED}")
    return Client(known.client_id, known.client_secret, kind, known.redirect_uris)


def is_googles(uri: str) -> bool:
    """Whether an address is one of Google's, over HTTPS."""
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:
        return False
    host = parts.hostname or ""
    known = host in ("accounts.google.com", "oauth2.googleapis.com", "www.googleapis.com")
    return parts.scheme == "https" and known and port in (None, 443)


def as_text(client: Client) -> str:
    """A client as the vault keeps it."""
    return json.dumps({client.kind: {**client.config(GOOGLE)[client.kind], "redirect_uris": client.redirect_uris}})


def from_text(text: str) -> Client:
    """A client as the vault kept it."""
    found: Mapping[str, Any] = json.loads(text)
    kind: Literal["web", "installed"] = "web" if "web" in found else "installed"
    return client_of(kind, found[kind])
