"""Ranges in A1 notation, read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.a1 import Area, NotARange, Spot, column_letters, column_number, quote, read, shown, write


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("A1", Area(0, 0, 1, 1)),
        ("b2:D5", Area(1, 1, 5, 4)),
        ("D5:B2", Area(1, 1, 5, 4)),
        ("$B$2:$D$5", Area(1, 1, 5, 4)),
        ("A:C", Area(0, 0, None, 3)),
        ("B3:D", Area(2, 1, None, 4)),
        ("3:7", Area(2, 0, 7, None)),
        ("B3:7", Area(2, 1, 7, None)),
        ("AA10", Area(9, 26, 10, 27)),
        ("R1C1:R2C3", Area(0, 0, 2, 3)),
        ("R4C2", Area(3, 1, 4, 2)),
    ],
)
def test_ranges_are_read(text: str, area: Area) -> None:
    assert read(text) == Spot(None, area)


@pytest.mark.parametrize(
    ("text", "title", "area"),
    [
        ("'Jon''s Data'!A1:B2", "Jon's Data", Area(0, 0, 2, 2)),
        ("'Jon''s Data'", "Jon's Data", Area()),
        ("Jon's Data", "Jon's Data", Area()),
        ("Jon's Data!C:C", "Jon's Data", Area(0, 2, None, 3)),
        ("TEste Nome", "TEste Nome", Area()),
        ("teste nome!A1", "TEste Nome", Area(0, 0, 1, 1)),
        ("'CRM26'", "CRM26", Area()),
        ("'Wow!'!B2", "Wow!", Area(1, 1, 2, 2)),
        ("CRM26", None, Area(25, column_number("CRM") - 1, 26, column_number("CRM"))),
    ],
)
def test_sheets_are_named_with_or_without_quotes(text: str, title: str | None, area: Area) -> None:
    assert read(text, ["First", "Jon's Data", "CRM26", "TEste Nome", "Wow!"]) == Spot(title, area)


@pytest.mark.parametrize("text", ["", "A0", "nowhere", "A1:", "1", "A", "A1:B2:C3", "'open!A1", "Nowhere!A1", "ABCD1"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(NotARange):
        read(text, ["First"])


def test_google_quotes_only_what_needs_it() -> None:
    assert shown("Sheet1", Area(0, 0, 2, 2)) == "Sheet1!A1:B2"
    assert shown("Jon's Data", Area(0, 0, 1, 1)) == "'Jon''s Data'!A1"
    assert shown("CRM26", Area(0, 0, 1, 1)) == "'CRM26'!A1"


@given(st.integers(1, 18278))
def test_columns_round_trip(number: int) -> None:
    assert column_number(column_letters(number)) == number


titles = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=40).filter(
    lambda text: text == text.strip()
)


@given(titles, st.integers(0, 5000), st.integers(0, 200), st.integers(1, 5000), st.integers(1, 200))
def test_ranges_and_sheet_names_round_trip(title: str, top: int, left: int, rows: int, columns: int) -> None:
    area = Area(top, left, top + rows, left + columns)
    assert read(write(title, area), [title]) == Spot(title, area)
    assert read(shown(title, area), [title]) == Spot(title, area)
    assert read(quote(title), ["Other", title]) == Spot(title, Area())


@given(st.integers(0, 5000), st.integers(0, 200), st.integers(1, 5000), st.integers(1, 200))
def test_open_ranges_round_trip(top: int, left: int, rows: int, columns: int) -> None:
    for area in (
        Area(top, left, None, left + columns),
        Area(top, left, top + rows, None),
        Area(0, left, None, left + columns),
    ):
        assert read(write(None, area)) == Spot(None, area)
