"""How fast spans get into the store, and what recording one costs its caller."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Tracer

from benchmarks.report import Figure
from core.memory import settle
from telemetry.setup import Telemetry

SPANS_PER_SECOND, CALLER_MS = 10_000.0, 0.1
THREADS = 4
BATCH, BATCHES = 1_000, 7
MESSAGES = json.dumps([{"role": "user", "content": "Show my unread emails. " * 20}])
CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "simulated",
    "gen_ai.request.model": "simulated-1",
    "gen_ai.usage.input_tokens": 1_200,
    "gen_ai.usage.output_tokens": 80,
    "gen_ai.input.messages": MESSAGES,
}
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search_gmail_messages"}
GOOGLE = {"http.request.method": "GET", "http.response.status_code": 200, "http.response.body.size": 2_400}
SPANS_PER_TURN = 9


def spans(count: int) -> Iterator[Figure]:
    """Turns from several threads until all are stored; then the caller's part alone."""
    with TemporaryDirectory(prefix="glassdesk-bench-") as folder:
        telemetry = Telemetry(f"sqlite:///{Path(folder) / 'telemetry.db'}")
        tracer = telemetry.tracer_provider.get_tracer("bench")
        settle()  # as the app does at the end of its start
        turns = count // SPANS_PER_TURN
        started = time.perf_counter()
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda number: turn(tracer, number), range(turns)))
        telemetry.flush(300)
        rate = turns * SPANS_PER_TURN / (time.perf_counter() - started)
        with_writer = per_span(tracer, telemetry.flush)
        telemetry.shutdown()
    without = per_span(TracerProvider().get_tracer("bench"), lambda: None)
    section = f"Telemetry store ({turns * SPANS_PER_TURN:,} spans of {turns:,} turns from {THREADS} threads)"
    yield Figure(section, "spans into the store", rate, "spans/s", SPANS_PER_SECOND, "more")
    yield Figure(section, "a span with nobody listening", without, "ms")
    yield Figure(section, "the writer's cost on the caller, a span", with_writer - without, "ms", CALLER_MS)


def turn(tracer: Tracer, number: int) -> None:
    """The span tree of a turn with one tool call."""
    root = {
        "glassdesk.user.id": "local",
        "gen_ai.conversation.id": f"conversation-{number % 100}",
        "glassdesk.question": "Show my unread emails",
        "glassdesk.status": "done",
        "glassdesk.route": "direct",
        "glassdesk.agents": ["Gmail"],
    }
    with tracer.start_as_current_span("turn", attributes=root):
        with tracer.start_as_current_span("route"):
            pass
        with tracer.start_as_current_span("invoke_agent Gmail", attributes={"gen_ai.agent.name": "Gmail"}):
            with tracer.start_as_current_span("chat simulated-1", attributes=CHAT):
                pass
            with (
                tracer.start_as_current_span("execute_tool search_gmail_messages", attributes=TOOL),
                tracer.start_as_current_span("tools/call search_gmail_messages"),
                tracer.start_as_current_span("gmail.users.messages.list", attributes=GOOGLE),
            ):
                pass
            with tracer.start_as_current_span("chat simulated-1", attributes=CHAT):
                pass
        with tracer.start_as_current_span("persist"):
            pass


def per_span(tracer: Tracer, settle: Callable[[], object]) -> float:
    """Milliseconds that one span takes its caller; median of batches, each begun with an empty queue."""
    found = []
    for _ in range(BATCHES):
        settle()
        started = time.perf_counter()
        for _ in range(BATCH):
            tracer.start_span("gmail.users.messages.list", attributes=GOOGLE).end()
        found.append((time.perf_counter() - started) * 1000 / BATCH)
    settle()
    return median(found)
