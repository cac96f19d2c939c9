"""What a person types into a cell, as Sheets understands it."""

from datetime import date

import pytest

from core.sandbox.sheets.entry import Entry, understood
from core.sandbox.sheets.numbers import automatic, kind

TODAY = date(2026, 11, 18)


@pytest.mark.parametrize(
    ("text", "value", "pattern"),
    [
        ("5", 5.0, None),
        (" 7 ", 7.0, None),
        ("-5.25", -5.25, None),
        (".5", 0.5, None),
        ("007", 7.0, None),
        ("1,234", 1234.0, "#,##0"),
        ("1,234.50", 1234.5, "#,##0.00"),
        ("$1,234.50", 1234.5, '"$"#,##0.00'),
        ("-$3", -3.0, '"$"#,##0'),
        ("($3)", -3.0, '"$"#,##0'),
        ("€3.50", 3.5, '"€"#,##0.00'),
        ("5 €", 5.0, '#,##0"€"'),
        ("5%", 0.05, "0%"),
        ("1.5%", 0.015, "0.00%"),
        ("1e3", 1000.0, "0.00E+00"),
        ("true", True, None),
        ("FALSE", False, None),
        ("2026-11-30", 46356.0, "yyyy-mm-dd"),
        ("11/30/2026", 46356.0, "m/d/yyyy"),
        ("Nov 30, 2026", 46356.0, "mmm d, yyyy"),
        ("30 Nov 2026", 46356.0, "d mmm yyyy"),
        ("11/30", 46356.0, "m/d"),
        ("2026-11-30 18:00", 46356.75, "yyyy-mm-dd h:mm"),
        ("18:00", 0.75, "h:mm"),
        ("6:00 PM", 0.75, "h:mm am/pm"),
        ("'007", "007", None),
        ("'=A1", "=A1", None),
        ("abc", "abc", None),
        ("1,23", "1,23", None),
        ("2026-02-30", "2026-02-30", None),
        ("30.11.2026", "30.11.2026", None),
        ("$", "$", None),
        ("+", "+", None),
        ("", "", None),
        ("3 May I come in", "3 May I come in", None),
    ],
)
def test_text_is_understood(text: str, value: object, pattern: str | None) -> None:
    assert understood(text, TODAY) == Entry(value, pattern)


@pytest.mark.parametrize(
    ("value", "text"),
    [(5.0, "5"), (1 / 3, "0.3333333333"), (0.1 + 0.2, "0.3"), (123456789012.0, "123456789012"), (1e21, "1E+21")],
)
def test_a_number_without_a_pattern(value: float, text: str) -> None:
    assert automatic(value) == text


def test_patterns_have_kinds() -> None:
    patterns = ["0%", '"$"#,##0', "yyyy-mm-dd", "h:mm", "yyyy-mm-dd h:mm", "0.00E+00", "@", "0.0", '0 "days"']
    kinds = ["PERCENT", "CURRENCY", "DATE", "TIME", "DATE_TIME", "SCIENTIFIC", "TEXT", "NUMBER", "NUMBER"]
    assert [kind(pattern) for pattern in patterns] == kinds
