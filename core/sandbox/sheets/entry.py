"""What a person types into a cell, understood as Sheets does in the locale en_US."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time

MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
LIKELY = re.compile(rf"\d{{1,4}}[-/]\w|\d{{1,2}}:\d\d|\d{{1,2}} {MONTH}|{MONTH}[a-z]* \d", re.IGNORECASE)
"""How a date or a time begins; to try all forms on every text would take long."""
EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001  (a cell's dates have no zone)
NUMBER = re.compile(
    r"(?P<open>\()?\s*(?P<sign>[+-])?\s*(?P<money>[$€£¥])?\s*(?P<minus>-)?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+|\d+)?(?P<fraction>\.\d*)?(?P<power>[eE][+-]?\d+)?"
    r"\s*(?P<after>[€%])?\s*(?P<close>\))?"
)
DATES = (
    ("%Y-%m-%d", "yyyy-mm-dd"),
    ("%Y/%m/%d", "yyyy/mm/dd"),
    ("%m/%d/%Y", "m/d/yyyy"),
    ("%m/%d/%y", "m/d/yy"),
    ("%m-%d-%Y", "m-d-yyyy"),
    ("%b %d, %Y", "mmm d, yyyy"),
    ("%B %d, %Y", "mmmm d, yyyy"),
    ("%d %b %Y", "d mmm yyyy"),
    ("%d %B %Y", "d mmmm yyyy"),
    ("%d-%b-%Y", "d-mmm-yyyy"),
)
YEARLESS = (("%m/%d %Y", "m/d"), ("%b %d %Y", "mmm d"), ("%d %b %Y", "d mmm"), ("%B %d %Y", "mmmm d"))
TIMES = (
    ("%H:%M", "h:mm"),
    ("%H:%M:%S", "h:mm:ss"),
    ("%I:%M %p", "h:mm am/pm"),
    ("%I:%M:%S %p", "h:mm:ss am/pm"),
)


@dataclass(frozen=True)
class Entry:
    """A cell's content, and the number pattern that it brings along (None: none)."""

    value: str | float | bool
    pattern: str | None = None


def understood(text: str, today: date) -> Entry:
    """What typed text means; a formula is not for here.

    Args:
        today: for a date without a year.
    """
    if text.startswith("'"):
        return Entry(text[1:])
    stripped = text.strip()
    if stripped.upper() in ("TRUE", "FALSE"):
        return Entry(stripped.upper() == "TRUE")
    return number(stripped) or moment(stripped, today) or Entry(text)


def number(text: str) -> Entry | None:
    """A number, an amount of money or a percentage, None where it is none."""
    match = NUMBER.fullmatch(text)
    if match is None or not re.search(r"\d", text) or bool(match["open"]) != bool(match["close"]):
        return None
    if (match["money"] and match["after"]) or (match["power"] and (match["money"] or match["after"])):
        return None
    digits = f"{match['digits'] or '0'}{match['fraction'] or ''}{match['power'] or ''}"
    value = float(digits.replace(",", ""))
    if match["open"] or match["sign"] == "-" or match["minus"]:
        value = -value
    return Entry(value / 100 if match["after"] == "%" else value, pattern(match))


def pattern(match: re.Match[str]) -> str | None:
    """The number pattern that a typed number brings along."""
    cents = len(match["fraction"] or "") > 1
    if match["after"] == "%":
        return "0.00%" if cents else "0%"
    money, after = match["money"] or "", match["after"] or ""
    if money or after:
        return (f'"{money}"' if money else "") + ("#,##0.00" if cents else "#,##0") + (f'"{after}"' if after else "")
    if match["power"]:
        return "0.00E+00"
    if "," in (match["digits"] or ""):
        return "#,##0.00" if cents else "#,##0"
    return None


def moment(text: str, today: date) -> Entry | None:
    """A date, a time or both, None where it is none."""
    if len(text) > 40 or not LIKELY.match(text):
        return None
    for form, shape in forms(clock=":" in text):
        try:
            found = datetime.strptime(text, form)  # noqa: DTZ007
        except ValueError:
            continue
        if form in dict(TIMES):
            found = datetime.combine(EPOCH, found.time())
        return Entry(serial(found), shape)
    for form, shape in YEARLESS:
        try:
            return Entry(serial(datetime.strptime(f"{text} {today.year}", form)), shape)  # noqa: DTZ007
        except ValueError:
            continue
    return None


def forms(clock: bool) -> Iterator[tuple[str, str]]:
    """The forms of dates, or of what has a time of day, with the patterns that they bring along."""
    if not clock:
        yield from DATES
        return
    yield from TIMES
    for form, shape in DATES:
        for time_of_day, hours in TIMES:
            yield f"{form} {time_of_day}", f"{shape} {hours}"
            if form == "%Y-%m-%d":
                yield f"{form}T{time_of_day}", f"{shape} {hours}"


def serial(moment: datetime | date | time) -> float:
    """A date and time as the number that a cell holds: days since 30 December 1899."""
    if isinstance(moment, time):
        moment = datetime.combine(EPOCH, moment)
    elif not isinstance(moment, datetime):
        moment = datetime.combine(moment, time())
    return (moment - EPOCH).total_seconds() / 86400
