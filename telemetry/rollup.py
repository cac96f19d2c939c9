"""The roll-ups, kept up to date in the transaction that stores a turn's spans.

`python -m telemetry.rollup DATABASE_URL` rebuilds all of them from the spans.
"""

import logging
import sys
from collections.abc import Callable, Iterable, Sequence, Set

from sqlalchemy import Connection, and_, bindparam, delete, select, union, update

from telemetry.store import Store
from telemetry.tables import LlmCall, Span, ToolCall, Turn
from telemetry.turns import Row, is_root, roll_up, root_alone, running_turn
from telemetry.upsert import table_of, upsert

log = logging.getLogger(__name__)

SPAN, TURN = table_of(Span), table_of(Turn)
SPANS_OF = select(SPAN).where(SPAN.c.trace_id == bindparam("turn"))
OLD_CALLS = tuple(
    (model, delete(table_of(model)).where(table_of(model).c.turn_id == bindparam("turn")))
    for model in (LlmCall, ToolCall)
)
FINISHED = select(TURN.c.turn_id).where(
    TURN.c.turn_id.in_(bindparam("turns", expanding=True)), TURN.c.status != "running"
)


def refresh(connection: Connection, rows: Sequence[Row], open_turns: Set[str]) -> set[str]:
    """Bring the roll-ups up to date with spans that were just stored, in the same transaction.

    Args:
        rows: The stored spans.
        open_turns: Turns whose root has started in this process and not ended.

    Returns:
        The turns that are open now.
    """
    roots = [row for row in rows if is_root(row)]
    started = [row for row in roots if row["status"] == "running"]
    ended = {str(row["trace_id"]) for row in roots if row["status"] != "running"}
    upsert(connection, Turn, [running_turn(row) for row in started])
    still_open = {*open_turns, *(str(row["trace_id"]) for row in started)} - ended
    others = {row["trace_id"] for row in rows} - still_open - ended
    for turn_id in sorted(ended | finished(connection, others)):
        store_turn(connection, turn_id)
    return still_open


def finished(connection: Connection, turn_ids: Iterable[str]) -> set[str]:
    """Those of the traces that are finished turns: spans of theirs came late, or from another process."""
    wanted = sorted(turn_ids)
    found: set[str] = set()
    for start in range(0, len(wanted), 500):
        found.update(connection.scalars(FINISHED, {"turns": wanted[start : start + 500]}))
    return found


def store_turn(connection: Connection, turn_id: str) -> None:
    """Compute a turn's roll-up from its stored spans and replace what was there; a failure never costs a span."""
    rows: list[Row] = [dict(row) for row in connection.execute(SPANS_OF, {"turn": turn_id}).mappings()]
    try:
        computed = roll_up(rows)
    except Exception:
        log.exception("The roll-up of turn %s could not be computed; only its root is counted.", turn_id)
        computed = root_alone(rows)
    if computed is None:
        return
    for (model, clear), calls in zip(OLD_CALLS, (computed.llm_calls, computed.tool_calls), strict=True):
        connection.execute(clear, {"turn": turn_id})
        upsert(connection, model, calls)
    upsert(connection, Turn, [computed.turn])
    if any(row["user_id"] is None for row in rows):
        whose = {"user_id": computed.turn["user_id"], "conversation_id": computed.turn["conversation_id"]}
        connection.execute(update(SPAN).where(SPAN.c.trace_id == turn_id, SPAN.c.user_id.is_(None)).values(whose))


def mark_interrupted(store: Store) -> int:
    """Mark what a process that is gone left running: its spans, and its turns with what is known of them.

    Returns:
        The number of turns.
    """
    with store.write() as connection:
        left = and_(SPAN.c.end_ns.is_(None), SPAN.c.status == "running")
        roots = select(SPAN.c.trace_id).where(left, SPAN.c.type == "turn", SPAN.c.parent_id.is_(None))
        turn_ids = list(connection.scalars(roots))
        connection.execute(update(SPAN).where(left).values(status="interrupted"))
        for turn_id in turn_ids:
            store_turn(connection, turn_id)
    return len(turn_ids)


def rebuild(store: Store, user_id: str | None = None, said: Callable[[int, int], None] | None = None) -> int:
    """Compute the roll-ups again from the spans, a turn a transaction, so that others can write in between.

    Args:
        user_id: Only this user's turns that have ended; by default all there are.
        said: Told after each turn how many are done, and of how many.

    Returns:
        The number of turns.
    """
    ours = select(SPAN.c.trace_id).where(SPAN.c.type == "turn", SPAN.c.parent_id.is_(None))
    roots = union(ours, select(TURN.c.turn_id).where(TURN.c.service.is_not(None)))
    ended = select(TURN.c.turn_id).where(TURN.c.user_id == user_id, TURN.c.status != "running")
    with store.reader() as session:
        turn_ids = list(session.connection().scalars(roots if user_id is None else ended))
    for done, turn_id in enumerate(turn_ids, 1):
        with store.write() as connection:
            store_turn(connection, turn_id)
        if said is not None:
            said(done, len(turn_ids))
    return len(turn_ids)


def show(done: int, total: int) -> None:
    """The progress on the terminal, every hundred turns."""
    if done % 100 == 0 or done == total:
        sys.stderr.write(f"\r{done:,} of {total:,} turns{chr(10) if done == total else ''}")


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m telemetry.rollup DATABASE_URL\n")
        return 2
    store = Store(arguments[0])
    sys.stdout.write(f"{rebuild(store, said=show)} turns\n")
    store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
