"""Daily sums beside the hourly ones, filled from these."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from struct import pack, unpack
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "v14"
down_revision = "v13"

DAY = 24 * 3600 * 10**9
PHASES = (
    *("cache_lookup", "routing", "orchestrator_llm", "mcp_setup", "specialist_llm", "tool", "google_api"),
    *("approval_wait", "persist", "framework"),
)
TOKENS = ("input", "cached", "output", "reasoning")
KEYS = {
    "turn": ("user_id", "start_ns", "turn_facet"),
    **dict.fromkeys(("llm", "tool"), ("user_id", "start_ns", "turn_facet", "call_facet")),
}
SMALL: dict[str, tuple[str, ...]] = {
    "turn": ("turns", "cached", "saved_known", "requests", "tools", "unpriced"),
    "llm": ("calls", "unpriced", "unreported", "estimated", *(f"{name}_known" for name in TOKENS)),
    "tool": ("calls", "ok", "failed", "result_known"),
}
LARGE: dict[str, tuple[str, ...]] = {
    "turn": ("saved_pico_usd", "pico_usd", *(f"{name}_ns" for name in PHASES)),
    "llm": (*(f"{name}_tokens" for name in TOKENS), "pico_usd"),
    "tool": ("result_bytes", "tokens_known", "result_tokens", "last_ns"),
}
TYPES: dict[str, Any] = {"errors": sa.JSON(), "times": sa.LargeBinary()}
COUNTED = ("tokens_known", "result_tokens")
AT_ONCE = 500


def upgrade() -> None:
    """Make the tables and fill them."""
    for kind in KEYS:
        create(kind)
    for kind in KEYS:
        fill(kind)


def create(kind: str) -> None:
    """Make the table of days of turns, model calls or tool calls."""
    facets = [name for name in KEYS[kind] if name.endswith("_facet")]
    texts = [sa.Column("errors", sa.JSON, nullable=False)] if kind == "tool" else []
    times = [] if kind == "llm" else [sa.Column("times", sa.LargeBinary, nullable=False)]
    op.create_table(
        f"{kind}_day",
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("start_ns", sa.BigInteger, primary_key=True, autoincrement=False),
        *(
            sa.Column(name, sa.BigInteger, sa.ForeignKey("facet.facet_id"), primary_key=True, autoincrement=False)
            for name in facets
        ),
        *(sa.Column(name, sa.Integer, nullable=False) for name in SMALL[kind]),
        *(
            sa.Column(name, sa.BigInteger, nullable=False, server_default="0" if name in COUNTED else None)
            for name in LARGE[kind]
        ),
        *texts,
        *times,
        sqlite_with_rowid=False,
    )


def fill(kind: str) -> None:
    """Sum the hours of each user, one after another."""
    columns = [(name, TYPES.get(name)) for name in columns_of(kind)]
    hour, day = (sa.table(f"{kind}_{what}", *(sa.column(*one) for one in columns)) for what in ("hour", "day"))
    connection = op.get_bind()
    for user in connection.scalars(sa.select(hour.c.user_id).distinct()).all():
        found = connection.execute(sa.select(hour).where(hour.c.user_id == user).order_by(hour.c.start_ns))
        rows = list(summed(kind, found.mappings()))
        for start in range(0, len(rows), AT_ONCE):
            connection.execute(sa.insert(day), rows[start : start + AT_ONCE])


def columns_of(kind: str) -> list[str]:
    """The columns of both tables."""
    blobs = {"turn": ["times"], "llm": [], "tool": ["errors", "times"]}
    return [*KEYS[kind], *SMALL[kind], *LARGE[kind], *blobs[kind]]


def summed(kind: str, hours: Iterable[Mapping[Any, Any]]) -> Iterator[dict[str, Any]]:
    """The rows of days, from the rows of one user's hours in order of time."""
    facets = KEYS[kind][2:]
    for start, group in groupby(hours, lambda row: row["start_ns"] // DAY * DAY):
        cells: dict[Any, list[Mapping[Any, Any]]] = {}
        for row in group:
            cells.setdefault(tuple(row[name] for name in facets), []).append(row)
        for key, rows in cells.items():
            found = {"user_id": rows[0]["user_id"], "start_ns": start, **dict(zip(facets, key, strict=True))}
            yield found | {name: total(name, rows) for name in columns_of(kind)[len(KEYS[kind]) :]}


def total(name: str, rows: Sequence[Mapping[Any, Any]]) -> Any:
    """A column's sum."""
    values = [row[name] for row in rows]
    match name:
        case "times":
            return together(values)
        case "errors":
            kinds: Counter[str] = Counter()
            for value in values:
                kinds.update(value)
            return dict(sorted(kinds.items()))
        case "last_ns":
            return max(values)
    return sum(values)


def together(histograms: Sequence[bytes]) -> bytes:
    """Histograms as one: pairs of a place and a number, 32 bits each."""
    places: Counter[int] = Counter()
    for data in histograms:
        numbers = unpack(f"<{len(data) // 4}i", data)
        for place, number in zip(numbers[::2], numbers[1::2], strict=True):
            places[place] += number
    pairs = [number for place in sorted(places) if places[place] for number in (place, places[place])]
    return pack(f"<{len(pairs)}i", *pairs)


def downgrade() -> None:
    """Drop them."""
    for kind in KEYS:
        op.drop_table(f"{kind}_day")
