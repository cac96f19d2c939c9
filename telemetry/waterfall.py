"""The rows of a turn's waterfall: one a span, in the order of the tree, and what they say in a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from telemetry import attributes
from telemetry.concurrency import Parallelism, length, own_stretches, parallelism
from telemetry.formats import counted, duration, percent, phase
from telemetry.phases import Account, Phase, SpanTime, Tree, account, phase_of_each, root_of
from telemetry.tables import Span

CONTAINERS = ("turn", "agent")
WITH_ARTICLE = (Phase.ORCHESTRATOR_LLM, Phase.SPECIALIST_LLM, Phase.TOOL, Phase.MCP_SETUP)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True)
class Row:
    """One span. Nanoseconds; `start_ns` counts from the turn's start.

    `container` holds other work and does little itself; `critical` is on the critical path; `own_ns` is the part of
    the turn's time that belongs to this span alone; `self_ns` is the time in which nothing below it ran, whether or not
    the turn waited for it.
    """

    span_id: str
    name: str
    type: str
    depth: int
    phase: str
    container: bool
    start_ns: int
    ns: int
    own_ns: int
    self_ns: int
    critical: bool
    open: bool
    failed: bool


@dataclass(frozen=True)
class Waterfall:
    """A turn drawn out."""

    account: Account
    rows: tuple[Row, ...]
    parallel: Parallelism


def waterfall(spans: Sequence[Span], until_ns: int | None = None) -> Waterfall:
    """Draw a turn out.

    Args:
        spans: All of one turn, at least its own.
        until_ns: Now, if it is running.
    """
    times = [time_of(span) for span in spans]
    result = account(times, until_ns)
    phases = phase_of_each(times)
    tree = Tree(root_of(times), times)
    by_id = {span.span_id: span for span in spans}
    start = tree.root.start_ns
    alone = own_stretches(tree, start + result.wall_ns)
    rows = []
    for span_id, depth in walk(tree):
        span = by_id[span_id]
        end = start + result.wall_ns if span.end_ns is None else span.end_ns
        row = Row(
            span_id=span_id,
            name=name_of(span),
            type=span.type,
            depth=depth,
            phase=phases[span_id],
            container=span.type in CONTAINERS or phases[span_id] == Phase.FRAMEWORK,
            start_ns=span.start_ns - start,
            ns=max(0, end - span.start_ns),
            own_ns=result.self_ns.get(span_id, 0),
            self_ns=length(alone[span_id]),
            critical=span_id in result.critical,
            open=span.status == "running",
            failed=span.status in ("error", "interrupted"),
        )
        rows.append(row)
    work = {row.span_id: alone[row.span_id] for row in rows if not row.container and row.type != "approval"}
    return Waterfall(result, tuple(rows), parallelism(work))


def time_of(span: Span) -> SpanTime:
    """What the time account needs of a stored span."""
    label = attributes.read(span.attributes, attributes.AGENT_NAME) or span.name.removeprefix("invoke_agent ")
    return SpanTime(span.span_id, span.parent_id, span.type, span.start_ns, span.end_ns, str(label))


def name_of(span: Span) -> str:
    """A span's name without the words that its colour says already."""
    if span.type == "chat":
        return f"chat {span.name.removeprefix('chat ').rpartition('/')[2]}"
    if span.type == "google":
        return ".".join(span.name.split(".")[-2:])
    if span.type in ("mcp_client", "mcp_server"):
        return {"mcp_client": "MCP", "mcp_server": "server"}[span.type]
    if span.type == "approval":
        return "waiting for you"
    return span.name.removeprefix("execute_tool ").removeprefix("invoke_agent ")


def walk(tree: Tree) -> list[tuple[str, int]]:
    """The spans from the top down, siblings in order of start, each with its depth."""
    found = []
    todo = [(tree.root, 0)]
    while todo:
        span, depth = todo.pop()
        found.append((span.span_id, depth))
        children = sorted(tree.children.get(span.span_id, ()), key=lambda child: (child.start_ns, child.span_id))
        todo.extend((child, depth + 1) for child in reversed(children))
    return found


def what_took_the_time(drawn: Waterfall) -> str:
    """One sentence, or two, about where a turn's time went."""
    result = drawn.account
    latency = {name: ns for name, ns in result.phases.items() if name != Phase.APPROVAL_WAIT}
    if not latency:
        return "Nothing took any time yet."
    name, ns = max(latency.items(), key=lambda item: item[1])
    share = percent(ns / sum(latency.values()))
    sentences = [
        f"{subject(name)} took {duration(ns)} of {duration(sum(latency.values()))} ({share}){calls(result, name)}."
    ]
    wait = result.phases.get(Phase.APPROVAL_WAIT)
    if wait:
        sentences.append(f"Another {duration(wait)} it waited for you, which is not counted as latency.")
    aside = [row.name for row in drawn.rows if row.type == "agent" and not row.critical]
    if aside:
        sentences.append(f"{' and '.join(aside)} ran at the same time and added no time.")
    if drawn.parallel.tells:
        sentences.append(f"On average {drawn.parallel.average:.1f} things ran at once, at most {drawn.parallel.most}.")
    return " ".join(sentences)


def subject(name: str) -> str:
    """A phase as the subject of a sentence."""
    return f"The {phase(name).lower()}" if name in WITH_ARTICLE else phase(name)


def calls(result: Account, name: str) -> str:
    """Of a model's phase: how many calls, and the longest."""
    steps = [step for step in result.steps if step.phase == name]
    if len(steps) < 2:
        return ""
    longest = max(steps, key=lambda step: step.ns)
    which = ORDINALS[longest.number - 1] if longest.number <= len(ORDINALS) else f"{longest.number}th"
    return f" in {counted(len(steps), 'call')}, most of it the {which} ({duration(longest.ns)})"


def now_in(drawn: Waterfall) -> str:
    """What a running turn is doing: the innermost open span that started last."""
    running = [row for row in drawn.rows if row.open]
    return max(running, key=lambda row: (row.depth, row.start_ns)).name if running else ""
