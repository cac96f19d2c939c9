"""Numbers as people read them, each kind formatted in one place; what is not known says so."""

from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from telemetry.phases import Phase
from telemetry.pricing import PICO_PER_USD

UNKNOWN = "unknown"
NONE = "–"
MILLI = 10**6
SECOND = 10**9
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

PHASE_NAMES = {
    Phase.CACHE_LOOKUP: "Cache lookup",
    Phase.ROUTING: "Routing",
    Phase.ORCHESTRATOR_LLM: "Orchestrator model",
    Phase.MCP_SETUP: "Tool set-up",
    Phase.SPECIALIST_LLM: "Specialist model",
    Phase.TOOL: "Tool",
    Phase.GOOGLE_API: "Google",
    Phase.APPROVAL_WAIT: "Waiting for you",
    Phase.PERSIST: "Storing",
    Phase.FRAMEWORK: "Own overhead",
}


def duration(ns: float | None) -> str:
    """A duration given in nanoseconds: `0.04 ms`, `9 ms`, `1.8 s`, `2 min 5 s`, `1 h 3 min`."""
    if ns is None:
        return NONE
    size = abs(ns)
    sign = "-" if ns < 0 else ""
    if size < 999.5 * MILLI:
        return f"{sign}{short(size / MILLI)} ms"
    if size < 59.95 * SECOND:
        return f"{sign}{size / SECOND:.{2 if size < 9.995 * SECOND else 1}f} s"
    if size < HOUR - SECOND / 2:
        minutes, seconds = divmod(round(size / SECOND), 60)
        return f"{sign}{minutes} min {seconds} s"
    hours, minutes = divmod(round(size / MINUTE), 60)
    return f"{sign}{hours:,} h {minutes} min"


def short(value: float) -> str:
    """A number under 1,000 with two digits that count."""
    if value == 0:
        return "0"
    if value < 0.095:
        return f"{value:.2f}" if value >= 0.005 else "<0.01"
    return f"{value:.1f}" if value < 9.95 else f"{value:.0f}"


def count(number: int | None) -> str:
    """A count: `1,240`."""
    return UNKNOWN if number is None else f"{number:,}"


def counted(number: int, noun: str) -> str:
    """A count with its noun: `1 tool`, `2 tools`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def tokens(number: int | None, estimated: bool = False) -> str:
    """Tokens: `1,240 tokens`, `about 1,240 tokens` if they are our estimate, `tokens unknown`."""
    if number is None:
        return "tokens unknown"
    return f"{'about ' if estimated else ''}{counted(number, 'token')}"


def usd(pico_usd: int | None) -> str | None:
    """An exact amount in USD as plain decimal text, as the HTTP contract wants it: `0.000153`."""
    if pico_usd is None:
        return None
    text = f"{Decimal(pico_usd) / PICO_PER_USD:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def money(pico_usd: int | None, unpriced: int = 0) -> str:
    """An amount for people: `$12.40`, `$0.0004`, `$0.0004 + 1 unpriced`, `unpriced`."""
    if pico_usd is None:
        return "unpriced"
    amount = Decimal(pico_usd) / PICO_PER_USD
    if amount == 0 or amount >= 1:
        text = f"{amount:,.2f}" if amount else "0"
    else:
        text = f"{amount:.{max(2, 1 - amount.adjusted())}f}"
    return f"${text}" + (f" + {unpriced:,} unpriced" if unpriced else "")


def percent(share: float | None) -> str:
    """A share of 1 in per cent: `0.6 %`, `40 %`."""
    if share is None:
        return NONE
    value = share * 100
    if 0 < abs(value) < 0.05:
        return "<0.1 %"
    return f"{value:.0f} %" if value == 0 or abs(value) >= 9.95 else f"{value:.1f} %"


def points(change: float | None) -> str:
    """A change of a share of 1 in percentage points: `2.5 pp`."""
    return percent(change).replace("%", "pp")


def size(number: int) -> str:
    """A number of bytes: `512 B`, `8.2 kB`, `1.4 MB`."""
    if number < 1000:
        return f"{number} B"
    return f"{number / 1000:.1f} kB" if number < 999_950 else f"{number / 1_000_000:.1f} MB"


def local(ns: int, zone: ZoneInfo) -> datetime:
    """A moment given in Unix nanoseconds, in a zone."""
    return datetime.fromtimestamp(ns / SECOND, UTC).astimezone(zone)


def moment(ns: int, zone: ZoneInfo) -> str:
    """A moment to the second: `Mon 30 Nov 2026, 12:03:04`."""
    return f"{local(ns, zone):%a %-d %b %Y, %H:%M:%S}"


def phase(name: str) -> str:
    """A phase in words."""
    return PHASE_NAMES[Phase(name)]
