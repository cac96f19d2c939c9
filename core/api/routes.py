"""All routes of the HTTP API."""

from core.api import approvals, chat, exchange, health, mcp, metrics, oauth, otlp, sandbox, turns

ROUTES = [
    *health.ROUTES,
    *chat.ROUTES,
    *turns.ROUTES,
    *exchange.ROUTES,
    *approvals.ROUTES,
    *mcp.ROUTES,
    *otlp.ROUTES,
    *metrics.ROUTES,
    *oauth.ROUTES,
    *sandbox.ROUTES,
]
