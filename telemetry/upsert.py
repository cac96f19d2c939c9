"""Insert rows, or update those that are there."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from sqlalchemy import JSON, Connection, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import SQLModel

from telemetry.jsontext import dumps

GROUPS: Final = (256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1)
"""Rows a statement. SQLite lets go of the interpreter for each statement, and busy threads give it back late: few
statements of many rows are many times faster than one a row."""


def table_of(model: type[SQLModel]) -> Table:
    """The table of a model."""
    table = model.__table__  # type: ignore[attr-defined]
    assert isinstance(table, Table)
    return table


def upsert(connection: Connection, model: type[SQLModel], rows: Sequence[Mapping[str, Any]]) -> None:
    """Store rows by their primary key. All rows have the same columns; other columns of a row there stay."""
    if not rows:
        return
    table, columns = table_of(model), tuple(rows[0])
    if connection.dialect.name == "sqlite":
        upsert_values(connection, table, columns, [encoded(table, row) for row in rows])
    else:
        connection.execute(statement(connection.dialect.name, table, columns), list(rows))


def upsert_values(
    connection: Connection, table: Table, columns: tuple[str, ...], rows: Sequence[Sequence[Any]]
) -> None:
    """As `upsert`, for SQLite: rows as its driver takes them, in the order of the columns."""
    for size, start in groups(len(rows)):
        values = tuple(chain.from_iterable(rows[start : start + size]))
        connection.exec_driver_sql(sqlite_statement(table, columns, size), values)


def groups(number: int) -> Iterator[tuple[int, int]]:
    """(size, start) of groups that make up so many rows; of few sizes, so that their statements are kept."""
    start = 0
    for size in GROUPS:
        while number - start >= size:
            yield size, start
            start += size


@lru_cache(maxsize=64)
def statement(dialect: str, table: Table, columns: tuple[str, ...]) -> Executable:
    """The statement for rows of these columns; kept, because making one takes longer than running it."""
    insert = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    keys = [column.name for column in table.primary_key]
    changes = {name: insert.excluded[name] for name in columns if name not in keys}
    return insert.on_conflict_do_update(index_elements=keys, set_=changes)


@lru_cache(maxsize=256)
def sqlite_statement(table: Table, columns: tuple[str, ...], rows: int) -> str:
    """The statement for so many rows at once."""
    keys = [column.name for column in table.primary_key]
    changes = ", ".join(f'"{name}" = excluded."{name}"' for name in columns if name not in keys)
    places = f"({', '.join('?' * len(columns))})"
    return (
        f"INSERT INTO {quoted([table.name])} ({quoted(columns)}) VALUES {', '.join([places] * rows)} "
        f"ON CONFLICT ({quoted(keys)}) DO {f'UPDATE SET {changes}' if changes else 'NOTHING'}"
    )


def quoted(names: Sequence[str]) -> str:
    """Names as SQL has them."""
    return ", ".join(f'"{name}"' for name in names)


@lru_cache(maxsize=64)
def json_columns(table: Table) -> frozenset[str]:
    """The columns that hold JSON."""
    return frozenset(column.name for column in table.columns if isinstance(column.type, JSON))


def encoded(table: Table, row: Mapping[str, Any]) -> tuple[Any, ...]:
    """A row as SQLite's driver takes it."""
    texts = json_columns(table)
    return tuple(dumps(value) if name in texts else value for name, value in row.items())
