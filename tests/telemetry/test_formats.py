from zoneinfo import ZoneInfo

import pytest

from telemetry import formats
from telemetry.phases import Phase


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "–"),
        (0, "0 ms"),
        (400, "<0.01 ms"),
        (40_000, "0.04 ms"),
        (99_600, "0.1 ms"),
        (9_400_000, "9.4 ms"),
        (9_960_000, "10 ms"),
        (999_400_000, "999 ms"),
        (999_600_000, "1.00 s"),
        (1_840_000_000, "1.84 s"),
        (9_996_000_000, "10.0 s"),
        (59_960_000_000, "1 min 0 s"),
        (125_000_000_000, "2 min 5 s"),
        (3_599_600_000_000, "1 h 0 min"),
        (3_780_000_000_000, "1 h 3 min"),
        (-400_000_000, "-400 ms"),
    ],
)
def test_a_duration_keeps_the_digits_that_count(ns: int | None, text: str) -> None:
    assert formats.duration(ns) == text


@pytest.mark.parametrize(
    ("pico", "text", "exact"),
    [
        (None, "unpriced", None),
        (0, "$0", "0"),
        (153_000_000, "$0.00015", "0.000153"),
        (1, "$0.0000000000010", "0.000000000001"),
        (15_300_000_000, "$0.015", "0.0153"),
        (420_000_000_000, "$0.42", "0.42"),
        (10**12, "$1.00", "1"),
        (100 * 10**12, "$100.00", "100"),
        (1_234_500_000_000_000, "$1,234.50", "1234.5"),
    ],
)
def test_money_is_exact_for_programs_and_short_for_people(pico: int | None, text: str, exact: str | None) -> None:
    assert (formats.money(pico), formats.usd(pico)) == (text, exact)


def test_calls_without_a_price_are_counted_apart() -> None:
    assert formats.money(420_000_000, 2) == "$0.00042 + 2 unpriced"


def test_tokens_say_whether_they_are_known_and_whose_count_they_are() -> None:
    assert formats.tokens(1240) == "1,240 tokens"
    assert formats.tokens(1, estimated=True) == "about 1 token"
    assert formats.tokens(None) == "tokens unknown"
    assert formats.count(None) == "unknown"


def test_shares_and_sizes_are_short() -> None:
    assert [formats.percent(share) for share in (None, 0, 1e-5, 0.006, 0.4, 1)] == [
        "–",
        "0 %",
        "<0.1 %",
        "0.6 %",
        "40 %",
        "100 %",
    ]
    assert [formats.size(number) for number in (512, 8_192, 1_400_000)] == ["512 B", "8.2 kB", "1.4 MB"]


def test_a_moment_is_in_the_zone_of_the_reader() -> None:
    ns = 1_796_040_184 * 10**9
    assert formats.moment(ns, ZoneInfo("UTC")) == "Mon 30 Nov 2026, 12:03:04"
    assert formats.moment(ns, ZoneInfo("Asia/Shanghai")) == "Mon 30 Nov 2026, 20:03:04"


def test_every_phase_has_a_name() -> None:
    assert set(formats.PHASE_NAMES) == set(Phase)
