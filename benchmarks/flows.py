"""The reference flow against ours at equal model speed, and what the app itself costs a turn."""

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle, islice
from statistics import median

from benchmarks import app, reference
from benchmarks.report import Figure
from benchmarks.simulated import Pace

FASTER, SOONER, OVERHEAD_MS, CACHED_MS = 3.3, 4.0, 15.0, 20.0
ROUNDS = 5
NO_WAIT = Pace(outer=(0.0, 0.0), inner=(0.0, 0.0), tool=0.0)


@dataclass(frozen=True)
class Measured:
    """Medians of a flow in seconds, and what of them is waiting for model and tool."""

    wall: float
    first_word: float
    waits: float
    waits_first: float

    @classmethod
    def of(cls, timings: Sequence[app.Timing], waits: float, waits_first: float) -> "Measured":
        walls, firsts = (t.wall for t in timings), (t.first_word for t in timings)
        return cls(median(walls), median(firsts), waits, waits_first)

    def at(self, pace: Pace, full: Pace) -> tuple[float, float]:
        """Wall and first word if model and tool took their full time."""
        factor = full.tool / pace.tool
        return (
            self.wall + self.waits * (factor - 1),
            self.first_word + self.waits_first * (factor - 1),
        )


def flows(scale: float, runs: int) -> Iterator[Figure]:
    """The reference flow and ours in turn, so that the machine's moods strike both; medians.

    Ours is measured as it is, and once more without reading ahead, where the specialist's model is asked twice.
    Starting a process takes the same time at every scale, so at a small one the reference flow looks worse than it
    is: the ratio at the models' full time stands beside the measured one.
    """
    pace = Pace().scaled(scale)
    theirs: list[app.Timing] = []
    ours: dict[bool, list[app.Timing]] = {True: [], False: []}
    for ahead in (True, False):
        with app.app(pace, ahead) as services:
            app.ask(services)
            for _ in range(runs):
                theirs.append(asyncio.run(reference.ask(services.settings, pace)))
                ours[ahead].append(app.ask(services))
    section = f"Reference flow and ours (model and tool at {scale:g} of their usual time, {runs} runs, medians)"
    them = Measured.of(theirs, pace.reference_seconds, pace.reference_first_word)
    us = Measured.of(ours[True], pace.ahead_seconds, pace.ahead_first_word)
    plain = Measured.of(ours[False], pace.direct_seconds, pace.direct_first_word)
    yield from compared(section, pace, them, us, plain)


def compared(section: str, pace: Pace, them: Measured, us: Measured, plain: Measured) -> Iterator[Figure]:
    """The three flows side by side."""
    full = [flow.at(pace, Pace()) for flow in (them, us, plain)]
    for index, (what, aim) in enumerate((("whole answer", FASTER), ("first word", SOONER))):
        theirs, ours, ours_plain = ((flow.wall, flow.first_word)[index] for flow in (them, us, plain))
        yield Figure(section, f"{what}: reference", theirs, "s")
        yield Figure(section, f"{what}: ours", ours, "s")
        yield Figure(section, f"{what}: ours, not reading ahead", ours_plain, "s")
        yield Figure(section, f"{what}: ratio", theirs / ours, "×", aim, "more")
        yield Figure(
            section, f"{what}: ratio at the models' full time", full[0][index] / full[1][index], "×", aim, "more"
        )
        yield Figure(section, f"{what}: ratio, not reading ahead", theirs / ours_plain, "×")
    yield Figure(section, "beside model and tool: reference", (them.wall - them.waits) * 1000, "ms")
    yield Figure(section, "beside model and tool: ours, telemetry on", (us.wall - us.waits) * 1000, "ms")


def overhead(turns: int) -> Iterator[Figure]:
    """A turn whose model and tool take no time: all is ours, but for what stands in Google's and in a model's place.

    In rounds, of which the calmest counts: what else a machine does makes turns slower and never quicker.
    """
    wordings = cycle(app.WORDINGS)
    with app.app(NO_WAIT) as services:
        for _ in range(5):
            app.ask(services)
        rounds = [[app.ask(services, one) for one in islice(wordings, turns // ROUNDS)] for _ in range(ROUNDS)]
    timings = [timing for group in rounds for timing in group]
    own = sorted(timing.own * 1000 for timing in timings)
    calmest = min(median(timing.own for timing in group) for group in rounds)
    section = f"Own overhead at zero model latency, telemetry on ({ROUNDS} rounds of {turns // ROUNDS} turns)"
    yield Figure(section, "median of the calmest round", calmest * 1000, "ms", OVERHEAD_MS)
    yield Figure(section, "median of all", median(own), "ms")
    yield Figure(section, "fastest", own[0], "ms")
    yield Figure(section, "95th percentile", own[int(len(own) * 0.95) - 1], "ms")
    yield Figure(section, "first word, median", median(t.first_word - t.google for t in timings) * 1000, "ms")
    yield Figure(section, "the sandbox in Google's place", median(t.google for t in timings) * 1000, "ms")
    yield Figure(section, "the simulated model in a model's place", median(t.model for t in timings) * 1000, "ms")


def remembered(scale: float, runs: int) -> Iterator[Figure]:
    """The same question twice: the second time the answer is remembered."""
    pace = Pace().scaled(scale)
    with app.app(pace, cache_entries=100) as services:
        app.ask(services, "Show my unread mail")
        pairs = [[app.ask(services, f"{app.QUESTION} {'.' * run}") for _ in range(2)] for run in range(1, runs + 1)]
    if any(again.cached == first.cached for first, again in pairs):
        raise RuntimeError("A question that was asked twice was not remembered, or one that was new was.")
    first, again = (median(timing.wall for timing in timings) for timings in zip(*pairs, strict=True))
    busy = median(again.processor for _, again in pairs)
    section = f"Asking twice (model and tool at {scale:g} of their usual time, {runs} questions, medians)"
    yield Figure(section, "the first time", first * 1000, "ms")
    yield Figure(section, "remembered", again * 1000, "ms", CACHED_MS)
    yield Figure(section, "remembered, processor time", busy * 1000, "ms", CACHED_MS)
    yield Figure(section, "ratio", first / again, "×")


def crowd(scale: float, turns: int) -> Iterator[Figure]:
    """Many turns at once, each in a conversation of its own."""
    pace = Pace().scaled(scale)
    with app.app(pace) as services:
        alone = app.ask(services).wall
        with ThreadPoolExecutor(turns) as people:
            walls = sorted(timing.wall for timing in people.map(lambda _: app.ask(services), range(turns)))
    section = f"{turns} turns at once (model and tool at {scale:g} of their usual time)"
    yield Figure(section, "one alone", alone, "s")
    yield Figure(section, "median", median(walls), "s")
    yield Figure(section, "slowest", walls[-1], "s")
    yield Figure(section, "slowest: times one alone", walls[-1] / alone, "×")
