"""The processes of the app that use one database: which of them live, and are at work on something."""

from collections.abc import Collection
from typing import Protocol

from sqlalchemy import Engine


class Processes(Protocol):
    """This process among the others."""

    id: str

    def living(self, ids: Collection[str]) -> set[str]:
        """Those of some processes that are still there."""

    def follow(self, engine: Engine) -> None:
        """Be seen again when the connection to the server was lost."""

    def close(self) -> None:
        """This process no longer uses the database."""


class Alone:
    """No other process uses the database."""

    id = ""

    def living(self, ids: Collection[str]) -> set[str]:
        """Nobody else."""
        return set()

    def follow(self, engine: Engine) -> None:
        """Nobody looks."""

    def close(self) -> None:
        """Nobody looks."""


def elsewhere(processes: Processes, names: Collection[str | None]) -> set[str]:
    """Those of some processes that live and are not this one."""
    return processes.living([name for name in names if name]) - {processes.id}
