"""What belongs to one turn while it is performed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from opentelemetry.trace import Span

from core.runtime.narrator import Narrator
from core.runtime.progress import Plan, Verdict
from core.runtime.recall import Lookup
from core.runtime.turn import Turn
from core.store.tables import Approval, Exchange


@dataclass
class Stage:
    """A turn, its spans and what is known of it so far.

    Attributes:
        earlier: what the turn builds on; None: not looked for yet.
        calls: the ids of those that wait for a person.
        asked: what a person was asked about in it, once it has ended.
    """

    turn: Turn
    root: Span
    start_ns: int
    narrator: Narrator
    plan: Plan | None = None
    earlier: Sequence[Exchange] | None = None
    lookup: Lookup | None = None
    wait: Span | None = None
    calls: tuple[str, ...] = ()
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    asked: Sequence[Approval] = ()
