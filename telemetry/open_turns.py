"""The turns that run in this process: their spans are kept until the end, so that the roll-up need not read them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from telemetry import rollup
from telemetry.tables import Span
from telemetry.turns import Row, is_root
from telemetry.upsert import table_of

SPAN: Final = table_of(Span)
MOST_SPANS: Final = 20_000
OF_TURNS: Final = SPAN.c.trace_id.in_(bindparam("turns", expanding=True))
ALL: Final = select(func.count()).select_from(SPAN).where(OF_TURNS)
EACH: Final = select(SPAN.c.trace_id, func.count()).where(OF_TURNS).group_by(SPAN.c.trace_id)


class OpenTurns:
    """Turns whose root has started and not ended, with their spans; of very many spans, without.

    Args:
        process: who runs them.
    """

    def __init__(self, process: str = "") -> None:
        self._process = process
        self._spans: dict[str, dict[str, Row]] = {}
        self._kept = 0
        self._begun: set[str] = set()
        self._ended: set[str] = set()

    def store(self, connection: Connection, rows: Sequence[Row], reopened: Collection[str] = ()) -> None:
        """Bring the roll-ups up to date with spans that were just stored, in the same transaction.

        It may be called again with the same spans if that fails; `forget_ended` when it has not.

        Args:
            reopened: turns that an earlier process has begun.
        """
        roots = [row for row in rows if is_root(row)]
        started = [row for row in roots if row["status"] == "running"]
        self._begun = {str(row["trace_id"]) for row in roots}
        self._ended = {str(row["trace_id"]) for row in roots if row["status"] != "running"}
        for row in roots:
            self._spans.setdefault(str(row["trace_id"]), {})
        others = {str(row["trace_id"]) for row in rows} - self._spans.keys()
        self._keep(rows)
        new = (self._begun | self._ended).difference(reopened)
        rollup.store_running(connection, started, self._process, new)
        turns: dict[str, Sequence[Row] | None] = dict.fromkeys(rollup.finished(connection, others))
        rollup.store_turns(connection, {**turns, **self._whole(connection, self._ended)}, new)

    def forget_ended(self) -> tuple[set[str], set[str]]:
        """The transaction is committed: what ended in it is read from the database from now on.

        Returns:
            The turns that began in it, or before it; and those that ended.
        """
        begun, ended = self._begun, self._ended
        self._begun, self._ended = set(), set()
        for turn_id in ended:
            self._kept -= len(self._spans.pop(turn_id, ()))
        return begun, ended

    def _keep(self, rows: Iterable[Row]) -> None:
        """Keep the spans of open turns; beyond a number of them, none."""
        for row in rows:
            spans = self._spans.get(row["trace_id"])
            if spans is not None:
                self._kept += row["span_id"] not in spans
                spans[row["span_id"]] = row
        if self._kept > MOST_SPANS:
            self._kept = 0
            for spans in self._spans.values():
                spans.clear()

    def _whole(self, connection: Connection, turn_ids: Iterable[str]) -> Mapping[str, Sequence[Row] | None]:
        """The spans of each turn; None where another process stored some too, or they were not kept."""
        found: dict[str, Sequence[Row] | None] = {}
        wanted = sorted(turn_ids)
        for start in range(0, len(wanted), rollup.AT_ONCE):
            chosen = {
                turn_id: list(self._spans[turn_id].values()) for turn_id in wanted[start : start + rollup.AT_ONCE]
            }
            names = {"turns": list(chosen)}
            if connection.scalar(ALL, names) == sum(map(len, chosen.values())):
                found.update(chosen)
                continue
            stored = {turn_id: number for turn_id, number in connection.execute(EACH, names)}  # noqa: C416
            found.update({key: rows if len(rows) == stored.get(key) else None for key, rows in chosen.items()})
        return found
