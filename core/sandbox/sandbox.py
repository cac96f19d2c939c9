"""The sandbox as a whole: the world's file, the APIs over it, its seed and its faults."""

import sqlite3
from collections.abc import Callable, Collection
from datetime import date, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from zoneinfo import ZoneInfo

from sqlalchemy.exc import DBAPIError
from sqlmodel import Field

from core.sandbox import calendar, docs, drive, gmail, sheets, slides
from core.sandbox.faults import Faults
from core.sandbox.oauth.endpoints import Endpoints
from core.sandbox.oauth.office import Office
from core.sandbox.routes import Router
from core.sandbox.transport import SandboxHttp, utc_now
from core.sandbox.world import Table, World, unusable
from core.settings import ROOT
from core.users import SANDBOX_ACCOUNT

SEED_FILES = ROOT / "data" / "sandbox"
APIS = (calendar, docs, gmail, sheets, slides)
NATIVES = (docs.NATIVE, sheets.NATIVE, slides.NATIVE)
"""The services that keep what Google's own files hold."""


class SeedRow(Table, table=True):
    """For which day, zone and seed the world was last made ready."""

    __tablename__ = "seed"

    id: int = Field(default=1, primary_key=True)
    mark: str


class Sandbox:
    """The offline Workspace.

    Args:
        path: the world's SQLite file; several processes may open the same one.
        zone: IANA name of the persona's time zone.
        now: the clock, aware.
        accounts: the accounts that exist; any other gets 401.
    """

    def __init__(
        self,
        path: Path,
        zone: str,
        now: Callable[[], datetime] = utc_now,
        accounts: Collection[str] = (SANDBOX_ACCOUNT,),
    ) -> None:
        self.world = World(path, zone)
        self.faults = Faults(self.world)
        self.office = Office(self.world, now, accounts)
        self._endpoints = Endpoints(self.office)
        self._now, self._accounts = now, accounts
        self._day: date | None = None
        self._dawn = Lock()
        self._router = Router([*(route for api in APIS for route in api.ROUTES), *drive.routes(NATIVES)])

    def open(self) -> None:
        """Make the tables and bring the seed world up to today; quick where another process did so already.

        Raises:
            StorageError: the world's file cannot be used.
        """
        today = self._today()
        mark = seed_mark(today, self.world.zone)
        try:
            with self.world.alone():
                self.world.create()
                if self._mark() != mark:
                    self._seed(today, mark)
        except (DBAPIError, sqlite3.Error) as error:
            raise unusable(self.world.path, error) from error
        self._day = today

    def rise(self) -> None:
        """Bring an open world up to a new day: at the first request after midnight, which waits for it.

        Raises:
            StorageError: the world's file cannot be used.
        """
        if self._day in (None, self._today()):
            return
        with self._dawn:
            if self._day != self._today():
                self.open()

    def _today(self) -> date:
        return self._now().astimezone(ZoneInfo(self.world.zone)).date()

    def http(self, account: str, timeout: float = 20.0) -> SandboxHttp:
        """A transport for googleapiclient, acting as an account.

        Args:
            timeout: seconds that a slow answer is waited for.
        """
        return SandboxHttp(self.world, self._router, account, self._now, self._accounts, timeout, rise=self.rise)

    def line(self, timeout: float = 20.0) -> SandboxHttp:
        """A transport that knows nobody: each request must bring a token of the sandbox's sign-in.

        Args:
            timeout: as of `http`.
        """
        return SandboxHttp(self.world, self._router, "", self._now, None, timeout, self._endpoints, self.rise)

    def close(self) -> None:
        """Give the file back."""
        self.world.close()

    def _mark(self) -> str:
        with self.world.session() as session:
            row = session.get(SeedRow, 1)
            return row.mark if row else ""

    def _seed(self, today: date, mark: str) -> None:
        calendar.seed(self.world, today)
        gmail.seed(self.world, today, self._now)
        drive.seed(self.world, today)
        docs.seed(self.world, today)
        sheets.seed(self.world, today)
        slides.seed(self.world, today)
        with self.world.change() as session:
            session.merge(SeedRow(mark=mark))


def seed_mark(today: date, zone: str) -> str:
    """What the seeded world depends on: the day, the zone, the seed's files."""
    digest = sha256(f"{today} {zone}".encode())
    for file in sorted(path for path in SEED_FILES.rglob("*") if path.is_file()):
        digest.update(file.read_bytes())
    return digest.hexdigest()
