"""`/oauth/callback`: where people come back from Google, and go on to the page that they left."""

import asyncio
import logging
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from core.api.caller import caller_of, serving
from core.errors import GlassdeskError

STARTING = "Glassdesk is still starting. Load this page again in a few seconds; your sign-in waits for ten minutes."
UNEXPECTED = "Something unexpected went wrong, and nothing was changed. The log says more. Start again."
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Glassdesk</title>
<style>:root {{ color-scheme: light dark }} body {{ max-width: 34rem; margin: 4rem auto; padding: 0 1.5rem;
font: 16px/1.5 "Source Sans Pro", system-ui, sans-serif }} a {{ color: light-dark(#0f766e, #2dd4bf) }}</style>
<h1>Not connected</h1><p>{sentence}</p><p><a href="/connect">Go to Connect</a></p></html>"""
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
}
logger = logging.getLogger(__name__)


async def callback(request: Request) -> Response:
    """Finish a sign-in; the address of the page that follows holds a word about what came of it, and no secret."""
    try:
        services = await serving(STARTING)
        user = caller_of(request.scope, services).user
        back = await asyncio.to_thread(services.accounts.finish, user, dict(request.query_params))
    except GlassdeskError as error:
        return HTMLResponse(PAGE.format(sentence=escape(error.sentence)), error.http_status, HEADERS)
    except Exception as error:  # its text could hold the code
        logger.error("/oauth/callback failed: %s", type(error).__name__)
        return HTMLResponse(PAGE.format(sentence=UNEXPECTED), 500, HEADERS)
    return RedirectResponse(back.location, 303, HEADERS)


ROUTES = [Route("/oauth/callback", callback)]
