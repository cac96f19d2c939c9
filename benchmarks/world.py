"""A telemetry database as a company would have it: `python -m benchmarks.world --turns 100000 --data DIR`.

Turns of 90 days with their spans, calls, hourly sums and searchable texts, written in bulk from a few shapes whose
times are stretched. What one is asked, by whom, on which model and how it ends is drawn from uneven distributions.
"""

import sys
import time
from argparse import ArgumentParser
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import Connection, event

from benchmarks.shapes import SHAPES, Shape, shape_of
from telemetry.formats import HOUR
from telemetry.hourly import Ledger
from telemetry.jsontext import dumps
from telemetry.rows import COLUMNS
from telemetry.store import Store
from telemetry.tables import LlmCall, Span, ToolCall, Turn, TurnText
from telemetry.textindex import token_of
from telemetry.upsert import table_of

DAYS = 90
USERS = ("local", *(f"user-{number:02d}" for number in range(1, 20)))
MODELS = ("openai/gpt-4o-mini", "qwen3-8b", "openai/gpt-5.2", "house-model")
TURNS_OF_A_CONVERSATION = 6
PRAGMAS = ("synchronous = OFF", "cache_size = -300000", "temp_store = MEMORY")
WORK_HOURS = (1, 1, 1, 1, 1, 2, 4, 10, 18, 22, 22, 18, 14, 20, 22, 20, 16, 10, 6, 4, 3, 2, 1, 1)


@dataclass
class Draw:
    """Values with uneven chances."""

    values: Sequence[Any]
    weights: Sequence[float]
    until: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.until = list(accumulate(self.weights))

    def __call__(self, chance: Random) -> Any:
        return self.values[bisect(self.until, chance.random() * self.until[-1])]


WHO = Draw(USERS, [1 / (place + 1) for place in range(len(USERS))])
WHICH = Draw(SHAPES, [shape.share for shape in SHAPES])
ON = Draw(MODELS, (60, 20, 15, 5))


class World:
    """Writes turns in order of time."""

    def __init__(self, store: Store, end_ns: int, seed: int = 7) -> None:
        self._store, self._end_ns = store, end_ns
        self._chance = Random(seed)
        self._number = 0
        self._conversations: dict[str, tuple[str, int]] = {}

    def fill(self, turns: int) -> None:
        """Write so many turns, an hour in a transaction."""
        hours = list(self._hours(turns))
        for done, (start_ns, number) in enumerate(hours):
            with self._store.write() as connection:
                self._hour(connection, start_ns, number)
            if done % 50 == 0:
                sys.stderr.write(f"\r{self._number:,} of {turns:,} turns")
        sys.stderr.write(f"\r{self._number:,} of {turns:,} turns\n")

    def _hours(self, turns: int) -> Iterator[tuple[int, int]]:
        """Each hour with its turns; nights and weekends are quiet."""
        last = self._end_ns // HOUR
        weights = {
            n: WORK_HOURS[n % 24] * (0.2 if (n // 24 + 3) % 7 >= 5 else 1) for n in range(last - DAYS * 24, last + 1)
        }
        whole, done, sofar = sum(weights.values()), 0, 0.0
        for hour, weight in weights.items():
            sofar += weight
            number = round(turns * sofar / whole) - done
            done += number
            if number:
                yield hour * HOUR, number

    def _hour(self, connection: Connection, start_ns: int, number: int) -> None:
        room = min(HOUR, self._end_ns - start_ns)
        ledger, rows = Ledger(), Rows()
        for start in sorted(start_ns + self._chance.randrange(room) for _ in range(number)):
            turn, llm_calls, tool_calls = self._turn(rows, start)
            ledger.add(turn, llm_calls, tool_calls)
        rows.write(connection)
        ledger.book(connection)

    def _turn(self, rows: "Rows", start_ns: int) -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
        self._number += 1
        chance = self._chance
        shape: Shape = shape_of(WHICH(chance), ON(chance))
        user = WHO(chance)
        ids = {"turn_id": f"{self._number:032x}", "user_id": user, "conversation_id": self._conversation(user)}
        stretch = chance.lognormvariate(0, 0.5)
        first = self._number << 8
        rows.spans += [
            (
                f"{first + place:016x}",
                ids["turn_id"],
                None if above is None else f"{first + above:016x}",
                *(name, type_, "internal", start_ns + int(begin * stretch), start_ns + int(end * stretch), status),
                *(user, ids["conversation_id"], attributes, "[]"),
            )
            for place, (above, name, type_, begin, end, status, attributes) in enumerate(shape.spans)
        ]
        turn = shape.turn(ids, start_ns, stretch)
        llm_calls = [shape.call(call, ids, first, start_ns, stretch) for call in shape.llm_calls]
        tool_calls = [shape.call(call, ids, first, start_ns, stretch) for call in shape.tool_calls]
        rows.add(turn, llm_calls, tool_calls)
        return turn, llm_calls, tool_calls

    def _conversation(self, user: str) -> str:
        """A user's present conversation; after some turns, a new one."""
        name, left = self._conversations.get(user, ("", 0))
        if not left:
            name, left = f"c{self._number:x}", 1 + self._chance.randrange(2 * TURNS_OF_A_CONVERSATION)
        self._conversations[user] = name, left - 1
        return name


class Rows:
    """What an hour adds to the tables."""

    def __init__(self) -> None:
        self.spans: list[tuple[Any, ...]] = []
        self._others: dict[Any, list[tuple[Any, ...]]] = {Turn: [], LlmCall: [], ToolCall: [], TurnText: []}
        self._columns: dict[Any, tuple[str, ...]] = {TurnText: ("number", "turn_id", "whose", "said")}

    def add(self, turn: dict[str, Any], llm_calls: list[dict[str, Any]], tool_calls: list[dict[str, Any]]) -> None:
        encoded = {**turn, "agents": dumps(turn["agents"]), "phases": dumps(turn["phases"])}
        for model, found in ((Turn, [encoded]), (LlmCall, llm_calls), (ToolCall, tool_calls)):
            if found:
                self._columns[model] = tuple(found[0])
                self._others[model] += [tuple(row.values()) for row in found]
        said = (turn["start_ns"] // 1_000_000 * 1_000 + int(turn["turn_id"], 16) % 1_000, turn["turn_id"])
        self._others[TurnText].append((*said, whose(turn["user_id"]), turn["question"]))

    def write(self, connection: Connection) -> None:
        for model, columns, rows in (
            (Span, COLUMNS, self.spans),
            *((m, self._columns.get(m, ()), r) for m, r in self._others.items()),
        ):
            if rows:
                names, places = ", ".join(columns), ", ".join("?" * len(columns))
                verb = "INSERT OR IGNORE" if model is TurnText else "INSERT"
                connection.exec_driver_sql(f"{verb} INTO {table_of(model).name} ({names}) VALUES ({places})", rows)


whose = cache(token_of)


def make(data: Path, turns: int, end_ns: int | None = None) -> Store:
    """A database of so many turns that end now, in a folder that has none.

    Raises:
        FileExistsError: There is one.
    """
    path = data / "telemetry.db"
    if path.exists():
        raise FileExistsError(path)
    data.mkdir(parents=True, exist_ok=True)
    store = Store(f"sqlite:///{path}")
    store.close()
    event.listen(store.engine, "connect", hurry)
    World(store, time.time_ns() if end_ns is None else end_ns).fill(turns)
    store.close()
    return Store(store.url)


def hurry(connection: Any, _record: Any) -> None:
    """Write without caring for a crash."""
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = ArgumentParser("python -m benchmarks.world", description=__doc__)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--data", type=Path, required=True, help="folder for telemetry.db, as GLASSDESK_DATA_DIR")
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    try:
        store = make(options.data, options.turns)
    except FileExistsError as error:
        sys.stderr.write(f"{error} is there already. Choose another folder, or remove it.\n")
        return 1
    store.close()
    size = (options.data / "telemetry.db").stat().st_size / 1e6
    sys.stdout.write(f"{options.turns:,} turns in {time.perf_counter() - started:.0f} s, {size:,.0f} MB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
