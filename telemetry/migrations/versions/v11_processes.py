"""Which process runs a turn; and room in PostgreSQL for whatever number of tokens other agents report."""

import sqlalchemy as sa
from alembic import op

revision = "v11"
down_revision = "v10"

TOKENS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")


def upgrade() -> None:
    """Add the column, and widen the others; SQLite's whole numbers are wide."""
    op.add_column("turn", sa.Column("process", sa.String))
    change_tokens(sa.Integer(), sa.BigInteger())


def downgrade() -> None:
    """Drop it."""
    change_tokens(sa.BigInteger(), sa.Integer())
    op.drop_column("turn", "process")


def change_tokens(old: sa.types.TypeEngine[int], new: sa.types.TypeEngine[int]) -> None:
    """Give the counts of tokens another width."""
    if op.get_bind().dialect.name != "sqlite":
        for table in ("turn", "llm_call"):
            for name in TOKENS:
                op.alter_column(table, name, type_=new, existing_type=old)
