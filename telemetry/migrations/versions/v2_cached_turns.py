"""Whether a turn's answer was remembered, and what that saved."""

import sqlalchemy as sa
from alembic import op

revision = "v2"
down_revision = "v1"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("turn", sa.Column("cached", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("turn", sa.Column("saved_pico_usd", sa.BigInteger))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("turn", "saved_pico_usd")
    op.drop_column("turn", "cached")
