"""References in formulas when rows or columns come or go."""

import pytest

from core.sandbox.sheets.references import Move, moved


@pytest.mark.parametrize(
    ("formula", "start", "count", "after"),
    [
        ("=A5", 2, 3, "=A8"),
        ("=A2", 2, 3, "=A2"),
        ("=A3", 2, 3, "=A6"),
        ("=SUM(A1:A3)", 1, 2, "=SUM(A1:A5)"),
        ("=SUM(A1:A3)", 3, 2, "=SUM(A1:A3)"),
        ("=SUM(A1:A3)", 0, 2, "=SUM(A3:A5)"),
        ("=SUM(A:A)+SUM($B2:$B)", 0, 1, "=SUM(A:A)+SUM($B3:$B)"),
        ("=SUM(2:3)", 0, 1, "=SUM(3:4)"),
        ("=A5", 2, -2, "=A3"),
        ("=A3", 2, -2, "=#REF!"),
        ("=SUM(A1:A3)", 0, -1, "=SUM(A1:A2)"),
        ("=SUM(A1:A3)", 2, -1, "=SUM(A1:A2)"),
        ("=SUM($A$1:$A$3)", 1, -5, "=SUM($A$1:$A$1)"),
        ("=SUM(A1:A3)", 0, -3, "=SUM(#REF!)"),
        ("=SUM(A2:A)", 0, -3, "=SUM(A1:A)"),
        ('="A5"&A5', 0, 1, '="A5"&A6'),
        ("=Other!A5+'Other one'!A5+Home!A5+'home'!A5", 0, 1, "=Other!A5+'Other one'!A5+Home!A6+'home'!A6"),
        ("=LOG10(A1)+ATAN2(B1,1)", 0, 1, "=LOG10(A2)+ATAN2(B2,1)"),
        ("=IF(A1>1,2,3)", 0, 1, "=IF(A2>1,2,3)"),
        ("=1.5*A1", 0, 1, "=1.5*A2"),
    ],
)
def test_rows_come_and_go(formula: str, start: int, count: int, after: str) -> None:
    assert moved(formula, "Home", Move("Home", "ROWS", start, count)) == after


@pytest.mark.parametrize(
    ("formula", "start", "count", "after"),
    [
        ("=B1+A1", 1, 1, "=C1+A1"),
        ("=SUM(A:C)", 1, 1, "=SUM(A:D)"),
        ("=SUM(A:C)", 2, -1, "=SUM(A:B)"),
        ("=SUM(B:B)", 1, -1, "=SUM(#REF!)"),
        ("=SUM(1:2)", 0, 1, "=SUM(1:2)"),
        ("=SUM(A1:C2)", 0, -1, "=SUM(A1:B2)"),
    ],
)
def test_columns_come_and_go(formula: str, start: int, count: int, after: str) -> None:
    assert moved(formula, "Home", Move("Home", "COLUMNS", start, count)) == after


def test_another_sheets_rows_move_only_what_names_it() -> None:
    assert moved("=A5+'Jon''s'!A5", "Home", Move("Jon's", "ROWS", 0, 2)) == "=A5+'Jon''s'!A7"
