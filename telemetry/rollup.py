"""The roll-ups, kept up to date in the transaction that stores a turn's spans.

`python -m telemetry.rollup DATABASE_URL` rebuilds all of them from the spans.
"""

import logging
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from sqlalchemy import Connection, and_, bindparam, delete, select, true, union, update

from telemetry import hourly
from telemetry.hourly import Ledger
from telemetry.own_prices import own_prices
from telemetry.pricing import Override
from telemetry.selection import EVERYBODY
from telemetry.store import Store
from telemetry.tables import LlmCall, Span, ToolCall, Turn
from telemetry.textindex import index_turns
from telemetry.turns import RollUp, Row, roll_up, root_alone, running_turn
from telemetry.upsert import table_of, upsert

log = logging.getLogger(__name__)

SPAN, TURN = table_of(Span), table_of(Turn)
SPANS_OF = select(SPAN).where(SPAN.c.trace_id == bindparam("turn"))
CLEAR = tuple(
    delete(table).where(table.c.turn_id.in_(bindparam("turns", expanding=True)))
    for table in (table_of(LlmCall), table_of(ToolCall))
)
OWNERS = {"turn": "turn_id", "user": "user_id", "conversation": "conversation_id"}
OWN = (
    update(SPAN)
    .where(SPAN.c.trace_id == bindparam("turn"), SPAN.c.user_id.is_(None))
    .values(user_id=bindparam("user"), conversation_id=bindparam("conversation"))
)
RUNNING = TURN.c.status == "running"
Living = Callable[[Collection[str]], set[str]]
A_FEW = 50
"""Turns that are rolled up again in one transaction."""
AT_ONCE = 500
"""Turns that one statement names at most."""
FINISHED = select(TURN.c.turn_id).where(
    TURN.c.turn_id.in_(bindparam("turns", expanding=True)), TURN.c.status != "running"
)


def nobody(_: Collection[str]) -> set[str]:
    """No process but this one uses the database."""
    return set()


def store_running(
    connection: Connection, roots: Sequence[Row], process: str = "", new: Collection[str] = frozenset()
) -> None:
    """List turns that have just started, without calls; what an earlier process knew of one goes with its end.

    Args:
        new: As of `store_turns`.
    """
    ledger = Ledger()
    retire(connection, ledger, [root["trace_id"] for root in roots if root["trace_id"] not in new])
    upsert(connection, Turn, [running_turn(root) | {"process": process} for root in roots])
    ledger.book(connection)


def finished(connection: Connection, turn_ids: Iterable[str]) -> list[str]:
    """Those of the traces that are finished turns: spans of theirs came late, or from another process."""
    wanted = sorted(turn_ids)
    found: list[str] = []
    for start in range(0, len(wanted), AT_ONCE):
        found += connection.scalars(FINISHED, {"turns": wanted[start : start + AT_ONCE]})
    return found


def store_turn(connection: Connection, turn_id: str) -> None:
    """Compute a turn's roll-up from its stored spans and replace what was there."""
    store_turns(connection, {turn_id: None})


def store_turns(
    connection: Connection, turns: Mapping[str, Sequence[Row] | None], new: Collection[str] = frozenset()
) -> None:
    """Compute the roll-ups of turns and replace what was there; a failure never costs a span.

    Whatever else hangs on the end of a turn is stored from here, in the same transaction.

    Args:
        turns: The spans of each turn as they are stored; None where they must be read.
        new: Turns of which no end was ever stored, so that there is nothing to look for and to take back.
    """
    spans = {turn_id: spans_of(connection, turn_id) if rows is None else rows for turn_id, rows in turns.items()}
    own = own_prices(connection) if turns else ()
    computed = [one for turn_id, rows in spans.items() if (one := computed_of(turn_id, rows, own)) is not None]
    ledger = Ledger()
    retire(connection, ledger, [one.turn["turn_id"] for one in computed if one.turn["turn_id"] not in new])
    for one in computed:
        ledger.add(one.turn, one.llm_calls, one.tool_calls)
    upsert(connection, LlmCall, [call for one in computed for call in one.llm_calls])
    upsert(connection, ToolCall, [call for one in computed for call in one.tool_calls])
    upsert(connection, Turn, [one.turn | {"process": None} for one in computed])
    ledger.book(connection)
    index_turns(connection, [(one.turn, spans[one.turn["turn_id"]]) for one in computed], new)
    for one in computed:
        if any(row["user_id"] is None for row in spans[one.turn["turn_id"]]):
            connection.execute(OWN, {key: one.turn[column] for key, column in OWNERS.items()})


def spans_of(connection: Connection, turn_id: str) -> list[Row]:
    """The stored spans of a turn."""
    return [dict(row) for row in connection.execute(SPANS_OF, {"turn": turn_id}).mappings()]


def computed_of(turn_id: str, rows: Sequence[Row], own: Sequence[Override]) -> RollUp | None:
    """The roll-up of a trace, of its root alone if it cannot be computed; None if it is no turn.

    Args:
        own: Prices that were set on the page.
    """
    try:
        return roll_up(rows, own)
    except Exception:
        log.exception("The roll-up of turn %s could not be computed; only its root is counted.", turn_id)
        return root_alone(rows)


def retire(connection: Connection, ledger: Ledger, turn_ids: Sequence[str]) -> None:
    """Take back what was rolled up before of turns; of most that is nothing."""
    known = finished(connection, turn_ids)
    if not known:
        return
    for turn, llm_calls, tool_calls in hourly.rows_of(connection, known):
        ledger.add(turn, llm_calls, tool_calls, sign=-1)
    for clear in CLEAR:
        for start in range(0, len(known), AT_ONCE):
            connection.execute(clear, {"turns": known[start : start + AT_ONCE]})


def mark_interrupted(store: Store, living: Living = nobody) -> int:
    """Mark what a process that is gone left running: its spans, and its turns with what is known of them.

    Args:
        living: those of some processes that are still at work, and whose turns go on.

    Returns:
        The number of turns.
    """
    with store.write() as connection:
        processes = connection.scalars(select(TURN.c.process).where(RUNNING).distinct())
        at_work = sorted(living([one for one in processes if one]))
        go_on = select(TURN.c.turn_id).where(RUNNING, TURN.c.process.in_(at_work))
        left = and_(SPAN.c.end_ns.is_(None), SPAN.c.status == "running", SPAN.c.trace_id.not_in(go_on))
        roots = select(SPAN.c.trace_id).where(left, SPAN.c.type == "turn", SPAN.c.parent_id.is_(None))
        turn_ids = list(connection.scalars(roots))
        connection.execute(update(SPAN).where(left).values(status="interrupted"))
        store_turns(connection, dict.fromkeys(turn_ids))
    return len(turn_ids)


def rebuild(store: Store, user_id: str | None = None, said: Callable[[int, int], None] | None = None) -> int:
    """Compute the roll-ups again from the spans, some turns a transaction, so that others can write in between.

    Of all turns, the hourly sums are made anew too; what they hold of spans that are deleted stays.

    Args:
        user_id: Only this user's turns that have ended, or all (`*`) that have; by default all there are.
        said: Told now and then how many are done, and of how many.

    Returns:
        The number of turns.
    """
    ours = select(SPAN.c.trace_id).where(SPAN.c.type == "turn", SPAN.c.parent_id.is_(None))
    roots = union(ours, select(TURN.c.turn_id).where(TURN.c.service.is_not(None)))
    mine = true() if user_id == EVERYBODY else TURN.c.user_id == user_id
    ended = select(TURN.c.turn_id).where(mine, TURN.c.status != "running")
    with store.reader() as session:
        turn_ids = list(session.connection().scalars(roots if user_id is None else ended))
    for start in range(0, len(turn_ids), A_FEW):
        chosen = turn_ids[start : start + A_FEW]
        with store.write() as connection:
            store_turns(connection, dict.fromkeys(chosen))
        if said is not None:
            said(start + len(chosen), len(turn_ids))
    if user_id is None:
        hourly.recount(store)
    return len(turn_ids)


def show(done: int, total: int) -> None:
    """The progress on the terminal."""
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
