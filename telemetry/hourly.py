"""Hourly and daily sums, exact in the transaction of a roll-up: what a turn was is taken out, what it is is put in."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, Table, bindparam, delete, func, select

from telemetry.formats import DAY, HOUR
from telemetry.hour_tables import DAY_OF, Facet, LlmHour, ToolHour, TurnHour
from telemetry.hours import users_of
from telemetry.phases import Phase
from telemetry.selection import EVERYBODY
from telemetry.sketch import packed, place_of, unpacked
from telemetry.store import Store
from telemetry.tables import Keeping, LlmCall, ToolCall, Turn
from telemetry.upsert import table_of, upsert

Row = Mapping[str, Any]
Key = tuple[Any, ...]

LATENCY, FIRST_WORD, OVERHEAD = range(3)
"""The histograms of a turn."""
PHASES: Final = tuple(phase.value for phase in Phase)
HOURS: Final = tuple(DAY_OF)
SUMS: Final = (*HOURS, *DAY_OF.values())
STRETCH: Final = 3 * DAY
"""Of a user who is forgotten, in one transaction."""
KEYS: Final = {model: tuple(column.name for column in table_of(model).primary_key) for model in SUMS}
COUNTS: Final = {model: "turns" if "turns" in table_of(model).c else "calls" for model in SUMS}
CELLS: Final = {
    model: select(table_of(model)).where(
        table_of(model).c.user_id.in_(bindparam("users", expanding=True)),
        table_of(model).c.start_ns == bindparam("start"),
        table_of(model).c.turn_facet.in_(bindparam("facets", expanding=True)),
    )
    for model in SUMS
}
TURN, LLM, TOOL = table_of(Turn), table_of(LlmCall), table_of(ToolCall)
AT_ONCE: Final = 200
ROWS_OF: Final = tuple(
    select(table).where(table.c.turn_id.in_(bindparam("turns", expanding=True))) for table in (TURN, LLM, TOOL)
)
GONE: Final = select(table_of(Keeping).c.before_ns)


class Ledger:
    """Changes of sums, gathered by the hour and then booked at once."""

    def __init__(self) -> None:
        self._cells: dict[Any, dict[Key, Counter[Any]]] = {model: {} for model in HOURS}
        self._facets: dict[int, Sequence[Any]] = {}

    def add(self, turn: Row, llm_calls: Iterable[Row], tool_calls: Iterable[Row], sign: int = 1) -> None:
        """Count a turn with its calls, or with `sign` -1 count it no more; one that runs does not count."""
        if turn["status"] == "running":
            return
        facet = self._facet("turn", turn["route"], turn["model"], turn["status"], tuple(turn["agents"]))
        self._count(TurnHour, turn, turn["start_ns"], (facet,), amounts_of_turn(turn), sign)
        for call in llm_calls:
            own = self._facet("llm", call["agent"], call["provider"], call["model"])
            self._count(LlmHour, turn, turn["start_ns"], (facet, own), amounts_of_llm(call), sign)
        for call in tool_calls:
            self.add_tool(turn, call, sign)

    def add_tool(self, turn: Row, call: Row, sign: int = 1) -> None:
        """Count one tool call of a turn that has ended; it belongs to the hour in which it began itself."""
        facet = self._facet("turn", turn["route"], turn["model"], turn["status"], tuple(turn["agents"]))
        own = self._facet("tool", call["agent"], call["tool"])
        self._count(ToolHour, turn, call["start_ns"], (facet, own), amounts_of_tool(call), sign)

    def _facet(self, *value: Any) -> int:
        number = facet_id(value)
        self._facets[number] = value
        return number

    def _count(
        self, model: Any, turn: Row, start_ns: int, facets: Key, amounts: Sequence[tuple[Any, int]], sign: int
    ) -> None:
        """Add amounts to the cell of the user."""
        cell = self._cells[model].setdefault((turn["user_id"], start_ns // HOUR * HOUR, *facets), Counter())
        for name, amount in amounts:
            if name == "last_ns":
                cell[name] = max(cell[name], amount)
            elif amount:
                cell[name] += sign * amount

    def book(self, connection: Connection, days: bool = True) -> None:
        """Write the changes within the caller's transaction.

        Args:
            days: Whether the daily sums change, too.
        """
        facets = [{"facet_id": number, "value": list(value)} for number, value in sorted(self._facets.items())]
        upsert(connection, Facet, facets)
        for model, cells in self._cells.items():
            changes = {**cells, **combined(cells, of_all)}
            store_cells(connection, model, merged(connection, model, changes))
            if days:
                by_day, day = combined(changes, of_day), DAY_OF[model]
                store_cells(connection, day, merged(connection, day, by_day))


def of_all(key: Key) -> Key:
    """The key of all users' cell."""
    return (EVERYBODY, *key[1:])


def of_day(key: Key) -> Key:
    """The key of the cell of an hour's day."""
    return (key[0], key[1] // DAY * DAY, *key[2:])


def combined(cells: Mapping[Key, Counter[Any]], place: Callable[[Key], Key]) -> dict[Key, Counter[Any]]:
    """Changes of cells as those of fewer, wider ones."""
    found: dict[Key, Counter[Any]] = {}
    for key, change in cells.items():
        cell = found.setdefault(place(key), Counter())
        last = max(cell["last_ns"], change["last_ns"])
        for name, amount in change.items():
            cell[name] += amount
        cell["last_ns"] = last
    return found


@lru_cache(maxsize=4_096)
def facet_id(value: Key) -> int:
    """A number for what is in common: the same in every process."""
    data = json.dumps(value, ensure_ascii=True).encode()
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") >> 1


def amounts_of_turn(turn: Row) -> list[tuple[Any, int]]:
    """What a turn adds; a number in place of a name is a place in its histograms."""
    phases = turn["phases"]
    found: list[tuple[Any, int]] = [
        ("turns", 1),
        ("cached", int(turn["cached"])),
        ("saved_known", int(bool(turn["cached"]) and turn["saved_pico_usd"] is not None)),
        ("saved_pico_usd", (turn["saved_pico_usd"] or 0) if turn["cached"] else 0),
        ("requests", turn["requests"]),
        ("tools", turn["tools"]),
        ("unpriced", turn["unpriced"]),
        ("pico_usd", turn["cost_pico_usd"] or 0),
        *((f"{name}_ns", phases.get(name, 0)) for name in PHASES),
    ]
    if turn["latency_ns"] is not None:
        found.append((place_of(LATENCY, turn["latency_ns"]), 1))
        found.append((place_of(OVERHEAD, phases.get(Phase.FRAMEWORK, 0)), 1))
    if turn["first_token_ns"] is not None:
        found.append((place_of(FIRST_WORD, turn["first_token_ns"]), 1))
    return found


def amounts_of_llm(call: Row) -> list[tuple[Any, int]]:
    """What a model call adds."""
    given, made = call["input_tokens"], call["output_tokens"]
    cached, reasoning = part(call["cached_input_tokens"], given), part(call["reasoning_tokens"], made)
    sums = (("input", given), ("cached", cached), ("output", made), ("reasoning", reasoning))
    return [
        ("calls", 1),
        ("unpriced", int(call["cost_pico_usd"] is None)),
        ("unreported", int(given is None or made is None)),
        ("estimated", int(bool(call["estimated"]))),
        *((f"{name}_known", int(value is not None)) for name, value in sums),
        *((f"{name}_tokens", value or 0) for name, value in sums),
        ("pico_usd", call["cost_pico_usd"] or 0),
    ]


def part(of: int | None, whole: int | None) -> int | None:
    """A part, at most the whole; unknown if either is."""
    return None if of is None or whole is None else min(of, whole)


def amounts_of_tool(call: Row) -> list[tuple[Any, int]]:
    """What a tool call adds; a tuple in place of a name is a kind of error."""
    found: list[tuple[Any, int]] = [
        ("calls", 1),
        ("ok", int(call["status"] == "ok")),
        ("failed", int(call["status"] == "error")),
        ("result_known", int(call["result_bytes"] is not None)),
        ("result_bytes", call["result_bytes"] or 0),
        ("tokens_known", int(call["result_tokens"] is not None)),
        ("result_tokens", call["result_tokens"] or 0),
        ("last_ns", call["start_ns"]),
    ]
    if call["status"] == "error":
        found.append((("error", call["error_kind"] or ""), 1))
    if call["duration_ns"] is not None:
        found.append((place_of(LATENCY, call["duration_ns"]), 1))
    return found


def merged(connection: Connection, model: Any, cells: Mapping[Key, Counter[Any]]) -> dict[Key, dict[str, Any]]:
    """The rows of cells with the changes in them."""
    keys, found = KEYS[model], {}
    places: dict[int, tuple[set[str], set[int]]] = {}
    for user, start, facet, *_ in cells:
        users, facets = places.setdefault(start, (set(), set()))
        users.add(user)
        facets.add(facet)
    for start, (users, facets) in sorted(places.items()):
        there = {"users": sorted(users), "start": start, "facets": sorted(facets)}
        for row in connection.execute(CELLS[model], there).mappings():
            key = tuple(row[name] for name in keys)
            if key in cells:
                found[key] = dict(row)
    numbers = numbers_of(model)
    return {key: changed(found.get(key), dict(zip(keys, key, strict=True)), numbers, cells[key]) for key in cells}


def store_cells(connection: Connection, model: Any, cells: Mapping[Key, dict[str, Any]]) -> None:
    """Write the rows of cells; those in which nothing is left go."""
    upsert(connection, model, [row for _, row in sorted(cells.items()) if row[COUNTS[model]]])
    table = table_of(model)
    for key in (key for key, row in cells.items() if not row[COUNTS[model]]):
        connection.execute(delete(table).where(*(table.c[name] == v for name, v in zip(KEYS[model], key, strict=True))))


@lru_cache(maxsize=8)
def numbers_of(model: Any) -> tuple[str, ...]:
    """The columns of a table that are sums."""
    return tuple(c.name for c in table_of(model).columns if c.name not in (*KEYS[model], "times", "errors"))


def changed(row: dict[str, Any] | None, key: dict[str, Any], numbers: Sequence[str], change: Counter[Any]) -> Any:
    """A cell's row, new or as it was, with a change."""
    fresh = row or {**key, **dict.fromkeys(numbers, 0)}
    merge: dict[str, Callable[[int, int], int]] = {"last_ns": max}
    found = {**key, **{name: merge.get(name, int.__add__)(int(fresh[name]), change[name]) for name in numbers}}
    if "last_ns" in found:
        errors = Counter((row or {}).get("errors", {}))
        errors.update({name[1]: number for name, number in change.items() if isinstance(name, tuple)})
        found["errors"] = {kind: number for kind, number in sorted(errors.items()) if number}
    if "last_ns" in found or "turns" in found:
        places = Counter(unpacked((row or {}).get("times", b"")))
        places.update({place: number for place, number in change.items() if isinstance(place, int)})
        found["times"] = packed(places)
    return found


def rows_of(connection: Connection, turn_ids: Sequence[str]) -> Iterator[tuple[Row, list[Row], list[Row]]]:
    """Turns as they are in the database, each with its model calls and its tool calls."""
    for start in range(0, len(turn_ids), AT_ONCE):
        chosen = {"turns": list(turn_ids[start : start + AT_ONCE])}
        turns, *calls = (connection.execute(rows, chosen).mappings().all() for rows in ROWS_OF)
        found: list[dict[str, list[Row]]] = [{turn["turn_id"]: [] for turn in turns} for _ in calls]
        for rows, by_turn in zip(calls, found, strict=True):
            for row in rows:
                by_turn.setdefault(row["turn_id"], []).append(dict(row))
        yield from ((dict(turn), *(by_turn[turn["turn_id"]] for by_turn in found)) for turn in turns)  # type: ignore[misc]


def recount(store: Store, said: Callable[[int, int], None] | None = None) -> int:
    """Make the sums anew of all hours whose turns are there; where turns are deleted, sums stay as they are.

    Args:
        said: Told after each hour how many are done, and of how many.

    Returns:
        The number of hours.
    """
    with store.reader() as session:
        gone = session.connection().execute(GONE).scalar() or 0
        hours = sorted({int(n) for table in (TURN, TOOL) for n in session.connection().scalars(hours_in(table))})
    hours = [number for number in hours if number * HOUR >= gone]
    for done, number in enumerate(hours, 1):
        with store.write() as connection:
            recount_hour(connection, number * HOUR)
        if said is not None:
            said(done, len(hours))
    for start_ns in sorted({number * HOUR // DAY * DAY for number in hours}):
        with store.write() as connection:
            recount_day(connection, start_ns)
    return len(hours)


def hours_in(table: Table) -> Select[Any]:
    """The hours in which something of a table began, as numbers since 1970."""
    return select(table.c.start_ns // HOUR).distinct()


def recount_hour(connection: Connection, start_ns: int) -> None:
    """Make the sums of what began in an hour anew."""
    ledger = Ledger()
    for model in HOURS:
        connection.execute(delete(table_of(model)).where(*began_in(connection, model, start_ns, HOUR)))
    began = TURN.c.start_ns.between(start_ns, start_ns + HOUR - 1)
    for turn, llm_calls, _ in rows_of(connection, list(connection.scalars(select(TURN.c.turn_id).where(began)))):
        ledger.add(turn, llm_calls, ())
    called = TOOL.c.start_ns.between(start_ns, start_ns + HOUR - 1)
    for turn, _, calls in rows_of(
        connection, list(connection.scalars(select(TOOL.c.turn_id).where(called).distinct()))
    ):
        for call in calls:
            if turn["status"] != "running" and start_ns <= call["start_ns"] < start_ns + HOUR:
                ledger.add_tool(turn, call)
    ledger.book(connection, days=False)


def recount_day(connection: Connection, start_ns: int) -> None:
    """Make the sums of a day anew from those of its hours."""
    for model, day in DAY_OF.items():
        table = table_of(model)
        hours = connection.execute(select(table).where(*began_in(connection, model, start_ns, DAY))).mappings()
        cells = {tuple(row[name] for name in KEYS[model]): Counter(parts_of(model, dict(row))) for row in hours}
        connection.execute(delete(table_of(day)).where(*began_in(connection, day, start_ns, DAY)))
        store_cells(connection, day, merged(connection, day, combined(cells, of_day)))


def began_in(connection: Connection, model: Any, start_ns: int, length_ns: int) -> list[ColumnElement[bool]]:
    """The conditions of a stretch of time on a table of sums, whose key begins with the user."""
    table = table_of(model)
    return [
        table.c.user_id.in_(users_of(connection, model)),
        table.c.start_ns >= start_ns,
        table.c.start_ns < start_ns + length_ns,
    ]


def is_missing(store: Store) -> bool:
    """Whether there are ended turns and no sums of them: they were stored by an earlier version."""
    ended, summed = select(TURN.c.turn_id).where(TURN.c.status != "running"), select(table_of(TurnHour).c.turns)
    with store.reader() as session:
        connection = session.connection()
        return connection.scalar(summed.limit(1)) is None and connection.scalar(ended.limit(1)) is not None


def forget_some(connection: Connection, user_id: str) -> bool:
    """Take some of a user's sums out of those of all, and delete them.

    Returns:
        Whether there may be more: call again, in another transaction.
    """
    for model in SUMS:
        table, cells = table_of(model), dict[Key, Counter[Any]]()
        first = connection.scalar(select(func.min(table.c.start_ns)).where(table.c.user_id == user_id))
        if first is None:
            continue
        some = table.c.user_id == user_id, table.c.start_ns < first + STRETCH
        for row in connection.execute(select(table).where(*some)).mappings():
            key = (EVERYBODY, *(row[name] for name in KEYS[model][1:]))
            parts = parts_of(model, dict(row)).items()
            cells[key] = Counter({name: -number for name, number in parts if name != "last_ns"})
        store_cells(connection, model, merged(connection, model, cells))
        connection.execute(delete(table).where(*some))
        return True
    return False


def parts_of(model: Any, row: Row) -> dict[Any, int]:
    """A cell's row as amounts."""
    found: dict[Any, int] = {name: int(row[name]) for name in numbers_of(model)}
    found |= unpacked(row.get("times", b""))
    return found | {("error", kind): number for kind, number in row.get("errors", {}).items()}
