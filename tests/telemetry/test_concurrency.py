import random

import pytest

from telemetry.concurrency import Parallelism, gaps, length, own_stretches, parallelism
from telemetry.phases import SpanTime, Tree, root_of
from telemetry.tables import Span
from telemetry.waterfall import Waterfall, waterfall, what_took_the_time
from tests.telemetry.worlds import MS, NOON


def tree(*spans: tuple[str, str | None, int, int | None]) -> Tree:
    times = [SpanTime(name, parent, "turn" if parent is None else "tool", *when) for name, parent, *when in spans]
    return Tree(root_of(times), times)


def selves(*spans: tuple[str, str | None, int, int | None], end: int = 100) -> dict[str, int]:
    return {name: length(own) for name, own in own_stretches(tree(*spans), end).items()}


def test_the_self_time_of_a_span_is_what_no_child_covers() -> None:
    found = selves(("turn", None, 0, 100), ("a", "turn", 10, 40), ("b", "turn", 30, 60), ("c", "a", 15, 20))
    assert found == {"turn": 50, "a": 25, "b": 30, "c": 5}


def test_a_child_counts_only_while_its_parent_is_there() -> None:
    assert selves(("turn", None, 10, 50), ("early", "turn", 0, 20), ("late", "turn", 45, 90), end=50) == {
        "turn": 25,
        "early": 10,
        "late": 5,
    }
    assert selves(("turn", None, 10, 50), ("after", "turn", 60, 90), end=50) == {"turn": 40, "after": 0}


def test_an_open_span_lasts_until_now() -> None:
    assert selves(("turn", None, 0, None), ("a", "turn", 20, None), end=50) == {"turn": 20, "a": 30}


def test_five_at_once_are_five_and_one_after_the_other_is_one() -> None:
    assert parallelism({str(n): [(0, 10)] for n in range(5)}) == Parallelism(5, 5)
    assert parallelism({"a": [(0, 10)], "b": [(10, 20)]}) == Parallelism(1, 1)
    assert parallelism({"a": [(0, 10)], "b": [(5, 10)], "c": [(100, 105)]}) == Parallelism(20 / 15, 2)
    assert parallelism({}) == parallelism({"a": [(3, 3)]}) == Parallelism(0, 0)


@pytest.mark.parametrize("seed", range(20))
def test_self_times_and_gaps_agree_with_counting_moments(seed: int) -> None:
    draw = random.Random(seed)
    taken = sorted((start, start + draw.randrange(15)) for start in (draw.randrange(-5, 60) for _ in range(6)))
    covered = {moment for start, end in taken for moment in range(start, end)}
    assert length(gaps(taken, 0, 50)) == len(set(range(50)) - covered)
    work = {str(number): [stretch] for number, stretch in enumerate(taken)}
    at_once = [sum(start <= moment < end for start, end in taken) for moment in range(-5, 80)]
    busy = sum(number > 0 for number in at_once)
    assert parallelism(work) == Parallelism(sum(at_once) / busy if busy else 0, max(at_once))


def spread(number: int) -> Waterfall:
    """A turn that calls a tool several times at once."""

    def span(name: str, parent: str | None, kind: str, start: int, end: int) -> Span:
        when = {"start_ns": NOON + start * MS, "end_ns": NOON + end * MS}
        return Span(
            span_id=name, trace_id="t", parent_id=parent, name=name, type=kind, kind="internal", status="ok", **when
        )

    tools = [span(f"tool-{at}", "agent", "tool", 10, 90 - at) for at in range(number)]
    return waterfall([span("turn", None, "turn", 0, 100), span("agent", "turn", "agent", 5, 95), *tools])


def test_the_sentence_says_how_many_things_ran_at_once_where_several_did() -> None:
    assert "things ran at once, at most 5." in what_took_the_time(spread(5))
    assert "at once" not in what_took_the_time(spread(1))
    assert spread(5).parallel == Parallelism((80 + 79 + 78 + 77 + 76) / 80, 5)
    rows = {row.span_id: row for row in spread(2).rows}
    assert (rows["agent"].self_ns, rows["tool-1"].self_ns, rows["tool-1"].own_ns) == (10 * MS, 79 * MS, 0)
