"""Calendar v3 of the sandbox: its routes and its seed."""

from core.sandbox.calendar import calendars, events, freebusy, listing
from core.sandbox.calendar.seed import seed

ROUTES = (*calendars.ROUTES, *listing.ROUTES, *events.ROUTES, *freebusy.ROUTES)

__all__ = ["ROUTES", "seed"]
