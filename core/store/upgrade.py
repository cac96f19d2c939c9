"""The app database's migrations by Alembic; a database that is up to date never gets here."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection

from core.errors import StorageError


def upgrade(connection: Connection, migrations: Path) -> None:
    """Apply the migrations that are missing, within the caller's transaction.

    Raises:
        StorageError: why not; the database may be of a newer version.
    """
    config = Config()
    config.set_main_option("script_location", str(migrations))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise StorageError(str(error)) from error
