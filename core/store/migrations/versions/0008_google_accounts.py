"""Connected Google accounts, the consents that are under way, and the account of a conversation."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "google_connection",
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("email", sa.String, primary_key=True),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("sealed", sa.String, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("wanted", sa.JSON, nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("is_default", sa.Boolean, nullable=False),
        sa.Column("connected", sa.BigInteger, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("lease", sa.String),
        sa.Column("lease_until", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "google_consent",
        sa.Column("digest", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, nullable=False),
        sa.Column("service", sa.String, nullable=False),
        sa.Column("write", sa.Boolean, nullable=False),
        sa.Column("email", sa.String, nullable=False),
        sa.Column("scopes", sa.JSON, nullable=False),
        sa.Column("redirect_uri", sa.String, nullable=False),
        sa.Column("return_to", sa.String, nullable=False),
        sa.Column("verifier", sa.String, nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.Column("used", sa.BigInteger),
    )
    op.create_table(
        "google_client",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("sealed", sa.String, nullable=False),
        sa.Column("set_by", sa.String, nullable=False),
        sa.Column("set_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "vault_mark",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("sealed", sa.String, nullable=False),
    )
    op.create_table("sandbox_guest", sa.Column("user_id", sa.String, primary_key=True))
    op.add_column("conversation", sa.Column("account", sa.String, nullable=False, server_default=""))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("conversation", "account")
    for table in ("sandbox_guest", "vault_mark", "google_client", "google_consent", "google_connection"):
        op.drop_table(table)
