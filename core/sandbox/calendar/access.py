"""Which calendar a call is about, and what its account may do there."""

from dataclasses import dataclass

from sqlmodel import Session

from core.sandbox.calendar.tables import AccessRow, CalendarRow
from core.sandbox.calls import ApiError, Call

ROLES = ("freeBusyReader", "reader", "writer", "owner")


@dataclass(frozen=True)
class Seen:
    """A calendar as an account sees it."""

    calendar: CalendarRow
    access: AccessRow

    @property
    def role(self) -> str:
        """The account's role."""
        return self.access.role

    @property
    def primary(self) -> bool:
        """Whether it is the account's own calendar."""
        return self.calendar.id == self.access.account

    def at_least(self, role: str) -> bool:
        """Whether the account's role includes another."""
        return ROLES.index(self.role) >= ROLES.index(role)


def see(session: Session, account: str, calendar_id: str) -> Seen | None:
    """A calendar by its id or as `primary`, None where the account sees no such calendar."""
    calendar_id = account if calendar_id == "primary" else calendar_id
    calendar, access = session.get(CalendarRow, calendar_id), session.get(AccessRow, (account, calendar_id))
    return Seen(calendar, access) if calendar and access else None


def seen(session: Session, call: Call, role: str = "freeBusyReader") -> Seen:
    """The calendar of a call's path.

    Raises:
        ApiError: 404 where there is none, 403 where the account's role is less than needed.
    """
    found = see(session, call.account, call.params["calendar"])
    if found is None:
        raise ApiError(404, "notFound", "Not Found")
    if not found.at_least(role):
        message = f"You need to have {role} access to this calendar."
        raise ApiError(403, "requiredAccessLevel", message, domain="calendar")
    return found
