"""Who signed in, as a signed id token; and the key that others check it with."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth import crypt, jwt
from sqlmodel import select

from core.sandbox.oauth.office import ACCESS_SECONDS, Issued
from core.sandbox.oauth.tables import OAuthKey
from core.sandbox.world import World

ISSUER = "https://accounts.google.com"


def signed(world: World, issued: Issued, now: int) -> str:
    """The id token that goes with some tokens.

    Args:
        now: Unix seconds.
    """
    row = key(world)
    claims = {
        "iss": ISSUER,
        "azp": issued.app,
        "aud": issued.app,
        "iat": now,
        "exp": now + ACCESS_SECONDS,
        **about(issued.email),
        **({"nonce": issued.nonce} if issued.nonce else {}),
    }
    signer = crypt.RSASigner.from_string(row.private, row.id)  # type: ignore[no-untyped-call]
    token: bytes = jwt.encode(signer, claims)  # type: ignore[no-untyped-call]
    return token.decode()


def about(email: str) -> dict[str, Any]:
    """What is said of an account: `sub` never changes."""
    return {"sub": str(int(sha256(email.encode()).hexdigest()[:16], 16)), "email": email, "email_verified": True}


def certificates(world: World) -> Mapping[str, str]:
    """The public keys by their ids, in PEM."""
    row = key(world)
    private = serialization.load_pem_private_key(row.private.encode(), None)
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return {row.id: public.decode()}


def key(world: World) -> OAuthKey:
    """The world's key, made where there is none."""
    with world.session() as session:
        row = session.exec(select(OAuthKey)).first()
    if row is not None:
        return row
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    with world.change() as session:
        row = session.exec(select(OAuthKey)).first()  # another process may have been quicker
        if row is None:
            row = OAuthKey(id=sha256(private).hexdigest()[:16], private=private.decode())
            session.add(row)
    return row
