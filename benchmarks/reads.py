"""How long the pages' reads take on generated databases of growing size."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

from benchmarks.report import Figure
from benchmarks.world import USERS, make
from telemetry.accounts import parts_of
from telemetry.costs import Costs
from telemetry.forecast import forecast
from telemetry.formats import HOUR
from telemetry.heat import heat
from telemetry.latency import Latency, breakdown, numbers, trend
from telemetry.queries import EVERYBODY, Glass, Selection
from telemetry.querylang.parser import parse
from telemetry.reference import compare
from telemetry.store import Store
from telemetry.toolstats import ToolStats
from telemetry.traces import Ask, Traces

AIM_MS = 150.0
DAY = 24 * HOUR
RANGES = {"24 h": DAY, "7 d": 7 * DAY, "30 d": 30 * DAY}
WHO = {"the busiest user": USERS[0], "a usual one": USERS[6], "all": EVERYBODY}
ZONE = ZoneInfo("Asia/Kolkata")
FILTERS: dict[str, dict[str, Any]] = {"": {}, ", filtered": {"models": ("qwen3-8b",), "agents": ("Gmail",)}}
ROUNDS = 7
LINES = (
    "level:error",
    "latency:>2s -route:direct",
    "tool:send_*",
    "agent:Gmail cost:>0.0001",
    "mail",
    "nothing",
    "has:approval",
)
"""Query lines, common and rare."""


@dataclass(frozen=True)
class Reader:
    """The reads of the pages, each for a user and a period."""

    store: Store
    now_ns: int

    def of_pages(self) -> dict[str, Callable[[str, Selection], object]]:
        """What pages of numbers read."""
        latency, costs, tools = Latency(self.store), Costs(self.store), ToolStats(self.store)
        glass = Glass(self.store)
        return {
            "Filters: choices": glass.choices,
            "Latency: numbers, trend, heat, breakdown": lambda user, chosen: overview(latency, user, chosen),
            "Latency: bars": lambda user, chosen: latency.recent(user, chosen, 28),
            "Latency: slowest": lambda user, chosen: latency.slowest(user, chosen, 8),
            "Latency: phases by group": lambda user, chosen: parts_of(self.store, user, chosen),
            "Latency: reference": lambda user, chosen: compare(self.store, user, chosen),
            "Costs: lines": lambda user, chosen: costs.lines(user, chosen, ZONE),
            "Costs: unpriced": costs.unpriced,
            "Costs: saved": costs.saved,
            "Costs: forecast": lambda user, chosen: forecast(costs, user, chosen.end_ns, ZONE),
            "Tools: numbers": tools.all_tools,
            "Tools: table": tools.table,
            "Tools: errors": tools.errors,
            "Tools: course": lambda user, chosen: tools.course(user, chosen, zone=ZONE),
            "Tools: trends": tools.trends,
        }

    def of_one(self) -> dict[str, Callable[[str, Selection], object]]:
        """What a person reads of their own turns."""
        costs, tools, glass = Costs(self.store), ToolStats(self.store), Glass(self.store)
        tool = "search_gmail_messages"
        return {
            "Costs: conversations": lambda user, chosen: costs.conversations(user, chosen, limit=10),
            "Costs: number of conversations": costs.count_conversations,
            "Tools: calls": lambda user, chosen: tools.calls(user, chosen, tool, "latest", limit=25),
            "Tools: slowest calls": lambda user, chosen: tools.calls(user, chosen, tool, "slowest", limit=25),
            "Tools: last used": lambda user, chosen: tools.last_used(user, [tool, "send_gmail_message", "never"]),
            "Traces: newest": lambda user, chosen: glass.turns(user, limit=50),
            **{f"Traces: {line}": self.line(line) for line in LINES},
            "Traces: running": lambda user, chosen: glass.running(user),
            "A conversation": lambda user, chosen: conversation(glass, user),
            "A turn": lambda user, chosen: one_turn(glass, user),
        }

    def line(self, text: str) -> Callable[[str, Selection], object]:
        """The first page of what a query line finds."""
        traces, line = Traces(self.store), parse(text)
        return lambda user, chosen: traces.page(Ask(user, line, chosen), 25)


def overview(latency: Latency, user: str, chosen: Selection) -> None:
    """The numbers, the course, the heat map and the differences on the Latency page."""
    sample = latency.sample(user, chosen, ZONE)
    numbers(sample)
    trend(sample, chosen, ZONE)
    heat(sample, chosen, ZONE)
    for by in ("route", "agents", "model"):
        breakdown(sample, by)


def conversation(glass: Glass, user: str) -> None:
    """The turns of the newest conversation."""
    newest = glass.turns(user, limit=1)
    glass.turns(user, conversation_id=newest[0].conversation_id)


def one_turn(glass: Glass, user: str) -> None:
    """A turn with its spans and calls."""
    turn = glass.turns(user, limit=1)[0]
    glass.spans(user, turn.turn_id)
    glass.llm_calls(user, turn.turn_id)
    glass.tool_calls(user, turn.turn_id)


def reads(sizes: Sequence[int], folder: Path | None = None, rounds: int = ROUNDS) -> Iterator[Figure]:
    """Each read at each size, over users, ranges and filters: the usual time and that of the slowest in twenty."""
    for size in sizes:
        with TemporaryDirectory(prefix="glassdesk-bench-", dir=folder) as made:
            started, now = time.perf_counter(), time.time_ns()
            store = make(Path(made), size, now)
            section = f"Reads at {size:,} turns"
            yield Figure(section, "making the database", time.perf_counter() - started, "s")
            megabytes = sum(path.stat().st_size for path in Path(made).iterdir()) / 1e6
            yield Figure(section, "its size", megabytes, "MB")
            yield from measured(Reader(store, now), section, rounds)
            store.close()


def measured(reader: Reader, section: str, rounds: int) -> Iterator[Figure]:
    """The times of each read."""
    parts = ((reader.of_pages(), list(WHO.values()), FILTERS), (reader.of_one(), list(WHO.values())[:2], {"": {}}))
    for found, users, filters in parts:
        for name, read in found.items():
            for period, length in RANGES.items():
                for title, narrow in filters.items():
                    chosen = Selection(reader.now_ns - length, reader.now_ns, **narrow)
                    times = sorted(milliseconds(read, user, chosen) for user in users for _ in range(rounds))
                    p50, p95 = quantiles(times, n=20)[9], quantiles(times, n=20)[18]
                    yield Figure(section, f"{name}, {period}{title}, p50", p50, "ms")
                    yield Figure(section, f"{name}, {period}{title}, p95", p95, "ms", AIM_MS)


def milliseconds(read: Callable[[str, Selection], object], user: str, chosen: Selection) -> float:
    """How long a read takes."""
    started = time.perf_counter()
    read(user, chosen)
    return (time.perf_counter() - started) * 1_000
