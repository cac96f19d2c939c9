"""The Google account that acted in a turn: a conversation may change it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the column."""
    op.add_column("exchange", sa.Column("account", sa.String, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("exchange", "account")
