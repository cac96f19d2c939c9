"""The engine of the app database: what both databases keep alike, and what is said when one cannot be opened."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from psycopg import sql
from sqlalchemy import Engine, text

from core.errors import StorageError
from core.store import engine as engine_of_app
from core.store.conversations import Conversations, Outcome
from core.store.engine import open_database
from core.store.sessions import reading, writing
from core.store.tables import Budget, Exchange
from telemetry import store as store_of_telemetry
from tests.postgres import Cluster


def test_a_moment_comes_back_as_it_was_whatever_the_zones(engine: Engine) -> None:
    set_at = datetime(2026, 3, 29, 2, 30, tzinfo=timezone(timedelta(hours=9)))
    with writing(engine) as session:
        session.add(Budget(user_id="sam", period="daily", limit_pico_usd=2**62, action="warn", set_at=set_at))
    with reading(engine) as session:
        kept = session.get(Budget, ("sam", "daily"))
        assert kept is not None
        assert (kept.set_at, kept.set_at.tzinfo, kept.limit_pico_usd) == (set_at, UTC, 2**62)
        found = session.connection().scalar(text("SELECT CAST(set_at AS VARCHAR) FROM budget"))
    assert str(found).startswith("2026-03-28 17:30:00")


def test_no_character_costs_a_text(engine: Engine) -> None:
    conversations = Conversations(engine)
    conversations.begin("sam", "c1", "t1", "a\x00b 🎉 فارسی")
    conversations.finish("sam", "t1", Outcome("done", "x\x00y", steps=[{"said": "\x00"}]))
    kept = conversations.exchange("sam", "t1")
    assert kept.question.replace("\x00", "\ufffd") == "a\ufffdb 🎉 فارسی"
    assert kept.answer.replace("\x00", "\ufffd") == "x\ufffdy"
    assert kept.steps == [{"said": "\x00"}]


def test_what_breaks_in_the_middle_leaves_nothing(engine: Engine) -> None:
    with pytest.raises(ZeroDivisionError), writing(engine) as session:
        session.add(Exchange(turn_id="t1", conversation_id="c1", user_id="sam", question="?", status="running"))
        session.flush()
        raise ZeroDivisionError
    with reading(engine) as session:
        assert session.get(Exchange, "t1") is None


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://sam:hunter2-hunter2@127.0.0.1:1/glassdesk?connect_timeout=1",
        "postgresql+psycopg://sam@127.0.0.1:1/glassdesk?connect_timeout=1&password=hunter2-hunter2",
    ],
)
def test_a_server_that_is_away_is_a_sentence_without_the_password(url: str) -> None:
    with pytest.raises(StorageError) as caught:
        open_database(url)
    assert "127.0.0.1:1/glassdesk cannot be opened" in caught.value.sentence
    assert "Check that PostgreSQL runs" in caught.value.sentence
    assert "hunter2" not in caught.value.sentence


def test_a_server_that_goes_away_is_a_sentence_for_who_reads_and_who_writes(cluster: Cluster) -> None:
    name = cluster.create()
    conversations = Conversations(open_database(cluster.url(name)))
    conversations.begin("sam", "c1", "t1", "Show my unread emails")
    cluster.drop(name)
    with pytest.raises(StorageError, match="PostgreSQL does not answer"):
        conversations.list("sam")
    with pytest.raises(StorageError, match="PostgreSQL did not take it"):
        conversations.begin("sam", "c1", "t2", "And now?")


def end_connections(cluster: Cluster, engine: Engine) -> None:
    """As a restart of the server does."""
    find = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = {}"
    cluster.run(sql.SQL(find).format(sql.Literal(engine.url.database)))


def test_a_server_that_comes_back_is_used_again(cluster: Cluster) -> None:
    engine = open_database(cluster.url(cluster.create()))
    conversations = Conversations(engine)
    conversations.begin("sam", "c1", "t1", "Show my unread emails")
    end_connections(cluster, engine)
    assert [one.id for one in conversations.list("sam")] == ["c1"]


def test_the_newest_migration_by_its_file_is_the_last_one() -> None:
    for module in (engine_of_app, store_of_telemetry):
        config = Config()
        config.set_main_option("script_location", str(module.MIGRATIONS))
        assert ScriptDirectory.from_config(config).get_current_head() == module.newest()
