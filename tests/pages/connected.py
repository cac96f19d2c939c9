"""What every page needs beside its own subject: an account that is well, and telemetry without alerts."""

from datetime import UTC, datetime
from types import SimpleNamespace

from core.google.standing import Account
from core.users import SANDBOX_ACCOUNT
from telemetry.alerts import Alerts
from telemetry.redaction import Redactor
from telemetry.store import Store

ACCOUNT = Account(SANDBOX_ACCOUNT, "connected", "", True, (), ("gmail",), datetime(2026, 3, 2, tzinfo=UTC), False)
ACCOUNTS = SimpleNamespace(list=lambda user: [ACCOUNT])


def telemetry_of(store: Store) -> SimpleNamespace:
    """A telemetry that pages read: a store, its alerts, of which none rings, and the usual redaction."""
    return SimpleNamespace(store=store, alerts=Alerts(store), redactor=Redactor())
