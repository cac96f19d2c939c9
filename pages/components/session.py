"""Who has signed in, by Streamlit's own means: its signed cookie, on pages and on the app's own routes."""

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st
from starlette.requests import HTTPConnection
from starlette.types import Scope
from streamlit.auth_util import get_origin_from_redirect_uri
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks as signed_cookie

from core.users import Claims

SECTION = "auth"
TRUE = (True, "true")
"""Some providers send words."""


def signs_in() -> bool:
    """Whether a provider is set up, so that every page needs a sign-in; without one, the app is in local mode."""
    return bool(st.secrets.load_if_toml_exists()) and SECTION in st.secrets


def signed_in() -> Claims | None:
    """Who looks at this page; None before they have signed in."""
    return claims_of(st.user.to_dict())


def session_of(scope: Scope) -> Claims | None:
    """Who sends a request, as its cookie says; None where it has none that this app has signed."""
    try:
        cookie = signed_cookie(HTTPConnection(scope).cookies, USER_COOKIE_NAME)
        said = json.loads(cookie) if cookie else {}
    except (ValueError, UnicodeError):
        return None
    if not isinstance(said, dict) or said.get("origin") != get_origin_from_redirect_uri():
        return None
    return claims_of(said)


def claims_of(said: Mapping[str, Any]) -> Claims | None:
    """A provider's claims, checked for being there; None where nobody is signed in."""
    if said.get("is_logged_in") is not True:
        return None
    issuer, subject, email, name = (str(said.get(key) or "") for key in ("iss", "sub", "email", "name"))
    return Claims(issuer, subject, email, said.get("email_verified") in TRUE, name)
