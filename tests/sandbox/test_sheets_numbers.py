"""Dates and times as cells show them."""

import pytest

from core.sandbox.sheets.numbers import dated


@pytest.mark.parametrize(
    ("value", "pattern", "text"),
    [
        (46356.0, "yyyy-mm-dd", "2026-11-30"),
        (46356.0, "m/d/yy", "11/30/26"),
        (46356.0, "dddd, mmmm d", "Monday, November 30"),
        (46356.0, "ddd d mmm", "Mon 30 Nov"),
        (46356 + 8 / 24 + 20 / 1440, "yyyy-mm-dd h:mm", "2026-11-30 8:20"),
        (0.75, "h:mm am/pm", "6:00 PM"),
        (0.75, "hh:mm:ss", "18:00:00"),
        (1.5, "[h]:mm", "36:00"),
        (0.75, "mm:ss", "00:00"),
        (46356.0, 'yyyy "in" mmmm', "2026 in November"),
        (46356.75, "m/d/yyyy h:mm:ss", "11/30/2026 18:00:00"),
    ],
)
def test_dates_follow_their_pattern(value: float, pattern: str, text: str) -> None:
    assert dated(value, pattern) == text
