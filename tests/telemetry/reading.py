"""What the tests of telemetry read back from its database."""

import time
from collections.abc import Callable
from typing import Any

from sqlmodel import select

from telemetry.setup import Telemetry
from telemetry.tables import Span


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
