"""The tests of PostgreSQL really run where everything must be tested."""

import os

import pytest

from tests.postgres import MISSING, binaries


def test_postgresql_is_there_where_nothing_may_be_skipped() -> None:
    if not os.environ.get("CI") and binaries() is None:
        pytest.skip(MISSING)
    assert binaries() is not None, MISSING
