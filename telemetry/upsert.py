"""Insert rows, or update those that are there."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import SQLModel


def table_of(model: type[SQLModel]) -> Table:
    """The table of a model."""
    table = model.__table__  # type: ignore[attr-defined]
    assert isinstance(table, Table)
    return table


@lru_cache(maxsize=64)
def statement(dialect: str, table: Table, columns: tuple[str, ...]) -> Executable:
    """The statement for rows of these columns; kept, because making one takes longer than running it."""
    insert = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    keys = [column.name for column in table.primary_key]
    changes = {name: insert.excluded[name] for name in columns if name not in keys}
    return insert.on_conflict_do_update(index_elements=keys, set_=changes)


def upsert(connection: Connection, model: type[SQLModel], rows: Sequence[dict[str, Any]]) -> None:
    """Store rows by their primary key. All rows have the same columns; other columns of a row there stay."""
    if rows:
        connection.execute(statement(connection.dialect.name, table_of(model), tuple(rows[0])), rows)
