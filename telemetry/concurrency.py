"""How much of a turn ran at once: each span's time without that of what is below it, laid side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from telemetry.phases import SpanTime, Tree

Stretches = list[tuple[int, int]]
TELLING: Final = 1.05
"""Things at once, on average, under which a turn did one thing after the other."""


@dataclass(frozen=True)
class Parallelism:
    """How many things ran at once while anything did: on average, and at most; 0 where nothing ran."""

    average: float
    most: int

    @property
    def tells(self) -> bool:
        """Whether it is worth a word."""
        return self.most > 1 and self.average >= TELLING


def own_stretches(tree: Tree, end_ns: int) -> dict[str, Stretches]:
    """The stretches of each span in which none of its children ran; children are clipped to their parents.

    Args:
        end_ns: Where the turn ends, for spans that are open.
    """
    found: dict[str, Stretches] = {}
    todo = [(tree.root, tree.root.start_ns, max(end_ns, tree.root.start_ns))]
    while todo:
        span, start, end = todo.pop()
        children = [
            (child, *clipped(child, start, end))
            for child in sorted(tree.children.get(span.span_id, ()), key=lambda child: child.start_ns)
        ]
        found[span.span_id] = gaps([(begin, until) for _, begin, until in children], start, end)
        todo.extend(children)
    return found


def clipped(span: SpanTime, start: int, end: int) -> tuple[int, int]:
    """A span's time within its parent's."""
    begin = min(max(span.start_ns, start), end)
    until = end if span.end_ns is None else min(span.end_ns, end)
    return begin, max(begin, until)


def gaps(taken: Sequence[tuple[int, int]], start: int, end: int) -> Stretches:
    """What is left of a stretch; `taken` is in order of start."""
    found, at = [], start
    for begin, until in taken:
        if min(begin, end) > at:
            found.append((at, min(begin, end)))
        at = max(at, until)
    return [*found, (at, end)] if at < end else found


def length(stretches: Iterable[tuple[int, int]]) -> int:
    """Nanoseconds in all."""
    return sum(end - start for start, end in stretches)


def parallelism(work: Mapping[str, Stretches]) -> Parallelism:
    """How the stretches of several spans lie side by side."""
    changes = sorted(
        change
        for stretches in work.values()
        for start, end in stretches
        if start < end
        for change in ((start, 1), (end, -1))  # at one moment, what ends comes before what begins
    )
    busy = now = most = at = 0
    for moment, change in changes:
        busy += moment - at if now else 0
        now, at = now + change, moment
        most = max(most, now)
    total = sum(length(stretches) for stretches in work.values())
    return Parallelism(total / busy if busy else 0.0, most)
