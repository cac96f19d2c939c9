"""Budgets: what a user wants to spend at most, a day, a week, a month; every call names its user."""

from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

from sqlalchemy import Engine, bindparam, delete, select
from sqlmodel import col

from core.errors import BadInput
from core.store.sessions import fetch, table_of, writing
from core.store.tables import Budget

Period = Literal["daily", "weekly", "monthly"]
Action = Literal["warn", "refuse"]
PERIODS: tuple[Period, ...] = ("daily", "weekly", "monthly")
EVERYBODY = "*"
"""In place of a user's id: a budget for all of them together, which administrators set."""
PICO_PER_USD = 10**12
BUDGET = table_of(Budget)
THEIRS = select(BUDGET).where(BUDGET.c.user_id.in_([bindparam("one"), bindparam("other")]))
MOST_USD = 1_000_000


class Budgets:
    """All budgets of the app database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def of_user(self, user_id: str) -> Sequence[Budget]:
        """The user's budgets, the shortest period first."""
        return self._of(user_id, user_id)

    def that_count(self, user_id: str) -> Sequence[Budget]:
        """The user's budgets, the shortest period first, then those for everybody."""
        return self._of(user_id, EVERYBODY)

    def _of(self, *users: str) -> Sequence[Budget]:
        found = fetch(self._engine, THEIRS, **dict(zip(("one", "other"), users, strict=True)))
        budgets = [Budget(**row._mapping) for row in found]
        return sorted(budgets, key=lambda row: (users.index(row.user_id), PERIODS.index(row.period)))

    def set(self, user_id: str, period: Period, limit_usd: Decimal, action: Action) -> Budget:
        """Keep a budget; it replaces the one of the same period.

        Raises:
            BadInput: the limit is none.
            StorageError: nothing could be written.
        """
        if not limit_usd.is_finite() or not 0 < limit_usd <= MOST_USD:
            raise BadInput(f"A budget is more than $0 and at most ${MOST_USD:,}. Type such an amount.")
        row = Budget(
            user_id=user_id,
            period=period,
            limit_pico_usd=max(1, int(limit_usd * PICO_PER_USD)),
            action=action,
            set_at=datetime.now(UTC),
        )
        with writing(self._engine, "budget", user_id, period) as session:
            return session.merge(row)

    def remove(self, user_id: str, period: Period) -> None:
        """Forget a budget."""
        with writing(self._engine) as session:
            session.execute(delete(Budget).where(col(Budget.user_id) == user_id, col(Budget.period) == period))
