"""Number patterns: their kinds, the usual ones, and how a number looks without any."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from core.sandbox.sheets.entry import EPOCH

AUTOMATIC = "general"
USUAL = {
    "NUMBER": "#,##0.00",
    "PERCENT": "0.00%",
    "CURRENCY": '"$"#,##0.00',
    "DATE": "m/d/yyyy",
    "TIME": "h:mm:ss am/pm",
    "DATE_TIME": "m/d/yyyy h:mm:ss",
    "SCIENTIFIC": "0.00E+00",
    "TEXT": "@",
}
"""The pattern of a type that is asked for without one, in the locale en_US."""

LITERAL = re.compile(r'"[^"]*"|\\.')
MONEY = re.compile(r"[$€£¥]|\[\$")


def kind(pattern: str) -> str:
    """Google's type of a pattern, such as `PERCENT`."""
    bare = LITERAL.sub("", pattern).lower()
    days, clock = bool(re.search(r"[yd]|mmm", bare)), bool(re.search(r"[hs]", bare))
    if days or clock:
        return "DATE_TIME" if days and clock else "DATE" if days else "TIME"
    if bare.strip() == "@":
        return "TEXT"
    if "%" in bare:
        return "PERCENT"
    if MONEY.search(pattern):
        return "CURRENCY"
    return "SCIENTIFIC" if re.search(r"[0#]e[+-]", bare) else "NUMBER"


def is_date(pattern: str) -> bool:
    """Whether a pattern shows a number as a date or a time."""
    return kind(pattern) in ("DATE", "TIME", "DATE_TIME")


def automatic(value: float) -> str:
    """A number as a cell without a pattern shows it."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = f"{value:.10g}"
    mantissa, mark, power = text.partition("e")
    return f"{mantissa}E{power[0]}{power[1:].lstrip('0').rjust(2, '0')}" if mark else text


TOKENS = re.compile(r'"([^"]*)"|\\\\(.)|(\[h+\])|(am/pm|a/p)|(y+|m+|d+|h+|s+)|(.)', re.IGNORECASE | re.DOTALL)


def dated(value: float, pattern: str) -> str:
    """A number as a date or a time, to the nearest second; the engine would cut the second."""
    moment = EPOCH + timedelta(seconds=round(value * 86400))
    twelve = re.search(r"am/pm|a/p", LITERAL.sub("", pattern), re.IGNORECASE) is not None
    return "".join(pieces(moment, pattern, twelve))


def pieces(moment: datetime, pattern: str, twelve: bool) -> Iterator[str]:
    """The parts of a date pattern, filled in."""
    clock = False
    for match in TOKENS.finditer(pattern):
        quoted, escaped, hours, half, letters, other = match.groups()
        if letters:
            rest = pattern[match.end() :].lstrip(":. ").lower()
            sign = letters[0].lower()
            minute = sign == "m" and len(letters) < 3 and (clock or rest.startswith("s"))
            yield piece(moment, "n" if minute else sign, len(letters), twelve)
            clock = sign in "hs"
        elif hours:
            yield str(int((moment - EPOCH).total_seconds()) // 3600)
            clock = True
        elif half:
            yield f"{moment:%p}"
        else:
            yield quoted if quoted is not None else escaped or other


def piece(moment: datetime, sign: str, length: int, twelve: bool) -> str:
    """One part of a date; `n` is a minute."""
    if sign == "y":
        return f"{moment.year:04d}" if length > 2 else f"{moment.year % 100:02d}"
    if sign in "md" and length > 2:
        name = f"{moment:%B}" if sign == "m" else f"{moment:%A}"
        return name if length > 3 else name[:3]
    hour = (moment.hour % 12 or 12) if twelve else moment.hour
    number = {"m": moment.month, "d": moment.day, "h": hour, "n": moment.minute, "s": moment.second}[sign]
    return f"{number:02d}" if length > 1 else str(number)
