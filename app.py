"""The ASGI entry: `python app.py` (or `streamlit run app.py`) serves pages and API from one process."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from core.api.access import AccessGuard
from core.api.mcp import door
from core.api.routes import ROUTES
from core.errors import GlassdeskError
from core.host import host
from core.settings import load_settings

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


app = st.App(
    "pages/main.py",
    lifespan=lifespan,
    routes=ROUTES,
    middleware=[Middleware(AccessGuard, token=settings.api_token.get_secret_value())],
)

if __name__ == "__main__":
    app.run(config={"server.address": "127.0.0.1", "server.port": settings.port})
