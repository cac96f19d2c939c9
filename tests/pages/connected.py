"""For pages that are not about Google accounts: one that is connected, and well."""

from datetime import UTC, datetime
from types import SimpleNamespace

from core.google.standing import Account
from core.users import SANDBOX_ACCOUNT

ACCOUNT = Account(SANDBOX_ACCOUNT, "connected", "", True, (), ("gmail",), datetime(2026, 3, 2, tzinfo=UTC), False)
ACCOUNTS = SimpleNamespace(list=lambda user: [ACCOUNT])
