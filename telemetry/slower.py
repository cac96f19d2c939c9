"""What got slower between two periods: phases, routes, agents, models and tools, by what each adds to a turn."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from telemetry.accounts import Part
from telemetry.formats import MILLI, counted, duration, phase
from telemetry.phases import Phase
from telemetry.tool_hours import ToolRow

Kind = Literal["phase", "tool", "route", "agent", "model"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""Of changes that add the same, that first which tells more."""
LEAST: Final = 3
"""Turns or calls that each period needs, so that one slow turn is no news."""
TELLING: Final = 0.05
"""Share by which something changed at least."""
TELLING_NS: Final = MILLI // 2


@dataclass(frozen=True)
class Change:
    """How one thing changed. Nanoseconds.

    Attributes:
        before_ns, now_ns: On average; of a tool, the median of its calls.
        number: How many turns it is over now; of a tool, calls.
        adds_ns: What the change adds to a turn of now on average; negative if it became quicker.
    """

    kind: Kind
    name: str
    before_ns: float
    now_ns: float
    number: int
    adds_ns: float


def changes(
    before: Sequence[Part], now: Sequence[Part], tools_before: Sequence[ToolRow] = (), tools_now: Sequence[ToolRow] = ()
) -> list[Change]:
    """What changed by enough to say, what adds most first; nothing if a period has too few turns."""
    total = sum(part.turns for part in now)
    if min(total, sum(part.turns for part in before)) < LEAST:
        return []
    found = [*of_phases(before, now), *of_groups(before, now), *of_tools(tools_before, tools_now, total)]
    return sorted((one for one in found if tells(one)), key=lambda one: (-one.adds_ns, KINDS.index(one.kind), one.name))


def tells(change: Change) -> bool:
    """Whether a change is worth a word."""
    by = abs(change.now_ns - change.before_ns)
    return by >= TELLING_NS and by >= TELLING * max(change.before_ns, change.now_ns)


def of_phases(before: Sequence[Part], now: Sequence[Part]) -> Iterator[Change]:
    """Each phase over all turns; the time in which a person decides is none of it."""
    turns, had = (sum(part.turns for part in parts) for parts in (now, before))
    for one in Phase:
        if one != Phase.APPROVAL_WAIT:
            was, is_ = (
                sum(part.phases.get(one, 0) for part in parts) / number
                for parts, number in ((before, had), (now, turns))
            )
            yield Change("phase", one.value, was, is_, turns, is_ - was)


def of_groups(before: Sequence[Part], now: Sequence[Part]) -> Iterator[Change]:
    """Each route, agent and model that both periods have; a turn counts for each of its agents."""
    total = sum(part.turns for part in now)
    (turns_before, times_before), (turns_now, times_now) = sums(before), sums(now)
    for key, number in turns_now.items():
        if min(number, turns_before[key]) >= LEAST:
            was, is_ = times_before[key] / turns_before[key], times_now[key] / number
            yield Change(*key, was, is_, number, (is_ - was) * number / total)


def sums(parts: Sequence[Part]) -> tuple[Counter[tuple[Kind, str]], Counter[tuple[Kind, str]]]:
    """Turns and their latency by kind and name."""
    turns: Counter[tuple[Kind, str]] = Counter()
    times: Counter[tuple[Kind, str]] = Counter()
    for part in parts:
        shared = part.shared
        named: Mapping[Kind, Sequence[str | None]] = {
            "route": [shared.route],
            "model": [shared.model],
            "agent": sorted(set(shared.agents)),
        }
        for kind, names in named.items():
            for name in names:
                if name is not None:
                    turns[kind, name] += part.turns
                    times[kind, name] += part.latency_ns
    return turns, times


def of_tools(before: Sequence[ToolRow], now: Sequence[ToolRow], turns: int) -> Iterator[Change]:
    """Each tool that was called in both periods."""
    known = {row.tool: row for row in before if row.calls >= LEAST}
    for row in now:
        was = known.get(row.tool)
        if was is not None and row.calls >= LEAST and row.p50_ns is not None and was.p50_ns is not None:
            adds = (row.p50_ns - was.p50_ns) * row.calls / turns
            yield Change("tool", row.tool, was.p50_ns, row.p50_ns, row.calls, adds)


def name_of(change: Change) -> str:
    """What changed, as the beginning of a sentence."""
    if change.kind == "phase":
        return phase(change.name)
    return {
        "route": f"Turns on the route {change.name}",
        "agent": f"Turns with the agent {change.name}",
        "model": f"Turns with {change.name}",
        "tool": f"The tool {change.name}",
    }[change.kind]


def sentence(change: Change) -> str:
    """A change in words."""
    more = "longer" if change.now_ns > change.before_ns else "less"
    by = duration(abs(change.now_ns - change.before_ns))
    of = "a turn on average" if change.kind != "tool" else "a call in the median"
    over = counted(change.number, "call" if change.kind == "tool" else "turn")
    times = f"{duration(change.before_ns)} before, {duration(change.now_ns)} now"
    return f"{name_of(change)} took {by} {more} {of}: {times}, over {over}."
