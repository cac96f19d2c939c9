"""The whole app on a world of its own, with a simulated model behind it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.simulated import NAME, Pace, Simulated
from core.agents.steady import Steady
from core.agents.text_calls import TextCalls
from core.agents.timed import Timed
from core.bootstrap import Services, build
from core.memory import settle
from core.runtime.events import EventType
from core.sandbox.faults import Fault, Kind
from core.settings import Settings
from core.users import local_user

QUESTION = "Show my unread emails"
WORDINGS = [
    f"{show} {my} unread {mails}{end}"
    for show in ("Show", "show", "Show me")
    for my in ("my", "all my")
    for mails in ("emails", "mail", "messages")
    for end in ("", ".")
]
"""The question in more words than the app remembers the meaning of, so that each turn works it out."""
SEARCH_REQUEST = r"GET /gmail/v1/users/[^/]+/messages$"


@dataclass(frozen=True)
class Timing:
    """Seconds of one turn.

    Attributes:
        google: what the sandbox took in Google's place.
        model: what the simulated model took to make its answers up, where one turn runs at a time.
        processor: of the whole process meanwhile, so that a busy machine does not matter.
    """

    wall: float
    first_word: float
    google: float = 0.0
    model: float = 0.0
    cached: bool = False
    processor: float = 0.0

    @property
    def own(self) -> float:
        """What of the wall time is the app's."""
        return self.wall - self.google - self.model


@contextmanager
def app(pace: Pace, read_ahead: bool = True, cache_entries: int = 0) -> Iterator[Services]:
    """The services on a fresh sandbox, wrapped around a simulated model as around a real one."""
    with (
        TemporaryDirectory(prefix="glassdesk-bench-") as folder,
        patch(
            "core.bootstrap.build_model",
            lambda settings, *, current_span: Steady(TextCalls(Timed(Simulated(pace), current_span)), "simulated"),
        ),
    ):
        settings = Settings(
            _env_file=None,
            model=NAME,
            data_dir=Path(folder),
            zone="Europe/Berlin",
            cache_entries=cache_entries,
            read_ahead=read_ahead,
        )
        services = build(settings)
        settle()
        try:
            if pace.tool:
                services.sandbox.faults.add(Fault(SEARCH_REQUEST, Kind.LATENCY, seconds=pace.tool))
            yield services
        finally:
            services.close()


def ask(services: Services, question: str = QUESTION) -> Timing:
    """Ask, and wait for the whole answer as a page does."""
    started, busy, worked = time.perf_counter(), time.process_time(), Simulated.worked
    turn = services.runtime.start(local_user(services.settings), question)
    first = 0.0
    for event in turn.log.read():
        if event is not None and event.type is EventType.DELTA and not first:
            first = time.perf_counter() - started
    wall, busy = time.perf_counter() - started, time.process_time() - busy
    finished = turn.wait(0)
    if finished["status"] != "done":
        raise RuntimeError(f"A turn of the benchmark failed: {finished['error']}")
    google = sum(phase["ns"] for phase in finished["phases"] if phase["phase"] == "google_api")
    return Timing(wall, first, google / 1e9, Simulated.worked - worked, finished["cached"], busy)
