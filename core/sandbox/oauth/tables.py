"""What the sign-in remembers: apps, what people allowed them, codes, tokens, open pages, keys. Times: Unix seconds."""

from sqlalchemy import JSON, Column
from sqlmodel import Field

from core.sandbox.world import Table


class OAuthApp(Table, table=True):
    """An app that may ask people for their permission."""

    __tablename__ = "oauth_app"

    id: str = Field(primary_key=True)
    secret: str
    redirect_uris: list[str] = Field(sa_column=Column(JSON, nullable=False))


class OAuthRobot(Table, table=True):
    """A service account that may act for everybody of the domain, within its scopes."""

    __tablename__ = "oauth_robot"

    email: str = Field(primary_key=True)
    public_key: str
    scopes: list[str] = Field(sa_column=Column(JSON, nullable=False))


class OAuthGrant(Table, table=True):
    """What somebody has allowed an app; empty once it was taken back."""

    __tablename__ = "oauth_grant"

    app: str = Field(primary_key=True)
    email: str = Field(primary_key=True)
    scopes: list[str] = Field(sa_column=Column(JSON, nullable=False))


class OAuthCode(Table, table=True):
    """A code on its way to the app. Single use; kept by its SHA-256."""

    __tablename__ = "oauth_code"

    digest: str = Field(primary_key=True)
    app: str
    email: str
    scopes: list[str] = Field(sa_column=Column(JSON, nullable=False))
    redirect_uri: str
    challenge: str
    nonce: str = ""
    refreshes: bool
    expires: int
    used: bool = False


class OAuthToken(Table, table=True):
    """An access or a refresh token, kept by its SHA-256."""

    __tablename__ = "oauth_token"

    digest: str = Field(primary_key=True)
    kind: str = Field(description="access, refresh")
    app: str = Field(index=True)
    email: str
    scopes: list[str] = Field(sa_column=Column(JSON, nullable=False))
    expires: int = Field(description="0: never")


class OAuthPage(Table, table=True):
    """A consent page that is open in a browser: its form is taken once, and only with what the page was opened for."""

    __tablename__ = "oauth_page"

    digest: str = Field(primary_key=True)
    asked: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    expires: int


class OAuthKey(Table, table=True):
    """The key that signs identities, in PEM; made when it is first needed."""

    __tablename__ = "oauth_key"

    id: str = Field(primary_key=True)
    private: str
