"""A private PostgreSQL cluster for the tests: made and started when a test wants it, stopped at the end of the run."""

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

import psycopg
from psycopg import sql

DEBIAN = Path("/usr/lib/postgresql")
OWNER = "glassdesk"
MISSING = "PostgreSQL's initdb was not found. Debian: apt-get install postgresql."
SECONDS = 60
ZONE = "timezone=Pacific/Auckland"
"""Far from UTC, so that a time without its zone is noticed."""
FAST = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "shared_buffers=32MB",
    "max_connections=300",
    ZONE,
)
OTHERS_OUT = sql.SQL(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
EMPTY = sql.SQL("""
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT tgname, tgrelid::regclass AS relation FROM pg_trigger WHERE NOT tgisinternal LOOP
        EXECUTE format('DROP TRIGGER %I ON %s', one.tgname, one.relation);
    END LOOP;
    SET LOCAL session_replication_role = replica;
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '%version' LOOP
        EXECUTE format('DELETE FROM %I', one.tablename);
    END LOOP;
END $$""")
"""The app makes triggers on demand alone; none belongs to the tables."""
FOR_DEATH_OF_PARENT = 1
"""Linux's PR_SET_PDEATHSIG."""


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL's programs; None where there is none."""
    found = [path.parent for path in DEBIAN.glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: int(path.parent.name.partition(".")[0]))
    other = shutil.which("initdb")
    return Path(other).resolve().parent if other else None


class Cluster:
    """A running server that holds databases of tests; it listens on a socket in its own folder alone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.number = count(1).__next__
        self._free: dict[str, list[str]] = {}

    def url(self, database: str, user: str = OWNER, password: str = "") -> str:
        secret = f":{password}" if password else ""
        return f"postgresql+psycopg://{user}{secret}@/{database}?host={self.folder}"

    def create(self) -> str:
        """A new database with no tables; gives its name."""
        name = f"test{self.number()}"
        self.run(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        return name

    def lend(self, kind: str, fill: Callable[[str], None]) -> str:
        """A database with the tables that `fill` makes, given its URL, and nothing in them; `take_back` it later."""
        free = self._free.setdefault(kind, [])
        if free:
            return free.pop()
        name = self.create()
        fill(self.url(name))
        return name

    def take_back(self, kind: str, name: str) -> None:
        """Empty a database for the next test, which is ten times faster than making one."""
        with psycopg.connect(host=str(self.folder), user=OWNER, dbname=name, autocommit=True) as connection:
            connection.execute(OTHERS_OUT)
            connection.execute(EMPTY)
        self._free[kind].append(name)

    def drop(self, name: str) -> None:
        self.run(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def run(self, statement: sql.Composed | sql.SQL) -> None:
        with psycopg.connect(host=str(self.folder), user=OWNER, dbname="postgres", autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def running(programs: Path) -> Iterator[Cluster]:
    """A cluster for as long as the block lasts; root hands it to a user who has less to say, as PostgreSQL wants."""
    folder = Path(mkdtemp(prefix="glassdesk-pg-"))
    who = unprivileged()
    if who is not None:
        os.chown(folder, who.pw_uid, who.pw_gid)
    options = {} if who is None else {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
    data = folder / "data"
    try:
        make = [
            programs / "initdb",
            "-D",
            data,
            "-U",
            OWNER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ]
        subprocess.run(make, check=True, capture_output=True, cwd=folder, **options)
        settings = [
            part
            for setting in (*FAST, "listen_addresses=", f"unix_socket_directories={folder}")
            for part in ("-c", setting)
        ]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, *settings],
                stdout=log,
                stderr=log,
                cwd=folder,
                preexec_fn=end_with_parent if sys.platform == "linux" else None,
                **options,
            )
        try:
            cluster = Cluster(folder)
            answered(cluster, server)
            yield cluster
        finally:
            server.send_signal(signal.SIGQUIT)
            server.wait(SECONDS)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def unprivileged() -> pwd.struct_passwd | None:
    """Who runs the server where we are root; None: we do."""
    if os.geteuid() != 0:
        return None
    known = {one.pw_name: one for one in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


def end_with_parent() -> None:
    """Have Linux end the server when the tests are killed."""
    ctypes.CDLL(None).prctl(FOR_DEATH_OF_PARENT, signal.SIGQUIT)


def answered(cluster: Cluster, server: "subprocess.Popen[bytes]") -> None:
    """Wait until the server takes connections."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            cluster.run(sql.SQL("SELECT 1"))
            return
        except psycopg.OperationalError:
            told = (cluster.folder / "log").read_text(errors="replace")
            assert server.poll() is None, told
            assert time.monotonic() < deadline, told
            time.sleep(0.02)
