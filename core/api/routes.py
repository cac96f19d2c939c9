"""All routes of the HTTP API."""

from core.api import approvals, chat, health, mcp, otlp, turns

ROUTES = [*health.ROUTES, *chat.ROUTES, *turns.ROUTES, *approvals.ROUTES, *mcp.ROUTES, *otlp.ROUTES]
