"""The tables of app.db about Google accounts: connections, consents that are under way, the app's client, the vault."""

from sqlalchemy import JSON, BigInteger, Column
from sqlmodel import Field

from core.store.tables import Table


class GoogleConnection(Table, table=True):
    """A Google account that a user has connected. Times: Unix seconds. What is sealed only the vault opens."""

    __tablename__ = "google_connection"

    user_id: str = Field(primary_key=True)
    email: str = Field(primary_key=True, description="In lower case")
    workspace: str = Field(default="sandbox", description="In which it was made: sandbox, google")
    kind: str = Field(description="consent, service_account")
    sealed: str = Field(
        description="Sealed JSON: refresh_token, token, client_id; where it was imported, client_secret"
    )
    scopes: list[str] = Field(sa_column=Column(JSON, nullable=False), description="What Google has granted")
    wanted: list[str] = Field(sa_column=Column(JSON, nullable=False), description="What to ask for when asking again")
    expires: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    state: str = Field(description="connected, needs_attention")
    reason: str = ""
    is_default: bool = False
    connected: int = Field(sa_column=Column(BigInteger, nullable=False))
    version: int = Field(default=1, description="Counts every change of what is sealed")
    lease: str | None = Field(default=None, description="Who is getting a new token now")
    lease_until: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))


class GoogleConsent(Table, table=True):
    """A person's way to Google and back: what must be known when they return, in any process. Single use."""

    __tablename__ = "google_consent"

    digest: str = Field(primary_key=True, description="SHA-256 of the state that travels")
    user_id: str
    service: str
    write: bool
    email: str = Field(description="The account that must answer; empty: any")
    scopes: list[str] = Field(sa_column=Column(JSON, nullable=False))
    redirect_uri: str
    return_to: str
    verifier: str = Field(description="PKCE's, sealed; empty once it was used")
    expires: int = Field(sa_column=Column(BigInteger, nullable=False))
    used: int | None = Field(default=None, sa_column=Column(BigInteger))


class GoogleClient(Table, table=True):
    """The app's own registration at Google, where it was uploaded."""

    __tablename__ = "google_client"

    id: int = Field(default=1, primary_key=True)
    sealed: str
    set_by: str
    set_at: int = Field(sa_column=Column(BigInteger, nullable=False))


class VaultMark(Table, table=True):
    """Something sealed that is known, so that a wrong key is noticed before anything is written with it."""

    __tablename__ = "vault_mark"

    id: int = Field(default=1, primary_key=True)
    sealed: str


class SandboxGuest(Table, table=True):
    """A user who was given the sandbox's account at first; who then disconnects it is not given it again."""

    __tablename__ = "sandbox_guest"

    user_id: str = Field(primary_key=True)
