"""A turn's own spans: its root, and the wait for a person; both can be taken up again in a later process."""

import secrets
import time
from collections.abc import Mapping

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, Status, StatusCode

from core.runtime.narrator import Narrator

REOPEN = "glassdesk.reopen"
"""Context key: the (trace id, span id) that the next span gets instead of new ones."""
Ids = tuple[int, int]
tracer = trace.get_tracer("glassdesk")


def open_turn(user_id: str, conversation_id: str, question: str, start_ns: int, again: Ids | None = None) -> Span:
    """The root span of a turn; its trace id is the turn's id.

    Args:
        start_ns: Unix nanoseconds.
        again: the ids of a root that an earlier process opened; this one takes its place.
    """
    attributes = {
        "glassdesk.user.id": user_id,
        "gen_ai.conversation.id": conversation_id,
        "glassdesk.question": question,
    }
    return opened("turn", Context(), start_ns, attributes, again)


def open_wait(root: Span, start_ns: int, again: Ids | None = None) -> Span:
    """The span of a turn in which a person is deciding."""
    return opened("approval.wait", trace.set_span_in_context(root, Context()), start_ns, {}, again)


def note_feedback(user_id: str, conversation_id: str, turn_id: str, thumb: str, note: str) -> None:
    """A moment in the trace of a turn that has ended: what the person thought of it."""
    now = time.time_ns()
    attributes = {
        "glassdesk.user.id": user_id,
        "gen_ai.conversation.id": conversation_id,
        "glassdesk.feedback": thumb,
        "glassdesk.feedback.note": note,
    }
    ids = (int(turn_id, 16), secrets.randbits(63) + 1)
    opened("feedback", Context(), now, attributes, ids).end(now)


def opened(name: str, parent: Context, start_ns: int, attributes: Mapping[str, str], again: Ids | None) -> Span:
    """A span, under ids that are known where it is opened again."""
    token = context.attach(context.set_value(REOPEN, again, parent))
    try:
        return tracer.start_span(name, start_time=start_ns, attributes=attributes)
    finally:
        context.detach(token)


def ids_of(span: Span) -> Ids:
    """Trace id and span id."""
    known = span.get_span_context()
    return known.trace_id, known.span_id


def end_turn(root: Span, status: str, error: str | None, narrator: Narrator | None = None) -> None:
    """End a turn's root with what the narrator knows."""
    root.set_attribute("glassdesk.status", status)
    if narrator is not None:
        root.set_attribute("glassdesk.agents", narrator.agents)
        root.set_attribute("glassdesk.prompts", narrator.prompts)
        if narrator.first_token_ns is not None:
            root.set_attribute("glassdesk.first_token_ns", narrator.first_token_ns)
    if error:
        root.set_attribute("glassdesk.error", error)
        root.set_status(Status(StatusCode.ERROR, error))
    root.end()
