"""The ASGI entry: `python app.py` (or `streamlit run app.py`) serves pages and API from one process."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from core.api.access import AccessGuard
from core.api.doors import names_of
from core.api.headers import SecurityHeaders
from core.api.mcp import door
from core.api.rates import Rates
from core.api.routes import ROUTES
from core.errors import GlassdeskError
from core.host import host
from core.settings import load_settings
from pages.components.session import session_of, signs_in

LARGEST_FILE = 50
"""Megabytes of a file that a page takes."""

try:
    settings = load_settings()
except GlassdeskError as error:
    sys.exit(error.sentence)


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Warm the services up in the background; end running turns and flush when the process stops."""
    host().start(settings)
    try:
        yield
    finally:
        await door().close()
        host().stop()


public = str(settings.public_url or "")
app = st.App(
    "pages/main.py",
    lifespan=lifespan,
    routes=ROUTES,
    middleware=[
        Middleware(SecurityHeaders, secure=public.startswith("https:")),
        Middleware(
            AccessGuard,
            settings.api_token.get_secret_value(),
            names=names_of(public, st.get_option("server.address") or ""),
            session=session_of if signs_in() else None,
            rates=Rates(settings.rate_limit),
            upload=LARGEST_FILE * 1_000_000,
        ),
    ],
)

if __name__ == "__main__":
    app.run(
        config={
            "server.address": "127.0.0.1",
            "server.port": settings.port,
            "server.maxUploadSize": LARGEST_FILE,
        }
    )
