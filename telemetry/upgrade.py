"""The telemetry database's migrations by Alembic; a database that is up to date never gets here."""

from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from telemetry.errors import TelemetryError


def upgrade(connection: Connection, migrations: Path, noted: str) -> None:
    """Apply the migrations that are missing, within the caller's transaction.

    Args:
        noted: the table that notes how far they have come.

    Raises:
        TelemetryError: why not; the database may be of a newer version.
    """
    config = Config()
    config.set_main_option("script_location", str(migrations))
    script = ScriptDirectory.from_config(config)

    def steps(revision: Any, _context: MigrationContext) -> list[RevisionStep]:
        return script._upgrade_revs("head", revision)

    try:
        with EnvironmentContext(config, script, fn=steps) as environment:
            environment.configure(connection=connection, version_table=noted)
            environment.run_migrations()
    except CommandError as error:
        raise TelemetryError(str(error)) from error
