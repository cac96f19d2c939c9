"""The table of what goes wrong in practice names tests that exist, for every case."""

import re

import pytest

from core.settings import ROOT

ROWS = [line for line in (ROOT / "docs/workspace_cases.md").read_text().splitlines() if re.match(r"\| \d+ \|", line)]


def test_all_cases_are_there() -> None:
    assert [int(row.split("|")[1]) for row in ROWS] == list(range(1, 27))


@pytest.mark.parametrize("row", ROWS, ids=[row.split("|")[2].strip() for row in ROWS])
def test_each_case_is_held_by_tests_that_exist(row: str) -> None:
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", row)
    assert named
    for file, test in named:
        assert re.search(rf"def {test}\(", (ROOT / "tests" / file).read_text()), f"{file} has no {test}"
