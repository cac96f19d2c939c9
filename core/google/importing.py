"""Takes over sign-ins that another Workspace server has kept: a folder of `<address>.json` files."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import BadInput, GlassdeskError
from core.google.accounts import Accounts
from core.google.oauth import Tokens
from core.google.provider import Client, is_googles
from core.google.scopes import names_of
from core.users import User

USUAL = Path("~/.google_workspace_mcp/credentials")
"""Where the public Workspace MCP server keeps them."""
LARGEST = 50_000
NONE = "There is no credential file in {folder}. Name the folder that holds files such as you@example.com.json."


class Kept(BaseModel):
    """A credential file. `token` and `expiry` are not used: a new token shows that the sign-in still works."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    refresh_token: str = Field(min_length=1, repr=False)
    client_id: str = Field(min_length=1)
    client_secret: str = Field(min_length=1, repr=False)
    token_uri: str = "https://oauth2.googleapis.com/token"
    scopes: list[str] = []


@dataclass(frozen=True)
class Imported:
    """What became of one file."""

    name: str
    email: str
    ok: bool
    sentence: str


def import_folder(accounts: Accounts, user: User, folder: Path) -> Sequence[Imported]:
    """Connect what a folder's files hold; the files are only read.

    Each is tried at Google: a file that does not work, or is another account's than its name says, is left out.

    Raises:
        BadInput: there is no such file.
    """
    files = sorted(folder.expanduser().glob("*@*.json")) if folder.expanduser().is_dir() else []
    if not files:
        raise BadInput(NONE.format(folder=folder))
    return [import_file(accounts, user, path) for path in files]


def import_file(accounts: Accounts, user: User, path: Path) -> Imported:
    """Connect what one file holds."""
    email = path.stem.strip().lower()
    try:
        kept = read(path)
        client = Client(kept.client_id, kept.client_secret)
        fresh = accounts.oauth.refresh(client, kept.refresh_token)
        # Who it is, is asked with the token itself: the id token of a refresh may be as old as the sign-in.
        found = accounts.oauth.identify(client, Tokens(fresh.access, fresh.seconds, None, fresh.scopes))
        if found != email:
            raise BadInput("It belongs to another account than its name says. Rename it if that is right.")
        tokens = Tokens(fresh.access, fresh.seconds, fresh.refresh or kept.refresh_token, fresh.scopes)
        accounts.connecting.store(user.id, email, client, tokens, names_of(kept.scopes))
    except GlassdeskError as error:
        return Imported(path.name, email, False, error.sentence)
    return Imported(path.name, email, True, "Connected.")


def read(path: Path) -> Kept:
    """The content of a credential file.

    Raises:
        BadInput: it is none, or would send its secrets to somebody else than Google.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput("It is too large to be a credential file.")
        content: Any = json.loads(path.read_text(encoding="utf-8"))
        kept = Kept.model_validate(content)
    except (OSError, ValueError) as error:
        lacks = isinstance(error, ValidationError)
        what = "lacks its refresh token, client id or client secret" if lacks else "cannot be read as JSON"
        raise BadInput(f"It {what}. Sign in again with the other server, or connect the account here.") from error
    if not is_googles(kept.token_uri):
        raise BadInput("It leads to another place than Google, so it was not used.")
    return kept
