"""The time account of a turn: its wall time divided among phases that add up exactly, in integer nanoseconds.

The rule: at each instant the time belongs to the deepest open span on the critical path. The path starts at the
turn and goes down through the open child that its parent waits for last, which is the one that ends last.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

ORCHESTRATOR = "Assistant"


class Phase(StrEnum):
    """What a turn is doing, in the order in which pages show it."""

    CACHE_LOOKUP = "cache_lookup"
    ROUTING = "routing"
    ORCHESTRATOR_LLM = "orchestrator_llm"
    MCP_SETUP = "mcp_setup"
    SPECIALIST_LLM = "specialist_llm"
    TOOL = "tool"
    GOOGLE_API = "google_api"
    APPROVAL_WAIT = "approval_wait"
    PERSIST = "persist"
    FRAMEWORK = "framework"


BY_TYPE = {
    "cache": Phase.CACHE_LOOKUP,
    "route": Phase.ROUTING,
    "mcp_setup": Phase.MCP_SETUP,
    "tool": Phase.TOOL,
    "mcp_client": Phase.TOOL,
    "mcp_server": Phase.TOOL,
    "google": Phase.GOOGLE_API,
    "approval": Phase.APPROVAL_WAIT,
    "persist": Phase.PERSIST,
    "turn": Phase.FRAMEWORK,
    "agent": Phase.FRAMEWORK,
}


@dataclass(frozen=True)
class SpanTime:
    """What the account needs of a span. Times: Unix nanoseconds; `end_ns` is None while it is open.

    `type` as in `tables.Span`; `label` is the agent's title for an agent, else any name.
    """

    span_id: str
    parent_id: str | None
    type: str
    start_ns: int
    end_ns: int | None
    label: str = ""


@dataclass(frozen=True)
class Step:
    """One model call on the critical path; `number` counts from 1 within its phase, in order of start."""

    phase: str
    number: int
    agent: str
    span_id: str
    ns: int


@dataclass(frozen=True)
class Account:
    """The account of one turn; all durations in nanoseconds.

    Attributes:
        phases: Phase → time; they sum to `wall_ns`; phases without time are left out.
        steps: The numbered model calls.
        critical: Span id → (start, end) of the one stretch in which the critical path ran through it.
        self_ns: Span id → time in which it was the deepest on the path; these also sum to `wall_ns`.
    """

    wall_ns: int
    phases: dict[str, int]
    steps: tuple[Step, ...]
    critical: dict[str, tuple[int, int]]
    self_ns: dict[str, int]


def account(spans: Sequence[SpanTime], until_ns: int | None = None) -> Account:
    """Divide a turn's wall time among its phases.

    Args:
        spans: All spans of one turn in any order. An orphan hangs on the turn; a child is clipped to its parent;
            an open span ends where the turn ends.
        until_ns: Where the turn ends if its own span is open; by default at the last known time of its spans.
    """
    if not spans:
        return Account(0, {}, (), {}, {})
    root = root_of(spans)
    tree = Tree(root, spans)
    end = root.end_ns if root.end_ns is not None else until_ns
    if end is None:
        end = max(max(span.start_ns, span.end_ns or 0) for span in spans)
    critical, self_ns = critical_path(tree, max(end, root.start_ns))
    found = places(tree, critical)
    phases: Counter[Phase] = Counter()
    for span_id, own in self_ns.items():
        phases[found[span_id].phase] += own
    ordered = {phase.value: phases[phase] for phase in Phase if phases[phase]}
    return Account(sum(self_ns.values()), ordered, steps_of(tree, found, critical), critical, self_ns)


def phase_of_each(spans: Sequence[SpanTime]) -> dict[str, str]:
    """The phase that each span's own time would belong to, on the critical path or not."""
    if not spans:
        return {}
    tree = Tree(root_of(spans), spans)
    return {span_id: place.phase.value for span_id, place in places(tree, list(tree.below(tree.root.span_id))).items()}


def root_of(spans: Sequence[SpanTime]) -> SpanTime:
    """The turn's own span: of type turn if there is one, without a known parent, the earliest."""
    known = {span.span_id for span in spans}
    return min(spans, key=lambda span: (span.type != "turn", span.parent_id in known, span.start_ns, span.span_id))


class Tree:
    """The spans of a turn by id and by parent, every one of them below the root."""

    def __init__(self, root: SpanTime, spans: Sequence[SpanTime]) -> None:
        self.root = root
        self.spans = {span.span_id: span for span in spans}
        self.parent: dict[str, str] = {}
        self.children: dict[str, list[SpanTime]] = defaultdict(list)
        others = [span for span in self.spans.values() if span.span_id != root.span_id]
        for span in others:
            self._hang(span, span.parent_id if span.parent_id in self.spans else None)
        self._open_rings(others)

    def _hang(self, span: SpanTime, parent_id: str | None) -> None:
        """Put a span under its parent, or under the root."""
        parent = parent_id or self.root.span_id
        self.parent[span.span_id] = parent
        self.children[parent].append(span)

    def _open_rings(self, others: Sequence[SpanTime]) -> None:
        """Spans that are each other's ancestors are not below the root: hang the earliest there."""
        below = set(self.below(self.root.span_id))
        if len(below) == len(self.spans):
            return
        for span in sorted(others, key=lambda span: (span.start_ns, span.span_id)):
            if span.span_id not in below:
                self.children[self.parent[span.span_id]].remove(span)
                self._hang(span, None)
                below.update(self.below(span.span_id))

    def below(self, span_id: str) -> Iterator[str]:
        """A span and all below it."""
        todo = [span_id]
        while todo:
            at = todo.pop()
            yield at
            todo.extend(child.span_id for child in self.children.get(at, ()))

    def tool_above(self, span_id: str) -> str | None:
        """The tool that called an agent, if one did."""
        at = self.parent.get(span_id)
        while at is not None and self.spans[at].type not in ("tool", "agent"):
            at = self.parent.get(at)
        return at if at is not None and self.spans[at].type == "tool" else None


def critical_path(tree: Tree, end_ns: int) -> tuple[dict[str, tuple[int, int]], dict[str, int]]:
    """The critical stretch of each span on the path, and its time as the deepest one.

    A span's children are visited from the last end backwards; each takes what lies between its start and the
    start of the one before it. So each span has at most one stretch, and the whole walk sorts each child once.
    """
    start = tree.root.start_ns
    critical: dict[str, tuple[int, int]] = {}
    self_ns: dict[str, int] = {}
    todo = [(tree.root, start, end_ns, start, end_ns)]
    while todo:
        span, low, high, first, last = todo.pop()
        critical[span.span_id] = (first, last)
        own = last - first
        for child, begin, end in latest_first(tree.children.get(span.span_id, ()), low, high):
            begins, ends = max(begin, first), min(end, last)
            if begins < ends:
                todo.append((child, begin, end, begins, ends))
                own -= ends - begins
                last = begins
        if own:
            self_ns[span.span_id] = own
    return critical, self_ns


def latest_first(children: Sequence[SpanTime], low: int, high: int) -> list[tuple[SpanTime, int, int]]:
    """Children with their times clipped to their parent's, in an order that does not depend on the given one."""
    clipped = [
        (child, max(child.start_ns, low), high if child.end_ns is None else min(child.end_ns, high))
        for child in children
    ]
    return sorted(clipped, key=lambda item: (-item[2], item[1], item[0].span_id))


@dataclass(frozen=True)
class Place:
    """Where a span stands: the phase of its own time, its nearest agent, whether that is the orchestrator."""

    phase: Phase
    agent: str | None = None
    orchestrating: bool = False


def places(tree: Tree, critical: Iterable[str]) -> dict[str, Place]:
    """The place of each span on the path, which lists parents before children."""
    agents = [span_id for span_id in critical if tree.spans[span_id].type == "agent"]
    delegating = {tree.tool_above(span_id) for span_id in agents}
    found: dict[str, Place] = {}
    outside = Place(Phase.FRAMEWORK)
    for span_id in critical:
        span = tree.spans[span_id]
        above = found.get(tree.parent.get(span_id, ""), outside)
        if span.type == "agent":
            outermost = above.agent is None
            above = Place(above.phase, span.label, outermost and span.label == ORCHESTRATOR)
        phase = phase_of(span, above, span_id in delegating)
        found[span_id] = Place(phase, above.agent, above.orchestrating)
    return found


def phase_of(span: SpanTime, above: Place, delegating: bool) -> Phase:
    """The phase of a span's own time; an unknown type, and all that a planner does, belongs to what is above it."""
    if above.phase is Phase.ROUTING and span.type in ("agent", "chat"):
        return Phase.ROUTING
    if span.type == "chat":
        return Phase.ORCHESTRATOR_LLM if above.orchestrating else Phase.SPECIALIST_LLM
    if delegating:
        return Phase.FRAMEWORK
    return BY_TYPE.get(span.type, above.phase)


def steps_of(tree: Tree, found: dict[str, Place], critical: dict[str, tuple[int, int]]) -> tuple[Step, ...]:
    """The model calls on the path, numbered within their phase."""
    calls = [span_id for span_id in critical if tree.spans[span_id].type == "chat"]
    numbers: Counter[Phase] = Counter()
    steps = []
    for span_id in sorted(calls, key=lambda span_id: critical[span_id]):
        place = found[span_id]
        numbers[place.phase] += 1
        start, end = critical[span_id]
        steps.append(Step(place.phase.value, numbers[place.phase], place.agent or "", span_id, end - start))
    return tuple(steps)
