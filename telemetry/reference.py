"""The reference design's six phases beside ours, by medians over recent turns that used a tool."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from sqlmodel import col, select

from telemetry.phases import ORCHESTRATOR, Phase
from telemetry.pricing import BUILT_IN
from telemetry.queries import Readable, Selection, matching
from telemetry.tables import LlmCall, Turn

TURNS = 500
MILLI = 10**6
REFERENCE = (
    ("Outer turn 1", 5_000 * MILLI),
    ("Inner set-up", 2_500 * MILLI),
    ("Inner turn 1", 4_000 * MILLI),
    ("Tool over MCP", 1_000 * MILLI),
    ("Inner turn 2", 4_000 * MILLI),
    ("Outer turn 2", 5_000 * MILLI),
)
REST = "Everything else"


@dataclass(frozen=True)
class Row:
    """One phase; nanoseconds. A step that a turn did not need counts as 0."""

    name: str
    reference_ns: int
    measured_ns: int


@dataclass(frozen=True)
class Comparison:
    """Both designs side by side.

    Attributes:
        rows: The six phases, then everything else, so that nothing of ours is left out.
        turns: How many turns the medians are over.
        models: What answered in them.
        built_in: Nothing but the built-in assistant did, whose speed is not that of a language model.
    """

    rows: tuple[Row, ...]
    reference_ns: int
    measured_ns: int
    turns: int
    models: tuple[str, ...]
    built_in: bool

    @property
    def factor(self) -> float:
        """How many times longer the reference design takes."""
        return self.reference_ns / max(self.measured_ns, 1)


def compare(store: Readable, user_id: str, selection: Selection) -> Comparison | None:
    """Compare the newest answered turns with a tool call; None if there are none."""
    query = select(Turn).where(*matching(user_id, selection), col(Turn.status) == "done", col(Turn.tools) > 0)
    query = query.order_by(col(Turn.start_ns).desc(), col(Turn.turn_id)).limit(TURNS)
    with store.reader() as session:
        turns = session.exec(query).all()
        ids = [turn.turn_id for turn in turns]
        found = session.exec(select(LlmCall).where(col(LlmCall.turn_id).in_(ids))).all()
    if not turns:
        return None
    calls: dict[str, list[LlmCall]] = {turn.turn_id: [] for turn in turns}
    for call in sorted(found, key=lambda call: call.start_ns):
        calls[call.turn_id].append(call)
    columns = list(zip(*(parts(turn, calls[turn.turn_id]) for turn in turns), strict=True))
    rows = [
        Row(name, reference, int(median(column)))
        for (name, reference), column in zip((*REFERENCE, (REST, 0)), columns, strict=True)
    ]
    total = int(median(latency_of(turn) for turn in turns))
    models = tuple(sorted({call.model for call in found if call.model}))
    built_in = all(call.provider == BUILT_IN for call in found)
    return Comparison(tuple(rows), sum(ns for _, ns in REFERENCE), total, len(turns), models, built_in)


def parts(turn: Turn, calls: Sequence[LlmCall]) -> tuple[int, ...]:
    """A turn's time in the order of the rows; model calls stand at their position in their loop."""
    outer = [call.duration_ns or 0 for call in calls if call.agent == ORCHESTRATOR]
    inner = [call.duration_ns or 0 for call in calls if call.agent != ORCHESTRATOR]
    setup = turn.phases.get(Phase.MCP_SETUP, 0)
    tool = turn.phases.get(Phase.TOOL, 0) + turn.phases.get(Phase.GOOGLE_API, 0)
    six = (at(outer, 0), setup, at(inner, 0), tool, at(inner, 1), at(outer, 1))
    return (*six, max(0, latency_of(turn) - sum(six)))


def at(durations: Sequence[int], position: int) -> int:
    """The duration at a position; 0 where there was no such call."""
    return durations[position] if position < len(durations) else 0


def latency_of(turn: Turn) -> int:
    """Wall time without the wait for a person."""
    return (turn.wall_ns or 0) - turn.phases.get(Phase.APPROVAL_WAIT, 0)
