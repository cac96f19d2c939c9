"""Rules about numbers that should not become too large, what they say now, and what they said."""

import sqlalchemy as sa
from alembic import op

revision = "v12"
down_revision = "v11"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "alert_rule",
        sa.Column("rule_id", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("everybody", sa.Boolean, nullable=False),
        sa.Column("measure", sa.String, nullable=False),
        sa.Column("tool", sa.String),
        sa.Column("minutes", sa.Integer, nullable=False),
        sa.Column("warn", sa.Float),
        sa.Column("alert", sa.Float),
        sa.Column("least", sa.Integer, nullable=False),
        sa.Column("again_minutes", sa.Integer, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("value", sa.Float),
        sa.Column("since_ns", sa.BigInteger, nullable=False),
        sa.Column("checked_ns", sa.BigInteger, nullable=False),
        sa.Column("told", sa.String, nullable=False),
        sa.Column("told_ns", sa.BigInteger, nullable=False),
    )
    op.create_index("alert_rule_user", "alert_rule", ["user_id"])
    op.create_table(
        "alert_event",
        sa.Column("rule_id", sa.String, primary_key=True),
        sa.Column("at_ns", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("value", sa.Float),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("alert_event")
    op.drop_table("alert_rule")
