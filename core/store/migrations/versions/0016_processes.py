"""Which process runs a turn, and which one holds a turn that waits."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the columns."""
    op.add_column("exchange", sa.Column("process", sa.String))
    op.add_column("parked", sa.Column("holder", sa.String))
    op.add_column("parked", sa.Column("resumed", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("parked", "resumed")
    op.drop_column("parked", "holder")
    op.drop_column("exchange", "process")
