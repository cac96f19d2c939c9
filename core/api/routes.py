"""All routes of the HTTP API."""

from core.api import approvals, chat, health, turns

ROUTES = [*health.ROUTES, *chat.ROUTES, *turns.ROUTES, *approvals.ROUTES]
