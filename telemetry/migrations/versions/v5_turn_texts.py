"""Full-text search over turns: SQLite's FTS5 over the kept texts, or PostgreSQL's `tsvector` beside them."""

import sqlalchemy as sa
from alembic import op

revision = "v5"
down_revision = "v4"

TOKENS = "unicode61 remove_diacritics 2 categories ''L* N* M* Co So''"
FORGET = "INSERT INTO turn_words(turn_words, rowid, whose, said) VALUES ('delete', old.number, old.whose, old.said);"
LEARN = "INSERT INTO turn_words(rowid, whose, said) VALUES (new.number, new.whose, new.said);"
SQLITE = (
    "CREATE VIRTUAL TABLE turn_words USING fts5("
    f"whose, said, content='turn_text', content_rowid='number', columnsize=0, tokenize='{TOKENS}')",
    f"CREATE TRIGGER turn_text_insert AFTER INSERT ON turn_text BEGIN {LEARN} END",
    f"CREATE TRIGGER turn_text_update AFTER UPDATE ON turn_text BEGIN {FORGET} {LEARN} END",
    f"CREATE TRIGGER turn_text_delete AFTER DELETE ON turn_text BEGIN {FORGET} END",
    "CREATE TRIGGER turn_delete AFTER DELETE ON turn BEGIN DELETE FROM turn_text WHERE turn_id = old.turn_id; END",
)
POSTGRES = (
    "ALTER TABLE turn_text ADD COLUMN words tsvector NOT NULL",
    "CREATE INDEX turn_text_words ON turn_text USING gin (words)",
    "CREATE INDEX turn_text_whose ON turn_text (whose, number)",
    "ALTER TABLE turn_text ADD FOREIGN KEY (turn_id) REFERENCES turn ON DELETE CASCADE",
)
"""A text goes with its turn's row: by a trigger, or by its key."""


def upgrade() -> None:
    """Make the table and its index."""
    op.create_table(
        "turn_text",
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("turn_id", sa.String, nullable=False, unique=True),
        sa.Column("whose", sa.String, nullable=False),
        sa.Column("said", sa.String, nullable=False),
    )
    for statement in POSTGRES if op.get_bind().dialect.name == "postgresql" else SQLITE:
        op.execute(statement)


def downgrade() -> None:
    """Drop them."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TRIGGER turn_delete")
        op.execute("DROP TABLE turn_words")
    op.drop_table("turn_text")
