"""The numbers that alerts are about, each over the last minutes, from the same reads as the pages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from telemetry import formats
from telemetry.alert_tables import AlertRule
from telemetry.costs import Costs
from telemetry.latency import Latency, Numbers, numbers
from telemetry.pricing import PICO_PER_USD
from telemetry.queries import EVERYBODY, Readable, Selection
from telemetry.toolstats import ToolStats

MINUTE: Final = 60 * formats.SECOND


@dataclass(frozen=True)
class Reading:
    """A value, and of how many turns or calls it is; None where nothing tells."""

    value: float | None
    number: int


@dataclass(frozen=True)
class Measure:
    """One kind of number.

    Attributes:
        title: for people.
        unit: of thresholds.
        read: store, user id or `*`, period, tool.
        shown: a value in words.
    """

    title: str
    unit: str
    read: Callable[[Readable, str, Selection, str | None], Reading]
    shown: Callable[[float], str]


def turns_of(store: Readable, user_id: str, period: Selection) -> Numbers:
    """The numbers of the turns that ended."""
    return numbers(Latency(store).sample(user_id, period))


def errors(store: Readable, user_id: str, period: Selection, _tool: str | None) -> Reading:
    """Failed turns in per cent."""
    found = turns_of(store, user_id, period)
    return Reading(None if found.errors is None else found.errors * 100, found.turns)


def p95(store: Readable, user_id: str, period: Selection, _tool: str | None) -> Reading:
    """What 95 % of the turns stayed within, in seconds, without waits for a person."""
    found = turns_of(store, user_id, period)
    return Reading(None if found.p95_ns is None else found.p95_ns / formats.SECOND, found.turns)


def cost(store: Readable, user_id: str, period: Selection, _tool: str | None) -> Reading:
    """What was spent in US dollars, as far as prices are known; nothing spent is 0."""
    spent, _ = Costs(store).of_period(user_id, period.start_ns, period.end_ns)
    return Reading(spent / PICO_PER_USD, turns_of(store, user_id, period).turns)


def unpriced(store: Readable, user_id: str, period: Selection, _tool: str | None) -> Reading:
    """Model calls of unknown cost."""
    _, calls = Costs(store).of_period(user_id, period.start_ns, period.end_ns)
    return Reading(calls, turns_of(store, user_id, period).turns)


def tools(store: Readable, user_id: str, period: Selection, tool: str | None) -> Reading:
    """Failed tool calls in per cent of those that came to an end."""
    row = ToolStats(store).all_tools(user_id, period, tool)
    return Reading(None if row.success is None else (1 - row.success) * 100, row.ok + row.failed)


def silence(store: Readable, user_id: str, period: Selection, _tool: str | None) -> Reading:
    """Whether no turn ended: 1, else 0."""
    return Reading(float(turns_of(store, user_id, period).turns == 0), 1)


MEASURES: Final[Mapping[str, Measure]] = {
    "errors": Measure("Failed turns", "%", errors, lambda value: formats.percent(value / 100)),
    "p95": Measure("Time of 95 % of turns", "s", p95, lambda value: formats.duration(value * formats.SECOND)),
    "cost": Measure("Spent", "US dollars", cost, lambda value: formats.money(round(value * PICO_PER_USD))),
    "unpriced": Measure("Unpriced model calls", "calls", unpriced, lambda value: formats.counted(int(value), "call")),
    "tools": Measure("Failed tool calls", "%", tools, lambda value: formats.percent(value / 100)),
    "silence": Measure("No turns", "", silence, lambda value: "no turns" if value else "turns"),
}


def read(store: Readable, rule: AlertRule, now_ns: int) -> Reading:
    """What a rule's number is now."""
    period = Selection(now_ns - rule.minutes * MINUTE, now_ns)
    return MEASURES[rule.measure].read(store, EVERYBODY if rule.everybody else rule.user_id, period, rule.tool)
