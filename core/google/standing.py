"""How a user's Google accounts stand: what each may do, service by service, and what it lacks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from core.google.scopes import Permission, Scopes
from core.google.signins import CONNECTED, ROBOT
from core.store.account_tables import GoogleConnection

State = Literal["available", "connected", "needs_attention"]


@dataclass(frozen=True)
class Account:
    """A connected Google account.

    Attributes:
        state: `connected`, or `needs_attention` for the `reason`.
        granted: names of the permissions.
        services: those of which something works.
        connected_at: aware UTC.
        delegated: whether it acts through the service account.
    """

    email: str
    state: State
    reason: str
    default: bool
    granted: tuple[str, ...]
    services: tuple[str, ...]
    connected_at: datetime
    delegated: bool


@dataclass(frozen=True)
class Service:
    """A Google service for one account.

    Attributes:
        reads, writes: whether something of it works.
        permissions: all that it can use, each with whether it is granted.
        missing: tool → names of the permissions that it lacks.
        connected_at: aware UTC; None where it is not connected.
    """

    name: str
    title: str
    state: State
    account: str
    reason: str
    reads: bool
    writes: bool
    permissions: Sequence[Permission]
    missing: Mapping[str, tuple[str, ...]]
    connected_at: datetime | None


def shown(scopes: Scopes, row: GoogleConnection) -> Account:
    """An account as a whole."""
    return Account(
        email=row.email,
        state="connected" if row.state == CONNECTED else "needs_attention",
        reason=row.reason,
        default=row.is_default,
        granted=tuple(row.scopes),
        services=tuple(name for name in scopes.services if any(works(scopes, name, row.scopes))),
        connected_at=datetime.fromtimestamp(row.connected, UTC),
        delegated=row.kind == ROBOT,
    )


def service_of(scopes: Scopes, name: str, row: GoogleConnection | None) -> Service:
    """A service as an account has it; None is no account."""
    granted = row.scopes if row else []
    reads, writes = works(scopes, name, granted)
    attention = row is not None and row.state != CONNECTED and any(works(scopes, name, [*row.wanted, *granted]))
    state: State = "needs_attention" if attention else "connected" if reads or writes else "available"
    return Service(
        name=name,
        title=scopes.title(name),
        state=state,
        account=row.email if row else "",
        reason=row.reason if row and attention else "",
        reads=reads,
        writes=writes,
        permissions=scopes.permissions(name, granted),
        missing=scopes.lacking(granted, name),
        connected_at=datetime.fromtimestamp(row.connected, UTC) if row and state != "available" else None,
    )


def works(scopes: Scopes, service: str, granted: Sequence[str]) -> tuple[bool, bool]:
    """Whether something of a service that reads, and something that writes, may work."""
    return scopes.works(service, granted, False), scopes.works(service, granted, True)
