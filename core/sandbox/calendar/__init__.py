"""Calendar v3 of the sandbox: its routes and its seed."""

from core.sandbox.calendar import calendars
from core.sandbox.calendar.seed import seed

ROUTES = (*calendars.ROUTES,)

__all__ = ["ROUTES", "seed"]
