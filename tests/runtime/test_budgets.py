"""Budgets: in the user's zone, before a turn begins, never a turn that runs."""

import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from core.errors import BadInput
from core.runtime.budgets import BudgetGuard, OverBudget, bounds, dollars
from core.store.budgets import EVERYBODY, PICO_PER_USD, Budgets
from core.store.engine import open_database
from core.users import User
from tests.runtime.desk import sam, services, start
from tests.telemetry.worlds import World, direct

BERLIN = ZoneInfo("Europe/Berlin")
SAM = User("sam", "Sam", "sam@lumenworks.example", BERLIN)
LENA = User("lena", "Lena", "lena@lumenworks.example", BERLIN)
NOW = datetime(2026, 11, 25, 22, 30, tzinfo=UTC)


class Till:
    """What users have spent, and the budgets about it."""

    def __init__(self, budgets: Budgets) -> None:
        self.budgets, self.spent, self.unpriced = budgets, 0, 0
        self.asked: list[tuple[datetime, datetime]] = []

    def guard(self, *, free: bool = False, now: datetime = NOW) -> BudgetGuard:
        return BudgetGuard(self.budgets, self.look, free=free, now=lambda: now)

    def look(self, user_id: str, start: datetime, end: datetime) -> tuple[int, int]:
        self.asked.append((start, end))
        return (self.spent, self.unpriced) if user_id == "sam" else (0, 0)


@pytest.fixture
def till(tmp_path: Path) -> Till:
    return Till(Budgets(open_database(f"sqlite:///{tmp_path / 'app.db'}")))


def test_days_weeks_and_months_are_the_users_own() -> None:
    night = datetime(2026, 10, 24, 23, 30, tzinfo=UTC)  # already Sunday in Berlin, the day of the clock change
    start, end = bounds("daily", night, BERLIN)
    assert (start.isoformat(), end.isoformat()) == ("2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00")
    assert end.timestamp() - start.timestamp() == 25 * 3600
    start, end = bounds("weekly", night, BERLIN)
    assert (start.isoformat(), end.isoformat()) == ("2026-10-19T00:00:00+02:00", "2026-10-26T00:00:00+01:00")
    start, end = bounds("monthly", datetime(2026, 12, 31, 23, 30, tzinfo=UTC), BERLIN)
    assert (start.isoformat(), end.isoformat()) == ("2027-01-01T00:00:00+01:00", "2027-02-01T00:00:00+01:00")


def test_what_is_set_replaces_what_was_set_and_belongs_to_its_user(till: Till) -> None:
    till.budgets.set("sam", "monthly", Decimal("20"), "warn")
    till.budgets.set("sam", "daily", Decimal("1"), "warn")
    till.budgets.set("sam", "daily", Decimal("0.5"), "refuse")
    [daily, monthly] = till.budgets.of_user("sam")
    assert (daily.limit_pico_usd, daily.action, monthly.period) == (PICO_PER_USD // 2, "refuse", "monthly")
    till.budgets.remove("sam", "daily")
    assert [row.period for row in till.budgets.of_user("sam")] == ["monthly"]
    assert till.budgets.of_user("lena") == []


@pytest.mark.parametrize("amount", ["0", "-1", "NaN", "Infinity", "1000001"])
def test_an_amount_that_is_no_budget_is_refused_in_a_sentence(till: Till, amount: str) -> None:
    with pytest.raises(BadInput, match="Type such an amount"):
        till.budgets.set("sam", "daily", Decimal(amount), "warn")


def test_a_budget_that_refuses_stops_the_next_turn_with_what_to_do(till: Till) -> None:
    till.budgets.set("sam", "daily", Decimal("0.5"), "refuse")
    till.spent = PICO_PER_USD // 2 - 1
    till.guard().check(SAM)
    till.spent += 1
    with pytest.raises(OverBudget) as refusal:
        till.guard().check(SAM)
    assert refusal.value.sentence == (
        "You have spent $0.50 of your daily budget of $0.50. It begins anew on Thu 26 Nov 2026, 00:00 (Europe/Berlin); "
        "to go on now, raise it on the Costs page."
    )
    till.guard().check(LENA)
    till.guard(free=True).check(SAM)


def test_a_budget_that_warns_never_refuses(till: Till) -> None:
    till.budgets.set("sam", "weekly", Decimal("1"), "warn")
    till.spent = 2 * PICO_PER_USD
    till.guard().check(SAM)
    assert till.guard().warning(SAM) == "You have spent $2.00 of your weekly budget of $1.00."


def test_a_person_is_told_from_four_fifths_on(till: Till) -> None:
    till.budgets.set("sam", "monthly", Decimal("10"), "refuse")
    till.spent, till.unpriced = 8 * PICO_PER_USD - 1, 3
    assert till.guard().warning(SAM) is None
    [status] = till.guard().status(SAM)
    assert (status.used_up, status.unpriced) == (False, 3)
    till.spent += 1
    assert "$8.00 of your monthly budget" in (till.guard().warning(SAM) or "")


def test_nothing_begins_once_the_budget_is_used_up_and_nothing_is_kept_of_it(tmp_path: Path) -> None:
    with services(tmp_path, model="m", model_base_url="http://127.0.0.1:9/v1") as built:
        user = sam(built)
        World(built.telemetry.store).add(direct(), time.time_ns(), user_id=user.id)
        built.budgets.budgets.set(user.id, "daily", Decimal("0.0003"), "refuse")
        with pytest.raises(OverBudget, match="raise it on the Costs page"):
            start(built, "Show my unread emails")
        assert built.conversations.list(user.id) == [] and built.runtime.running() == 0
        built.budgets.budgets.set(user.id, "daily", Decimal("0.0004"), "refuse")
        turn = start(built, "Show my unread emails")
        built.budgets.budgets.set(user.id, "daily", Decimal("0.0001"), "refuse")
        assert "budget" not in (turn.wait(30)["error"] or "")
        with pytest.raises(OverBudget):
            built.runtime.regenerate(user, turn.id)


def test_amounts_show_the_digits_that_count() -> None:
    assert [dollars(pico) for pico in (0, 400_000_000, 153_000_000_000, 12_400 * 10**9)] == [
        "$0.00",
        "$0.00040",
        "$0.15",
        "$12.40",
    ]


def test_a_budget_for_all_counts_what_all_have_spent_and_stops_everybody(till: Till) -> None:
    till.budgets.set(EVERYBODY, "daily", Decimal("5"), "refuse")
    guard = BudgetGuard(
        till.budgets, lambda user_id, *_: (6 * PICO_PER_USD if user_id == "*" else 0, 0), now=lambda: NOW
    )
    for user in (SAM, LENA):
        [status] = guard.status(user)
        assert status.everybody and status.used_up
        with pytest.raises(OverBudget, match=r"Everybody here has spent .* an administrator can raise it"):
            guard.check(user)
    till.budgets.set("lena", "daily", Decimal("1"), "warn")
    assert [one.everybody for one in guard.status(LENA)] == [False, True]
    assert [one.everybody for one in guard.status(SAM)] == [True]
