"""How many earlier turns of a conversation reached the model whole, where it was not all."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the column."""
    op.add_column("exchange", sa.Column("shortened", sa.JSON, nullable=False, server_default="{}"))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("exchange", "shortened")
