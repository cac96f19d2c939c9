"""Deleted conversations, superseded exchanges, and full-text search (SQLite; other databases compare texts)."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

FORGET = (
    "INSERT INTO exchange_text(exchange_text, rowid, question, answer) "
    "SELECT 'delete', number, old.question, old.answer FROM exchange_number WHERE turn_id = old.turn_id;"
)
LEARN = (
    "INSERT INTO exchange_text(rowid, question, answer) "
    "SELECT number, new.question, new.answer FROM exchange_number WHERE turn_id = new.turn_id;"
)
SEARCH = (
    "CREATE TABLE exchange_number (number INTEGER PRIMARY KEY, turn_id VARCHAR NOT NULL UNIQUE)",
    "CREATE VIEW exchange_said AS SELECT number, question, answer FROM exchange_number JOIN exchange USING (turn_id)",
    "CREATE VIRTUAL TABLE exchange_text USING fts5("
    "question, answer, content='exchange_said', content_rowid='number', tokenize='trigram')",
    "CREATE TRIGGER exchange_text_insert AFTER INSERT ON exchange BEGIN "
    f"INSERT INTO exchange_number(turn_id) VALUES (new.turn_id); {LEARN} END",
    f"CREATE TRIGGER exchange_text_update AFTER UPDATE OF question, answer ON exchange BEGIN {FORGET} {LEARN} END",
    "CREATE TRIGGER exchange_text_delete AFTER DELETE ON exchange BEGIN "
    f"{FORGET} DELETE FROM exchange_number WHERE turn_id = old.turn_id; END",
    "INSERT INTO exchange_number(turn_id) SELECT turn_id FROM exchange",
    "INSERT INTO exchange_text(exchange_text) VALUES ('rebuild')",
)
"""The index keeps no text of its own. Its row ids are numbers that never change, which those of `exchange` may."""


def upgrade() -> None:
    """Add the columns, and the index where the database is SQLite."""
    op.add_column("conversation", sa.Column("deleted_at", sa.DateTime))
    op.add_column("exchange", sa.Column("superseded_by", sa.String))
    op.create_index("exchange_superseded_by", "exchange", ["superseded_by"])
    if op.get_bind().dialect.name == "sqlite":
        for statement in SEARCH:
            op.execute(statement)


def downgrade() -> None:
    """Drop them."""
    if op.get_bind().dialect.name == "sqlite":
        for name in ("insert", "update", "delete"):
            op.execute(f"DROP TRIGGER exchange_text_{name}")
        for kind, name in (("TABLE", "exchange_text"), ("VIEW", "exchange_said"), ("TABLE", "exchange_number")):
            op.execute(f"DROP {kind} {name}")
    op.drop_index("exchange_superseded_by", "exchange")
    op.drop_column("exchange", "superseded_by")
    op.drop_column("conversation", "deleted_at")
