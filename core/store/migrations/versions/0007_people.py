"""The people who may sign in, and the tokens with which their programs call."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "person",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("email", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("zone", sa.String),
        sa.Column("read_only", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("seen_at", sa.DateTime, nullable=False),
        sa.Column("disabled_at", sa.DateTime),
    )
    op.create_index("person_email", "person", ["email"])
    op.create_table(
        "api_token",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False, unique=True),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime, nullable=False),
        sa.Column("used_at", sa.DateTime),
    )
    op.create_index("api_token_user", "api_token", ["user_id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("api_token")
    op.drop_table("person")
