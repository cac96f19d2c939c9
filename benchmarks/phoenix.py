"""The same spans over OTLP/HTTP into this app and into Arize Phoenix, one after the other, on this machine.

`python -m benchmarks.phoenix --install` puts Phoenix into an environment of its own in the cache folder.
"""

import logging
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

from benchmarks.process import App, resident_mb, served
from benchmarks.report import Figure
from telemetry.otlp_wire import SpanValue, request_of

VERSION = "20.26.1"
TRACES, SPANS_PER_TRACE, BATCH = 2_000, 8, 512
KILLED_TRACES = 250
COST_OF_TRACE = 3 * 0.000228
"""USD: 1,200 tokens in and 80 out, three times."""
QUESTIONS = 11
PATIENCE_SECONDS = 900
INGEST, START = 20.0, 0.25
SECOND = 10**9
HEADERS = {"Content-Type": "application/x-protobuf"}
PROJECT = "{projects{edges{node{recordCount costSummary{total{cost tokens}}}}}}"
LIST = (
    '{projects{edges{node{spans(first:50,filterCondition:"parent_id is None",sort:{col:startTime,dir:desc}){edges{node{'
    "name latencyMs statusCode cumulativeTokenCountTotal costSummary{total{cost}}}}}}}}}"
)
ABSENT = "Arize Phoenix is not installed: run python -m benchmarks.phoenix --install. It is left out."


@dataclass(frozen=True)
class Side:
    """One of the two.

    Attributes:
        served: on a folder; gives URL, process id and the seconds until it was ready.
        warm: waits until nothing of the start is left to do; gives the seconds from the start until then.
        visible: how many of the spans that were sent can be seen.
        lists, costs: asks for the 50 newest turns, and for what all have cost.
        stored: spans on the disk.
    """

    name: str
    served: Callable[[Path], AbstractContextManager[App]]
    warm: Callable[[App], float]
    visible: Callable[[str], int]
    lists: Callable[[str], object]
    costs: Callable[[str], object]
    stored: Callable[[Path], int]


@dataclass(frozen=True)
class Measured:
    """What was found of one side; processor time says more than the clock where a machine has other work to do."""

    start: float
    start_cpu: float
    warm: float
    rate: float
    cpu: float
    memory: float
    lists: float
    costs: float
    lost: int


def phoenix() -> Iterator[Figure]:
    """Both sides, and the ratios; nothing but a message where Phoenix is not installed."""
    if not executable().exists():
        print(ABSENT, file=sys.stderr)
        return
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    ours, theirs = measure(OURS), measure(PHOENIX)
    section = f"Against Arize Phoenix {VERSION} ({TRACES * SPANS_PER_TRACE:,} spans over OTLP/HTTP, {BATCH} a request)"
    for side, found in ((OURS, ours), (PHOENIX, theirs)):
        yield Figure(section, f"{side.name}: spans until visible", found.rate, "spans/s")
        yield Figure(section, f"{side.name}: processor time for 1,000 spans", found.cpu, "s")
        yield Figure(section, f"{side.name}: spans lost at kill -9 after the last answer", found.lost, "spans")
        yield Figure(section, f"{side.name}: start to serving", found.start, "s")
        yield Figure(section, f"{side.name}: processor time of that", found.start_cpu, "s")
        yield Figure(section, f"{side.name}: start to warm (the assistant is there)", found.warm, "s")
        yield Figure(section, f"{side.name}: resident after that", found.memory, "MB")
        yield Figure(section, f"{side.name}: list of 50 turns", found.lists, "ms")
        yield Figure(section, f"{side.name}: cost of all", found.costs, "ms")
    yield Figure(section, "spans/s, ours ÷ theirs", ours.rate / theirs.rate, "×", INGEST, "more")
    yield Figure(section, "processor time for spans, theirs ÷ ours", theirs.cpu / ours.cpu, "×")
    yield Figure(section, "spans lost by us", ours.lost, "spans", 0.0)
    yield Figure(section, "start, ours ÷ theirs", ours.start / theirs.start, "×", START)
    yield Figure(section, "processor time of the start, ours ÷ theirs", ours.start_cpu / theirs.start_cpu, "×")
    yield Figure(section, "memory, ours ÷ theirs", ours.memory / theirs.memory, "×")
    yield Figure(section, "list, ours ÷ theirs", ours.lists / theirs.lists, "×")
    yield Figure(section, "cost, ours ÷ theirs", ours.costs / theirs.costs, "×")


def measure(side: Side) -> Measured:
    """A first start, which sets things up; then a second one that is measured, and a third that is killed."""
    with TemporaryDirectory(prefix="glassdesk-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with side.served(folder) as first:
            side.warm(first)
        with side.served(folder) as app:
            url, pid = app.url, app.pid
            start, start_cpu, warm, bodies = app.seconds, cpu_seconds(pid), side.warm(app), requests(0, TRACES)
            used, began = cpu_seconds(pid), time.perf_counter()
            send(url, bodies)
            wait_until_visible(side, url)
            rate = TRACES * SPANS_PER_TRACE / (time.perf_counter() - began)
            cpu = (cpu_seconds(pid) - used) * 1_000 / (TRACES * SPANS_PER_TRACE)
            memory = resident_mb(pid)
            lists, costs = (milliseconds(lambda ask=ask: ask(url)) for ask in (side.lists, side.costs))
        before = side.stored(folder)
        with side.served(folder) as app:
            send(app.url, requests(TRACES, KILLED_TRACES))
            os.kill(app.pid, signal.SIGKILL)
        lost = before + KILLED_TRACES * SPANS_PER_TRACE - side.stored(folder)
    return Measured(start, start_cpu, warm, rate, cpu, memory, lists, costs, lost)


def send(url: str, bodies: Sequence[bytes]) -> None:
    """Send requests one after the other, as an exporter does; each has to be taken."""
    with httpx2.Client(timeout=120, headers=HEADERS) as client:
        for body in bodies:
            client.post(f"{url}/v1/traces", content=body).raise_for_status()


def wait_until_visible(side: Side, url: str) -> None:
    """Ask until all can be seen.

    Raises:
        RuntimeError: they cannot be seen in time.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while side.visible(url) < TRACES * SPANS_PER_TRACE:
        if time.monotonic() > deadline:
            raise RuntimeError(f"{side.name} does not show all spans.")
        time.sleep(0.1)


def milliseconds(ask: Callable[[], object]) -> float:
    """How long a question takes; the median of several, after one that warms up."""
    ask()
    found = []
    for _ in range(QUESTIONS):
        began = time.perf_counter()
        ask()
        found.append((time.perf_counter() - began) * 1000)
    return median(found)


def requests(first: int, traces: int) -> list[bytes]:
    """Requests in protobuf, plain, of traces that are numbered from `first` on and have just ended."""
    now = time.time_ns()
    spans = [span for number in range(first, first + traces) for span in trace(number, now + number * 1_000)]
    groups = [spans[start : start + BATCH] for start in range(0, len(spans), BATCH)]
    return [request_of(group).SerializeToString() for group in groups]


def trace(number: int, now: int) -> list[SpanValue]:
    """An agent with three model calls and four tool calls, as OpenInference's instrumentations record them."""
    trace_id = f"{number + 1:016x}{now:016x}"
    session = {"session.id": f"session-{number % 100}"}
    root = {"openinference.span.kind": "AGENT", "agent.name": "Planner", "input.value": "Where is it warm?", **session}
    model = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-4o-mini",
        "llm.provider": "openai",
        "llm.token_count.prompt": 1200,
        "llm.token_count.completion": 80,
        "llm.token_count.total": 1280,
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": "Where is it warm in November? " * 20,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "In Lisbon, and on Madeira. " * 10,
        **session,
    }
    tool = {
        "openinference.span.kind": "TOOL",
        "tool.name": "weather",
        "input.value": "{}",
        "output.value": "22 degrees",
    }
    kinds = [("plan", root), *[("ChatCompletion", model)] * 3, *[("weather", tool)] * 4]
    return [
        SpanValue(
            trace_id,
            f"{number * SPANS_PER_TRACE + place + 1:016x}",
            f"{number * SPANS_PER_TRACE + 1:016x}" if place else None,
            name,
            "internal",
            now - 10 * SECOND + place * SECOND,
            now - 9 * SECOND + place * SECOND if place else now,
            attributes=attributes,
            resource={"service.name": "travel-agent"},
        )
        for place, (name, attributes) in enumerate(kinds)
    ]


def our_spans(url: str) -> int:
    """Model calls that the metrics have summed up, of which each trace has three, in spans."""
    for line in httpx2.get(f"{url}/metrics", timeout=60).text.splitlines():
        if line.startswith("glassdesk_cost_usd_total{") and "gpt-4o-mini" in line:
            return round(float(line.rsplit(" ", 1)[1]) / COST_OF_TRACE) * SPANS_PER_TRACE
    return 0


def their_project(url: str) -> Any:
    """Phoenix's numbers of all that was sent."""
    answer = httpx2.post(f"{url}/graphql", json={"query": PROJECT}, timeout=60)
    return answer.json()["data"]["projects"]["edges"][0]["node"]


def get(path: str) -> Callable[[str], object]:
    """A question to this app."""
    return lambda url: httpx2.get(f"{url}{path}", timeout=60).raise_for_status()


def their_list(url: str) -> object:
    """Phoenix's list of the newest roots."""
    answer = httpx2.post(f"{url}/graphql", json={"query": LIST}, timeout=60).raise_for_status()
    assert "errors" not in answer.json(), answer.text
    return answer


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has used, as Linux counts it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def count(database: Path, table: str) -> int:
    """Rows of a table of a SQLite file that nobody has open."""
    with sqlite3.connect(database) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def environment() -> Path:
    """Where Phoenix is installed."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "glassdesk" / f"phoenix-{VERSION}"


def executable() -> Path:
    """Phoenix's command."""
    return environment() / "bin" / "phoenix"


@contextmanager
def phoenix_served(folder: Path) -> Iterator[App]:
    """Phoenix on free ports with a folder of its own, as soon as it is ready."""
    ports = free_ports(2)
    kept = {"PATH": os.environ["PATH"], "HOME": str(folder), "PHOENIX_WORKING_DIR": str(folder)}
    own = {"PHOENIX_HOST": "127.0.0.1", "PHOENIX_PORT": str(ports[0]), "PHOENIX_GRPC_PORT": str(ports[1])}
    quiet = {"PHOENIX_TELEMETRY_ENABLED": "false"}
    began = time.perf_counter()
    child = subprocess.Popen(
        [executable(), "serve"],
        cwd=folder,
        env=kept | own | quiet,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{ports[0]}"
    try:
        while not answers(f"{url}/healthz"):
            if child.poll() is not None or time.perf_counter() - began > PATIENCE_SECONDS:
                raise RuntimeError("Phoenix did not become ready.")
            time.sleep(0.02)
        yield App(url, child, began, time.perf_counter() - began)
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(60)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def answers(url: str) -> bool:
    """Whether there is somebody at a URL who says yes."""
    try:
        return httpx2.get(url, timeout=5).is_success
    except httpx2.TransportError:
        return False


def free_ports(number: int) -> list[int]:
    """Ports that nobody uses now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


OURS = Side(
    "Glassdesk",
    served,
    App.ready,
    our_spans,
    get("/api/turns?limit=50"),
    get("/metrics"),
    lambda folder: count(folder / "telemetry.db", "span WHERE attributes LIKE '%travel-agent%'"),
)
PHOENIX = Side(
    "Phoenix",
    phoenix_served,
    lambda app: float(app.seconds),
    lambda url: int(their_project(url)["recordCount"]),
    their_list,
    their_project,
    lambda folder: count(folder / "phoenix.db", "spans"),
)


def install() -> None:
    """Install Phoenix from PyPI into its own environment."""
    venv.create(environment(), with_pip=True)
    pip = [environment() / "bin" / "python", "-m", "pip", "install", "--quiet", f"arize-phoenix=={VERSION}"]
    subprocess.run(pip, check=True)


if __name__ == "__main__":
    if sys.argv[1:] != ["--install"]:
        sys.exit("usage: python -m benchmarks.phoenix --install; then python -m benchmarks --only phoenix")
    install()
