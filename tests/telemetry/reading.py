"""What the tests of telemetry read back from its database."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlmodel import select

from telemetry.setup import Telemetry
from telemetry.tables import Span

WHOLE_TABLE = re.compile(
    r"SCAN (span|payload|turn|llm_call|tool_call|turn_text|outgoing)( USING (?!INDEX \w+_(open|running)).*)?"
)


def spans_of(telemetry: Telemetry, trace_id: str) -> list[Span]:
    """All spans of a trace, in order of start."""
    with telemetry.store.reader() as session:
        query = select(Span).where(Span.trace_id == trace_id).order_by(Span.start_ns)  # type: ignore[arg-type]
        return list(session.exec(query))


def tree(telemetry: Telemetry, trace_id: str) -> Any:
    """A trace as nested (name, children); fails if a span hangs on none of the others."""
    spans = spans_of(telemetry, trace_id)
    known = {span.span_id for span in spans}
    assert [span.name for span in spans if span.parent_id not in known] == ["turn"]

    def below(span: Span) -> tuple[str, list[Any]]:
        return span.name, [below(child) for child in spans if child.parent_id == span.span_id]

    return below(next(span for span in spans if span.parent_id is None))


def until(true: Callable[[], Any], seconds: float = 20) -> None:
    """Wait until something is true; fails after a long time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.005)


@contextmanager
def scans(engine: Engine) -> Iterator[list[str]]:
    """The statements that look through a whole table instead of an index, as SQLite plans them; empty elsewhere.

    What is looked through by an index for the few rows that are open does not count.
    """
    found: list[str] = []

    def look(connection: Connection, _: Any, statement: str, parameters: Any, __: Any, many: bool) -> None:
        if statement.startswith(("SELECT", "UPDATE", "DELETE")):
            cursor = connection.connection.cursor()
            plan = cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters[0] if many else parameters)
            found.extend(f"{step[3]}: {statement}" for step in plan if WHOLE_TABLE.fullmatch(step[3]))

    if engine.dialect.name == "sqlite":
        event.listen(engine, "after_cursor_execute", look)
    yield found
    if engine.dialect.name == "sqlite":
        event.remove(engine, "after_cursor_execute", look)
