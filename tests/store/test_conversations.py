import pytest

from core.errors import NotFound, StorageError
from core.store.conversations import Conversations, Outcome, title_of
from core.store.engine import open_database


@pytest.fixture
def conversations(engine):
    return Conversations(engine)


def test_a_question_is_kept_before_it_is_answered(conversations):
    conversations.begin("sam", "c1", "t1", "Show my unread emails")
    (exchange,) = conversations.exchanges("sam", "c1")
    assert (exchange.question, exchange.status, exchange.answer) == ("Show my unread emails", "running", "")
    assert exchange.started_at.tzinfo is not None


def test_an_ending_keeps_answer_steps_and_items(conversations):
    conversations.begin("sam", "c1", "t1", "予定は？")
    outcome = Outcome(
        "done", "三つあります", domain="calendar", steps=[{"tool": "get_events"}], items=[{"role": "user"}]
    )
    conversations.finish("sam", "t1", outcome)
    kept = conversations.exchange("sam", "t1")
    assert (kept.status, kept.answer, kept.domain) == ("done", "三つあります", "calendar")
    assert (kept.steps, kept.items) == ([{"tool": "get_events"}], [{"role": "user"}])
    assert kept.finished_at >= kept.started_at


def test_the_latest_conversation_comes_first(conversations):
    conversations.begin("sam", "c1", "t1", "first")
    conversations.begin("sam", "c2", "t2", "second")
    conversations.begin("sam", "c1", "t3", "first again")
    assert [conversation.id for conversation in conversations.list("sam")] == ["c1", "c2"]


def test_nobody_sees_or_changes_what_is_another_users(conversations):
    conversations.begin("sam", "c1", "t1", "mine")
    assert conversations.list("eve") == []
    assert conversations.exchanges("eve", "c1") == []
    with pytest.raises(NotFound):
        conversations.get("eve", "c1")
    with pytest.raises(NotFound):
        conversations.exchange("eve", "t1")
    with pytest.raises(NotFound):
        conversations.begin("eve", "c1", "t2", "let me in")
    conversations.finish("eve", "t1", Outcome("done", "changed"))
    assert conversations.exchange("sam", "t1").status == "running"


def test_what_a_killed_process_left_is_marked_interrupted(conversations):
    conversations.begin("sam", "c1", "t1", "one")
    conversations.begin("sam", "c1", "t2", "two")
    conversations.finish("sam", "t2", Outcome("done", "fine"))
    assert conversations.mark_interrupted() == 1
    assert [exchange.status for exchange in conversations.exchanges("sam", "c1")] == ["interrupted", "done"]


def test_a_full_disk_is_a_sentence(conversations, sqlite):
    with sqlite.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    sqlite.dispose()

    from sqlalchemy import event

    @event.listens_for(sqlite, "connect")
    def small(connection, _):
        connection.execute(f"PRAGMA max_page_count={pages}")

    with pytest.raises(StorageError, match="disk may be full"):
        conversations.begin("sam", "c1", "t1", "x" * 30_000)


def test_migrations_apply_once_and_can_be_repeated(app_url):
    first = Conversations(open_database(app_url))
    first.begin("sam", "c1", "t1", "still here")
    assert [exchange.question for exchange in Conversations(open_database(app_url)).exchanges("sam", "c1")] == [
        "still here"
    ]


def test_a_title_ends_at_a_word():
    assert title_of("Show  my\nunread emails") == "Show my unread emails"
    assert title_of("word " * 30) == "word word word word word word word word word word word …"
    assert title_of("x" * 100) == "x" * 59 + "…"


def test_a_damaged_file_is_a_sentence(tmp_path):
    (tmp_path / "app.db").write_bytes(b"this is no database" * 400)
    with pytest.raises(StorageError, match="cannot be opened: file is not a database"):
        open_database(f"sqlite:///{tmp_path / 'app.db'}")
