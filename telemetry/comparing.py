"""Two turns beside each other: their numbers, and what differs in words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from telemetry import formats
from telemetry.formats import MILLI, NONE, counted, duration
from telemetry.phases import Phase
from telemetry.tables import ToolCall, Turn

TELLING_SHARE: Final = 0.02
TELLING_NS: Final = 5 * MILLI
"""A phase is told of if it differs by this much, and by this share of the longer turn."""
SPENT: Final[Mapping[str, tuple[str, str]]] = {
    Phase.CACHE_LOOKUP: ("spent {} {more} looking for a stored answer", "more"),
    Phase.ROUTING: ("spent {} {more} on routing", "more"),
    Phase.ORCHESTRATOR_LLM: ("waited {} {more} for the orchestrator model", "longer"),
    Phase.MCP_SETUP: ("spent {} {more} on setting up tools", "more"),
    Phase.SPECIALIST_LLM: ("waited {} {more} for the specialist model", "longer"),
    Phase.TOOL: ("spent {} {more} in tools", "more"),
    Phase.GOOGLE_API: ("waited {} {more} for Google", "longer"),
    Phase.APPROVAL_WAIT: ("waited {} {more} for a person, which is not counted as latency", "longer"),
    Phase.PERSIST: ("spent {} {more} on storing", "more"),
    Phase.FRAMEWORK: ("spent {} {more} on our own overhead", "more"),
}
STATUSES: Final = {"done": "was answered", "stopped": "was stopped", "running": "still runs"}


@dataclass(frozen=True)
class Line:
    """One number of both turns as text, and the second less the first; `–` where one is not known."""

    name: str
    first: str
    second: str
    difference: str


def latency_of(turn: Turn) -> int | None:
    """Wall time without the wait for a person, in nanoseconds."""
    return None if turn.wall_ns is None else turn.wall_ns - turn.phases.get(Phase.APPROVAL_WAIT, 0)


def tokens_of(turn: Turn) -> int | None:
    """Tokens in and out."""
    return None if turn.input_tokens is None else turn.input_tokens + (turn.output_tokens or 0)


def lines(first: Turn, second: Turn) -> list[Line]:
    """The numbers of two turns; phases that neither has are left out."""
    both = (first, second)
    found = [
        numbers("Took", [latency_of(turn) for turn in both], duration),
        numbers("First word", [turn.first_token_ns for turn in both], duration),
    ]
    for phase in Phase:
        times = [turn.phases.get(phase, 0) if turn.phases else None for turn in both]
        if any(times):
            found.append(numbers(formats.phase(phase), times, duration))
    found += [
        numbers("Model calls", [turn.requests for turn in both], formats.count),
        numbers("Tool calls", [turn.tools for turn in both], formats.count),
        numbers("Google requests", [turn.google_requests for turn in both], formats.count),
        numbers("Tokens in", [turn.input_tokens for turn in both], formats.count),
        numbers("Tokens out", [turn.output_tokens for turn in both], formats.count),
        cost(first, second),
    ]
    return found


def numbers(name: str, values: Sequence[int | None], form: Callable[[int | None], str]) -> Line:
    """A number of both turns."""
    one, two = values
    return Line(name, form(one), form(two), NONE if one is None or two is None else signed(two - one, form))


def cost(first: Turn, second: Turn) -> Line:
    """The cost of both turns; what is not priced has no difference."""
    shown = [formats.money(turn.cost_pico_usd, turn.unpriced) for turn in (first, second)]
    one, two = first.cost_pico_usd, second.cost_pico_usd
    known = one is not None and two is not None and not first.unpriced and not second.unpriced
    return Line("Cost", shown[0], shown[1], signed((two or 0) - (one or 0), formats.money) if known else NONE)


def signed(change: int, form: Callable[[int], str]) -> str:
    """A change with its sign."""
    return "same" if change == 0 else f"{'+' if change > 0 else '−'}{form(abs(change))}"


def differences(first: Turn, second: Turn, tools: Sequence[Sequence[ToolCall]]) -> list[str]:
    """What differs, a sentence each, the most telling first.

    Args:
        tools: the tool calls of each of them.
    """
    found = [*ends(first, second), *times(first, second), *ways(first, second)]
    found += [*used(tools), *amounts(first, second)]
    return found or ["Nothing that counts differs."]


def ends(first: Turn, second: Turn) -> Iterator[str]:
    """How they ended, if not alike."""
    if first.status != second.status:
        words = [STATUSES.get(turn.status, turn.status) for turn in (first, second)]
        yield f"The first {words[0]}, the second {words[1]}."
    if first.cached != second.cached:
        yield f"The {'first' if first.cached else 'second'} was answered from the cache."


def times(first: Turn, second: Turn) -> Iterator[str]:
    """By how much one took longer, and in which phases."""
    one, two = latency_of(first), latency_of(second)
    if one is None or two is None:
        return
    if one != two:
        yield f"The second took {duration(abs(two - one))} {'longer' if two > one else 'less'} than the first."
    changes = {phase: second.phases.get(phase, 0) - first.phases.get(phase, 0) for phase in Phase}
    for phase, change in sorted(changes.items(), key=lambda item: -abs(item[1])):
        if abs(change) >= max(TELLING_NS, TELLING_SHARE * max(one, two)):
            sentence, more = SPENT[phase]
            yield f"The second {sentence.format(duration(abs(change)), more=more if change > 0 else 'less')}."


def ways(first: Turn, second: Turn) -> Iterator[str]:
    """Which way each took, who answered, and with which model."""
    if first.route != second.route:
        yield f"The first took the route {first.route or 'unknown'}, the second {second.route or 'unknown'}."
    if first.agents != second.agents:
        yield f"The first was answered by {listed(first.agents)}, the second by {listed(second.agents)}."
    if first.model != second.model:
        yield f"The first asked {first.model or 'no known model'}, the second {second.model or 'no known model'}."


def used(tools: Sequence[Sequence[ToolCall]]) -> Iterator[str]:
    """Which tools only one of them called."""
    one, two = ({call.tool for call in calls} for calls in tools)
    for only, which, other in ((one - two, "first", "second"), (two - one, "second", "first")):
        if only:
            yield f"Only the {which} called {listed(sorted(only))}; the {other} did not."


def amounts(first: Turn, second: Turn) -> Iterator[str]:
    """How often a model was asked, tokens and money."""
    if first.requests != second.requests:
        more = second.requests - first.requests
        often = f"{counted(abs(more), 'time')} {'more' if more > 0 else 'fewer'}"
        yield f"The second asked a model {often} ({second.requests} against {first.requests})."
    one, two = tokens_of(first), tokens_of(second)
    if one is not None and two is not None and one != two:
        yield f"The second used {counted(abs(two - one), 'token')} {'more' if two > one else 'fewer'}."
    price = cost(first, second).difference
    if price not in (NONE, "same"):
        yield f"The second cost {price[1:]} {'more' if price[0] == '+' else 'less'}."
    for turn, which in ((first, "first"), (second, "second")):
        if turn.requests and (turn.cost_pico_usd is None or turn.unpriced):
            yield f"What the {which} cost is not wholly known, so the costs are not compared."
            return


def listed(names: Sequence[str]) -> str:
    """Names in words."""
    if len(names) < 2:
        return names[0] if names else "nobody known"
    return f"{', '.join(names[:-1])} and {names[-1]}"
