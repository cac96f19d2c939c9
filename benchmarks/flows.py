"""The reference flow against ours at equal model speed, and what the app itself costs a turn."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from benchmarks import app, reference
from benchmarks.report import Figure
from benchmarks.simulated import Pace

FASTER, SOONER, OVERHEAD_MS = 3.3, 4.0, 15.0
NO_WAIT = Pace(outer=(0.0, 0.0), inner=(0.0, 0.0), tool=0.0)


def flows(scale: float, runs: int) -> Iterator[Figure]:
    """Both flows in turn, so that the machine's moods strike both; medians.

    Starting a process takes the same time at every scale, so at a small one the reference flow looks worse than it
    is: the ratio at the models' full time stands beside the measured one.
    """
    pace = Pace().scaled(scale)
    theirs, ours = [], []
    with app.app(pace) as services:
        app.ask(services)
        for _ in range(runs):
            theirs.append(asyncio.run(reference.ask(services.settings, pace)))
            ours.append(app.ask(services))
    section = f"Reference flow and ours (model and tool at {scale:g} of their usual time, {runs} runs, medians)"
    wall = median(t.wall for t in theirs), median(t.wall for t in ours)
    own = wall[0] - pace.reference_seconds, wall[1] - pace.direct_seconds
    full = Pace().reference_seconds + own[0], Pace().direct_seconds + own[1]
    yield from pair(section, "whole answer", wall, full, FASTER)
    first = median(t.first_word for t in theirs), median(t.first_word for t in ours)
    waits = pace.reference_first_word, pace.direct_first_word
    full = (
        Pace().reference_first_word + first[0] - waits[0],
        Pace().direct_first_word + first[1] - waits[1],
    )
    yield from pair(section, "first word", first, full, SOONER)
    yield Figure(section, "beside model and tool: reference", own[0] * 1000, "ms")
    yield Figure(section, "beside model and tool: ours, telemetry on", own[1] * 1000, "ms")


def pair(
    section: str, what: str, measured: tuple[float, float], full: tuple[float, float], aim: float
) -> Iterator[Figure]:
    """A comparison: as measured, and at the models' full time."""
    yield Figure(section, f"{what}: reference", measured[0], "s")
    yield Figure(section, f"{what}: ours", measured[1], "s")
    yield Figure(section, f"{what}: ratio", measured[0] / measured[1], "×", aim, "more")
    yield Figure(section, f"{what}: ratio at the models' full time", full[0] / full[1], "×")


def overhead(turns: int) -> Iterator[Figure]:
    """A turn whose model and tool take no time: all of it is ours, but for the sandbox's answers in Google's place."""
    with app.app(NO_WAIT) as services:
        for _ in range(5):
            app.ask(services)
        timings = [app.ask(services) for _ in range(turns)]
    own = sorted((timing.wall - timing.google) * 1000 for timing in timings)
    section = f"Own overhead at zero model latency, telemetry on ({turns} turns)"
    yield Figure(section, "median", median(own), "ms", OVERHEAD_MS)
    yield Figure(section, "fastest", own[0], "ms")
    yield Figure(section, "95th percentile", own[int(len(own) * 0.95) - 1], "ms")
    yield Figure(section, "first word, median", median(t.first_word - t.google for t in timings) * 1000, "ms")
    yield Figure(section, "the sandbox in Google's place", median(t.google for t in timings) * 1000, "ms")


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
