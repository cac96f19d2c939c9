"""What the pages read of the telemetry store, each read for a user and a period."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from telemetry.accounts import parts_of
from telemetry.costs import Costs
from telemetry.forecast import forecast
from telemetry.heat import heat
from telemetry.latency import Latency, breakdown, numbers, trend
from telemetry.meter import Meter
from telemetry.queries import EVERYBODY, Glass, Selection
from telemetry.querylang.line import Line
from telemetry.querylang.parser import parse
from telemetry.reference import compare
from telemetry.retention import Limits, Retention
from telemetry.savings import direct_saving
from telemetry.sizes import size_of
from telemetry.slower import changes
from telemetry.store import Store
from telemetry.toolstats import ToolStats
from telemetry.traces import EMPTY, Ask, Traces
from telemetry.writer import Health

Read = Callable[[str, Selection], object]
ZONE: Final = ZoneInfo("Asia/Kolkata")
"""Its days begin within an hour of UTC, which is the dearest."""
READER: Final = "local"
TOOL: Final = "search_gmail_messages"
PAGE: Final = 25
LINES: Final = (
    "",
    "level:error",
    "latency:>2s -route:direct",
    "latency:>10h",
    "cost:>1000",
    "tokens:>10m",
    "calls:>1000",
    "tool:send_*",
    "tool:nothing_like_it",
    "agent:Gmail cost:>0.0001",
    "agent:Nobody",
    "model:gpt-5.2",
    "model:nothing-like-it",
    "route:nowhere",
    "has:approval",
    "has:unpriced",
    "has:reasoning",
    "conv:nothing",
)
"""Query lines: what all turns fit, what few do, what none does."""
TEXTS: Final = (
    'text:"mail"',
    'text:"mail" unread',
    'text:"unread emails"',
    'text:"unread mail"',
    "mail -calendar",
    "mail -mail",
    "mail level:error",
    "sheet",
    "nothing",
)
"""Texts: frequent words, one and two, a phrase that there is and one that there is not, with others left out, rare."""


@dataclass(frozen=True)
class Reads:
    """The reads of the pages of a store."""

    store: Store
    now_ns: int

    def of_numbers(self) -> Mapping[str, Read]:
        """What pages of numbers read, of a user or of all."""
        return {**self._latency(), **self._costs(), **self._tools()}

    def of_lists(self) -> Mapping[str, Read]:
        """What the list of turns reads, of a user or of all."""
        return {f"Traces: {line or 'all'}": self.line(line) for line in (*LINES, *TEXTS)} | {
            "Traces: the next page": self.next_page,
            "Traces: turns beside one": self.beside,
        }

    def of_one(self) -> Mapping[str, Read]:
        """What a person reads of their own turns."""
        costs, tools, glass, traces = Costs(self.store), ToolStats(self.store), Glass(self.store), Traces(self.store)
        return {
            "Costs: conversations": lambda user, chosen: costs.conversations(user, chosen, limit=10),
            "Costs: number of conversations": costs.count_conversations,
            "Tools: calls": lambda user, chosen: tools.calls(user, chosen, TOOL, "latest", limit=PAGE),
            "Tools: slowest calls": lambda user, chosen: tools.calls(user, chosen, TOOL, "slowest", limit=PAGE),
            "Tools: last used": lambda user, chosen: tools.last_used(user, [TOOL, "send_gmail_message", "never"]),
            "Traces: names of tools": lambda user, chosen: traces.tools(user),
            "Traces: where words stand": self.excerpts,
            "Traces: running": lambda user, chosen: (glass.running(user), glass.waiting(user)),
            "A conversation": lambda user, chosen: conversation(glass, user),
            "A turn": lambda user, chosen: one_turn(glass, user),
        }

    def of_store(self) -> Mapping[str, Read]:
        """What administrators read of all there is, whatever the period."""
        kept = Retention(self.store)
        return {
            "Settings: size": lambda user, chosen: size_of(self.store),
            "Settings: oldest turn": lambda user, chosen: kept.oldest,
            "Settings: what would be deleted": lambda user, chosen: kept.outlook(Limits(days=30), self.now_ns),
            "Metrics": lambda user, chosen: Meter(self.store, lambda: Health(0, 0, 0, None)).text(),
            "Costs: users": lambda user, chosen: Costs(self.store).users(chosen),
        }

    def _latency(self) -> Mapping[str, Read]:
        latency, glass = Latency(self.store), Glass(self.store)
        return {
            "Filters: choices": glass.choices,
            "Latency: numbers, trend, heat, breakdown": lambda user, chosen: overview(latency, user, chosen),
            "Latency: numbers before": lambda user, chosen: numbers(latency.sample(user, chosen.previous())),
            "Latency: bars": lambda user, chosen: latency.recent(user, chosen, 28),
            "Latency: slowest": lambda user, chosen: latency.slowest(user, chosen, 8),
            "Latency: phases by group": lambda user, chosen: parts_of(self.store, user, chosen),
            "Latency: what got slower": self.slower,
            "Latency: reference": lambda user, chosen: compare(self.store, user, chosen),
        }

    def _costs(self) -> Mapping[str, Read]:
        costs = Costs(self.store)
        return {
            "Costs: lines": lambda user, chosen: costs.lines(user, chosen, ZONE),
            "Costs: lines before": lambda user, chosen: costs.lines(user, chosen.previous()),
            "Costs: unpriced": costs.unpriced,
            "Costs: saved": costs.saved,
            "Costs: saved by going direct": lambda user, chosen: direct_saving(self.store, user, chosen),
            "Costs: forecast": lambda user, chosen: forecast(costs, user, chosen.end_ns, ZONE),
        }

    def _tools(self) -> Mapping[str, Read]:
        tools = ToolStats(self.store)
        return {
            "Tools: numbers": tools.all_tools,
            "Tools: table": tools.table,
            "Tools: errors": tools.errors,
            "Tools: course": lambda user, chosen: tools.course(user, chosen, zone=ZONE),
            "Tools: trends": tools.trends,
            "Tools: one, numbers": lambda user, chosen: tools.all_tools(user, chosen, TOOL),
            "Tools: one, course": lambda user, chosen: tools.course(user, chosen, TOOL, ZONE),
        }

    def slower(self, user: str, chosen: Selection) -> object:
        """What got slower; the page has the sums of now already."""
        before, tools = chosen.previous(), ToolStats(self.store)
        now = parts_of(self.store, user, chosen)
        return changes(parts_of(self.store, user, before), now, tools.table(user, before), tools.table(user, chosen))

    def line(self, text: str) -> Read:
        """The first page of what a query line finds."""
        line = parse(text)
        return lambda user, chosen: Traces(self.store).page(asked(user, chosen, line), PAGE)

    def next_page(self, user: str, chosen: Selection) -> object:
        """The second page of all turns."""
        traces, ask = Traces(self.store), asked(user, chosen)
        turns = traces.page(ask, PAGE).turns
        return traces.page(ask, PAGE, before=turns[-1].turn_id) if turns else None

    def beside(self, user: str, chosen: Selection) -> object:
        """The turns before and after one."""
        traces, ask = Traces(self.store), asked(user, chosen)
        turns = traces.page(ask, PAGE).turns
        return traces.neighbours(ask, turns[-1].turn_id) if turns else None

    def excerpts(self, user: str, chosen: Selection) -> object:
        """Where the words of a line stand in the turns of a page."""
        turns = Glass(self.store).turns(user, limit=PAGE)
        return Traces(self.store).excerpts(user, parse("mail unread"), [turn.turn_id for turn in turns])


def asked(user: str, chosen: Selection, line: Line = EMPTY) -> Ask:
    """What a person asks for of their own turns, or an administrator of everybody's."""
    everybody = user == EVERYBODY
    return Ask(READER if everybody else user, line, chosen, user, everybody)


def overview(latency: Latency, user: str, chosen: Selection) -> None:
    """The numbers, the course, the heat map and the differences on the Latency page."""
    sample = latency.sample(user, chosen, ZONE)
    numbers(sample)
    trend(sample, chosen, ZONE)
    heat(sample, chosen, ZONE)
    for by in ("route", "agents", "model"):
        breakdown(sample, by)


def conversation(glass: Glass, user: str) -> None:
    """The turns of the newest conversation, as the page of turns and the chat read them."""
    for newest in glass.turns(user, limit=1):
        turns = glass.turns(user, conversation_id=newest.conversation_id)
        glass.turn_summaries(user, [turn.turn_id for turn in turns])


def one_turn(glass: Glass, user: str) -> None:
    """A turn with its spans and calls."""
    for turn in glass.turns(user, limit=1):
        glass.spans(user, turn.turn_id)
        glass.llm_calls(user, turn.turn_id)
        glass.tool_calls(user, turn.turn_id)
