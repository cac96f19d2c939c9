"""Hourly sums, the latency of a turn as a column, and indexes for reads over all users."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "v6"
down_revision = "v5"

PHASES = (
    *("cache_lookup", "routing", "orchestrator_llm", "mcp_setup", "specialist_llm", "tool", "google_api"),
    *("approval_wait", "persist", "framework"),
)
TOKENS = ("input", "cached", "output", "reasoning")
INDEXES = (
    ("turn_start", "turn", ["start_ns"]),
    ("turn_user_latency", "turn", ["user_id", "latency_ns"]),
    ("turn_latency", "turn", ["latency_ns"]),
    ("tool_call_start", "tool_call", ["start_ns"]),
)
UNPRICED = "llm_call_unpriced"


def upgrade() -> None:
    """Make them; the sums themselves are made at the next start."""
    op.add_column("turn", sa.Column("latency_ns", sa.BigInteger))
    turn = sa.table("turn", sa.column("wall_ns"), sa.column("latency_ns"), sa.column("phases", sa.JSON))
    waited = sa.cast(turn.c.phases["approval_wait"].as_string(), sa.BigInteger)
    op.execute(sa.update(turn).values(latency_ns=turn.c.wall_ns - sa.func.coalesce(waited, 0)))
    op.create_table("facet", number("facet_id", key=True), sa.Column("value", sa.JSON, nullable=False))
    create_hours()
    for name, table, columns in INDEXES:
        op.create_index(name, table, columns)
    no_cost = sa.text("cost_pico_usd IS NULL")
    op.create_index(UNPRICED, "llm_call", ["start_ns"], sqlite_where=no_cost, postgresql_where=no_cost)


def create_hours() -> None:
    """Create the tables of sums."""
    op.create_table(
        "turn_hour",
        *keys("turn_facet"),
        *small("turns", "cached", "saved_known", "requests", "tools", "unpriced"),
        *(number(name) for name in ("saved_pico_usd", "pico_usd", *(f"{name}_ns" for name in PHASES))),
        sa.Column("times", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "llm_hour",
        *keys("turn_facet", "call_facet"),
        *small("calls", "unpriced", "unreported", "estimated", *(f"{name}_known" for name in TOKENS)),
        *(number(name) for name in (*(f"{name}_tokens" for name in TOKENS), "pico_usd")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tool_hour",
        *keys("turn_facet", "call_facet"),
        *small("calls", "ok", "failed", "result_known"),
        *(number(name) for name in ("result_bytes", "last_ns")),
        sa.Column("errors", sa.JSON, nullable=False),
        sa.Column("times", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )


def keys(*facets: str) -> list[sa.Column[Any]]:
    """The columns by which a cell is known."""
    user = sa.Column("user_id", sa.String, primary_key=True)
    return [user, number("start_ns", key=True), *(facet(name) for name in facets)]


def small(*names: str) -> list[sa.Column[Any]]:
    """Columns of numbers that stay small."""
    return [sa.Column(name, sa.Integer, nullable=False) for name in names]


def facet(name: str) -> sa.Column[Any]:
    """A column that names a facet."""
    return sa.Column(name, sa.BigInteger, sa.ForeignKey("facet.facet_id"), primary_key=True, autoincrement=False)


def number(name: str, key: bool = False) -> sa.Column[Any]:
    """A column of large whole numbers."""
    return sa.Column(name, sa.BigInteger, primary_key=key, nullable=False, autoincrement=False)


def downgrade() -> None:
    """Drop them."""
    op.drop_index(UNPRICED, "llm_call")
    for name, table, _ in INDEXES:
        op.drop_index(name, table)
    for table in ("tool_hour", "llm_hour", "turn_hour", "facet"):
        op.drop_table(table)
    op.drop_column("turn", "latency_ns")
