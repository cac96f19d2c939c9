"""Turns of this process whose end is not yet in the database: their numbers are had from their spans meanwhile."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from telemetry.turns import Row, is_root

MOST_SPANS: Final = 5_000
"""Of a turn with more, the database is asked."""


@dataclass(slots=True)
class Known:
    """The spans of a turn as they ended; `whole`: none is missing."""

    whole: bool
    spans: list[Row] = field(default_factory=list)


class Unsettled:
    """Who hears takes turns with others who hear; all else is safe for any threads."""

    def __init__(self) -> None:
        self._turns: dict[str, Known] = {}
        self._ended: set[str] = set()
        self._begun: set[str] = set()

    @property
    def news(self) -> bool:
        """Whether a turn has begun or ended, and that is not yet committed."""
        return bool(self._ended or self._begun)

    def hear(self, row: Row, *, again: bool = False) -> None:
        """Take in a span that has ended, or the start of a turn.

        Args:
            again: an earlier process has begun the turn, and its spans are in the database alone.
        """
        turn_id, known = row["trace_id"], self._turns.get(row["trace_id"])
        if row["parent_id"] is None and is_root(row):
            if row["status"] == "running":
                self._turns[turn_id] = Known(whole=not again)
                self._begun.add(turn_id)
                return
            self._ended.add(turn_id)
        if known is None or not known.whole:
            return
        known.spans.append(row)
        if len(known.spans) > MOST_SPANS:
            known.whole = False
            known.spans.clear()

    def spans(self, turn_id: str) -> Sequence[Row] | None:
        """The spans of a turn that has ended; None where they are not all here."""
        known = self._turns.get(turn_id)
        return list(known.spans) if known is not None and known.whole and turn_id in self._ended else None

    def settle(self, begun: Iterable[str], ended: Iterable[str]) -> None:
        """The beginnings and ends of turns are committed."""
        self._begun.difference_update(begun)
        for turn_id in ended:
            self._turns.pop(turn_id, None)
            self._ended.discard(turn_id)
