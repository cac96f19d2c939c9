"""Insert rows, or update those that are there."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import SQLModel


def table_of(model: type[SQLModel]) -> Table:
    """The table of a model."""
    table = model.__table__  # type: ignore[attr-defined]
    assert isinstance(table, Table)
    return table


def upsert(connection: Connection, model: type[SQLModel], rows: Sequence[dict[str, Any]]) -> None:
    """Store rows by their primary key. All rows have the same columns; other columns of a row there stay."""
    if not rows:
        return
    table = table_of(model)
    insert = postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)
    keys = [column.name for column in table.primary_key]
    changes = {name: insert.excluded[name] for name in rows[0] if name not in keys}
    connection.execute(insert.on_conflict_do_update(index_elements=keys, set_=changes), rows)
