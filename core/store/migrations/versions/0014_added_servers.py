"""The MCP servers that people have added."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "added_server",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("domain", sa.String, nullable=False),
        sa.Column("title", sa.String, nullable=False),
        sa.Column("description", sa.String, nullable=False),
        sa.Column("own_words", sa.Boolean, nullable=False),
        sa.Column("shown", sa.String, nullable=False),
        sa.Column("sealed", sa.String, nullable=False),
        sa.Column("public_only", sa.Boolean, nullable=False),
        sa.Column("tools", sa.JSON, nullable=False),
        sa.Column("left_out", sa.JSON, nullable=False),
        sa.Column("reading", sa.JSON, nullable=False),
        sa.Column("changed", sa.JSON, nullable=False),
        sa.Column("added_at", sa.DateTime, nullable=False),
        sa.Column("seen_at", sa.DateTime),
        sa.Column("problem", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_index("added_server_domain", "added_server", ["user_id", "domain"], unique=True)


def downgrade() -> None:
    """Drop it."""
    op.drop_table("added_server")
