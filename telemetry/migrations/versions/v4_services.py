"""Which service a turn was recorded by, where it was not this app."""

import sqlalchemy as sa
from alembic import op

revision = "v4"
down_revision = "v3"


def upgrade() -> None:
    """Add the column."""
    op.add_column("turn", sa.Column("service", sa.String))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("turn", "service")
