"""The app database of a test, on SQLite and on PostgreSQL."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine

from core.store.engine import open_database


@pytest.fixture
def engine(app_url: str) -> Iterator[Engine]:
    """Open, with all tables and nothing in them."""
    opened = open_database(app_url)
    yield opened
    opened.dispose()


@pytest.fixture
def sqlite(engine: Engine) -> Engine:
    """The same, for what only SQLite has."""
    if engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL has none")
    return engine
