"""Whether a user may still spend: budgets against what was spent, in the user's zone, before a turn begins."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import cast
from zoneinfo import ZoneInfo

from core.errors import GlassdeskError
from core.store.budgets import EVERYBODY, PICO_PER_USD, Action, Budgets, Period
from core.store.tables import Budget
from core.users import User

NEARLY = 0.8
"""Share of a budget from which on a person is told."""
Spent = Callable[[str, datetime, datetime], tuple[int, int]]
"""(user id, start, end) → what was spent, in 10⁻¹² USD, as far as it is known, and the number of unpriced calls."""


class OverBudget(GlassdeskError):
    """The user has spent what they wanted to spend at most."""

    code = "over_budget"
    http_status = 402


@dataclass(frozen=True)
class BudgetStatus:
    """A budget and what was spent of it. Money in 10⁻¹² USD; times aware, in the user's zone.

    Attributes:
        unpriced: Calls of the period whose cost is not known and not in `spent_pico_usd`.
        everybody: It is about what all users have spent together.
    """

    period: Period
    action: Action
    limit_pico_usd: int
    spent_pico_usd: int
    unpriced: int
    start: datetime
    end: datetime
    everybody: bool = False

    @property
    def share(self) -> float:
        """Spent of the limit; 1 is all of it."""
        return self.spent_pico_usd / self.limit_pico_usd

    @property
    def used_up(self) -> bool:
        """Whether nothing is left."""
        return self.spent_pico_usd >= self.limit_pico_usd

    @property
    def sentence(self) -> str:
        """What was spent of it, for a person."""
        whole, spent = dollars(self.limit_pico_usd), dollars(self.spent_pico_usd)
        if self.everybody:
            return f"Everybody here has spent {spent} of the {self.period} budget of {whole} for all."
        return f"You have spent {spent} of your {self.period} budget of {whole}."

    @property
    def way_out(self) -> str:
        """Who can raise it."""
        return "an administrator can raise it" if self.everybody else "raise it on the Costs page"


class BudgetGuard:
    """The budgets of all users, and what they have spent.

    Args:
        free: whether the model that answers costs nothing; then nothing is refused.
        now: the time, aware.
    """

    def __init__(
        self, budgets: Budgets, spent: Spent, *, free: bool = False, now: Callable[[], datetime] | None = None
    ) -> None:
        self.budgets, self._spent, self._free = budgets, spent, free
        self._now = now or (lambda: datetime.now(UTC))

    def status(self, user: User) -> list[BudgetStatus]:
        """Each budget that counts for the user with what was spent of it so far: their own, then those for all."""
        return [self._status(row, user.zone) for row in self.budgets.that_count(user.id)]

    def _status(self, row: Budget, zone: ZoneInfo) -> BudgetStatus:
        period, action = cast(Period, row.period), cast(Action, row.action)
        start, end = bounds(period, self._now(), zone)
        spent, unpriced = self._spent(row.user_id, start, end)
        everybody = row.user_id == EVERYBODY
        return BudgetStatus(period, action, row.limit_pico_usd, spent, unpriced, start, end, everybody)

    def warning(self, user: User) -> str | None:
        """A sentence for the chat where a budget is nearly or wholly used up; None: nothing to say."""
        near = [status for status in self.status(user) if status.share >= NEARLY]
        return max(near, key=lambda status: status.share).sentence if near else None

    def check(self, user: User) -> None:
        """Before a model is called.

        Raises:
            OverBudget: a budget that refuses is used up.
        """
        if self._free:
            return
        for status in self.status(user):
            if status.used_up and status.action == "refuse":
                again = f"{status.end:%a %-d %b %Y, %H:%M} ({user.zone.key})"
                raise OverBudget(f"{status.sentence} It begins anew on {again}; to go on now, {status.way_out}.")


def bounds(period: Period, now: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Start and end of the day, the week (from Monday) or the month of a moment in a zone."""
    today = now.astimezone(zone).date()
    first = {
        "daily": today,
        "weekly": today - timedelta(days=today.weekday()),
        "monthly": today.replace(day=1),
    }[period]
    following = {
        "daily": first + timedelta(days=1),
        "weekly": first + timedelta(days=7),
        "monthly": (first + timedelta(days=32)).replace(day=1),
    }[period]
    return midnight(first, zone), midnight(following, zone)


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """The start of a day."""
    return datetime.combine(day, time(), zone)


def dollars(pico_usd: int) -> str:
    """An amount for people: `$12.40`, `$0.0004`."""
    amount = Decimal(pico_usd) / PICO_PER_USD
    digits = 2 if amount == 0 or amount >= 1 else max(2, 1 - amount.adjusted())
    return f"${amount:,.{digits}f}"
