from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from core.agents.offline.times import load_times

NOW = datetime(2026, 11, 30, 15, 30, tzinfo=ZoneInfo("Europe/Berlin"))  # a Monday
TIMES = load_times()


def said(text: str, tense: str = "future", now: datetime = NOW) -> str:
    value = TIMES.find(text, now, tense).value
    if value is None:
        return "nothing"
    return " – ".join(f"{one:%m-%d %H:%M}" if one else "…" for one in (value.begin, value.finish))


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("today", "11-30 00:00 – 12-01 00:00"),
        ("the day after tomorrow", "12-02 00:00 – 12-03 00:00"),
        ("on Friday", "12-04 00:00 – 12-05 00:00"),
        ("on Monday", "11-30 00:00 – 12-01 00:00"),
        ("next Monday", "12-07 00:00 – 12-08 00:00"),
        ("this week", "11-30 00:00 – 12-07 00:00"),
        ("next week", "12-07 00:00 – 12-14 00:00"),
        ("this weekend", "12-05 00:00 – 12-07 00:00"),
        ("in 2 weeks", "12-14 00:00 – 12-21 00:00"),
        ("next month", "12-01 00:00 – 01-01 00:00"),
        ("in January", "01-01 00:00 – 02-01 00:00"),
        ("the rest of the week", "11-30 15:30 – 12-07 00:00"),
        ("the next three days", "11-30 15:30 – 12-03 00:00"),
        ("on 3 December", "12-03 00:00 – 12-04 00:00"),
        ("December 3rd", "12-03 00:00 – 12-04 00:00"),
        ("3.12.", "12-03 00:00 – 12-04 00:00"),
        ("2026-12-24", "12-24 00:00 – 12-25 00:00"),
        ("on 2 March", "03-02 00:00 – 03-03 00:00"),
        ("tomorrow afternoon", "12-01 12:00 – 12-01 18:00"),
        ("tomorrow at 3", "12-01 15:00 – 12-01 16:00"),
        ("tomorrow at 9", "12-01 09:00 – 12-01 10:00"),
        ("tomorrow at 3 am", "12-01 03:00 – 12-01 04:00"),
        ("at 14:30", "12-01 14:30 – 12-01 15:30"),
        ("at 17:00", "11-30 17:00 – 11-30 18:00"),
        ("between 2 and 4 on Friday", "12-04 14:00 – 12-04 16:00"),
        ("from 10 to 11:30 tomorrow", "12-01 10:00 – 12-01 11:30"),
        ("tomorrow after 4", "12-01 16:00 – 12-02 00:00"),
        ("tomorrow before noon", "12-01 00:00 – 12-01 12:00"),
        ("tonight", "11-30 17:00 – 12-01 00:00"),
        ("before Friday", "… – 12-04 00:00"),
    ],
)
def test_times_to_come(text, span):
    assert said(text) == span


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("yesterday", "11-29 00:00 – 11-30 00:00"),
        ("on Friday", "11-27 00:00 – 11-28 00:00"),
        ("last Monday", "11-23 00:00 – 11-24 00:00"),
        ("last week", "11-23 00:00 – 11-30 00:00"),
        ("the last 7 days", "11-23 00:00 – 12-01 00:00"),
        ("5 days ago", "11-25 00:00 – 11-26 00:00"),
        ("the weekend", "11-28 00:00 – 11-30 00:00"),
        ("since Friday", "11-27 00:00 – …"),
        ("on 3 December", "12-03 00:00 – 12-04 00:00"),
    ],
)
def test_times_gone_by(text, span):
    assert said(text, "past") == span


@pytest.mark.parametrize(
    "text",
    [
        "show my unread mail",
        "what may I do",
        "mails from Jan",
        "version 4.2",
        "room 12",
        "",
        "in 99999999 weeks",
        "31.02.",
        "25:99",
    ],
)
def test_what_is_no_time(text):
    assert said(text) == "nothing"


def test_a_day_of_a_clock_change_is_whole():
    now = datetime(2026, 10, 24, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    day = TIMES.find("tomorrow", now, "future").value
    assert (day.start, day.end) == ("2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00")


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("30 minutes", 30),
        ("an hour", 60),
        ("half an hour", 30),
        ("two hours", 120),
        ("45-minute slot", 45),
        ("x", None),
    ],
)
def test_lengths_of_time(text, minutes):
    assert TIMES.minutes(text)[0] == minutes
