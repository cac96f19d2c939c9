import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine

from core.store import search as search_module
from core.store.conversations import Conversations, Outcome
from core.store.engine import MIGRATIONS, open_database
from core.store.search import ConversationSearch, Hit

SAID = {
    "c1": ("When is invoice 2041 due?", "Ana wrote that it is due on **Friday**."),
    "c2": ("製品ロードマップのレビューはいつですか", "金曜日の10時です 🎉"),
    "c3": ('Say "100 %_of" it', "Chloé a répondu : déjà fait."),
}


@pytest.fixture
def conversations(engine: Engine) -> Conversations:
    made = Conversations(engine)
    for number, (conversation, (question, answer)) in enumerate(SAID.items()):
        made.begin("sam", conversation, f"t{number}", question)
        made.finish("sam", f"t{number}", Outcome("done", answer))
    return made


@pytest.fixture(params=["index", "comparison"])
def search(engine: Engine, conversations: Conversations, request, monkeypatch) -> ConversationSearch:
    if request.param == "comparison":
        monkeypatch.setattr(search_module, "INDEXED", 1_000)
    return ConversationSearch(engine)


def marked(hit: Hit) -> list[str]:
    return [hit.excerpt[start:end] for start, end in hit.marks]


@pytest.mark.parametrize(
    ("text", "found", "marks"),
    [
        ("INVOICE", "c1", ["invoice"]),
        ("2041 invoice", "c1", ["invoice", "2041"]),
        ("ロードマップ", "c2", ["ロードマップ"]),
        ("金曜", "c2", ["金曜"]),
        ("🎉", "c2", ["🎉"]),
        ("%_of", "c3", ["%_of"]),
        ('"100', "c3", ['"100']),
        ("déjà", "c3", ["déjà"]),
    ],
)
def test_words_of_any_script_are_found_and_marked(search, text, found, marks):
    (hit,) = search.find("sam", text)
    assert (hit.conversation.id, marked(hit)) == (found, marks)


def test_all_terms_must_be_in_one_exchange_but_not_in_one_text(search):
    assert [hit.conversation.id for hit in search.find("sam", "invoice friday")] == ["c1"]
    assert search.find("sam", "invoice roadmap") == []


def test_nobody_finds_what_is_another_users(search):
    assert search.find("eve", "invoice") == []


@pytest.mark.parametrize(
    "text", ["", "   ", "NOT invoice", "inv*", "a:b:c", "(((", '"""', "NEAR(when is)", "'; DROP TABLE x"]
)
def test_no_input_is_taken_for_a_query_language(search, text):
    assert search.find("sam", text) == []


def test_an_answer_that_grows_is_found_by_its_last_words_only(search, conversations):
    conversations.begin("sam", "c1", "t9", "And the supplier?")
    conversations.wait("sam", "t9", "Looking for Brightparts", [])
    assert len(search.find("sam", "Brightparts")) == 1
    conversations.finish("sam", "t9", Outcome("done", "Marta Silva wrote."))
    assert search.find("sam", "Brightparts") == []
    assert [hit.turn_id for hit in search.find("sam", "Marta")] == ["t9"]


def test_what_was_asked_again_or_deleted_is_not_found(search, conversations):
    conversations.begin("sam", "c1", "t9", "When exactly?", replaces="t0")
    assert search.find("sam", "2041") == []
    conversations.delete("sam", "c2")
    assert search.find("sam", "ロードマップ") == []


def test_titles_are_searched_too(search, conversations):
    conversations.rename("sam", "c3", "Entwürfe für Jonas")
    (hit,) = search.find("sam", "jonas")
    assert (hit.turn_id, marked(hit)) == (None, ["Jonas"])


def test_a_long_answer_is_shown_around_what_was_found(search, conversations):
    conversations.begin("sam", "c4", "t9", "Long?")
    conversations.finish("sam", "t9", Outcome("done", "before " * 100 + "needle" + " after" * 100))
    (hit,) = search.find("sam", "needle")
    assert len(hit.excerpt) < 200
    assert marked(hit) == ["needle"]
    assert hit.excerpt.startswith("…") and hit.excerpt.endswith("…")


def test_what_was_said_before_there_was_an_index_is_found_too(tmp_path):
    url = f"sqlite:///{tmp_path / 'old.db'}"
    with create_engine(url).begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
        connection.exec_driver_sql("INSERT INTO conversation VALUES ('c1', 'sam', 'Old', '2026-11-30', '2026-11-30')")
        connection.exec_driver_sql(
            "INSERT INTO exchange VALUES ('t1', 'c1', 'sam', '古い質問 about lamps', 'Halo', 'done', NULL, NULL, "
            "'[]', '[]', '2026-11-30', NULL)"
        )
    engine = open_database(url)
    assert [hit.turn_id for hit in ConversationSearch(engine).find("sam", "lamps 古い")] == ["t1"]
    Conversations(engine).finish("sam", "t1", Outcome("done", "Lumen"))
    assert ConversationSearch(engine).find("sam", "Halo") == []
    assert len(ConversationSearch(engine).find("sam", "Lumen")) == 1


def test_purged_exchanges_leave_the_index(sqlite, conversations):
    with sqlite.begin() as connection:
        connection.exec_driver_sql("DELETE FROM exchange WHERE conversation_id = 'c1'")
        left = connection.exec_driver_sql("SELECT count(*) FROM exchange_text WHERE exchange_text MATCH 'invoice'")
        assert left.scalar() == 0
        connection.exec_driver_sql("INSERT INTO exchange_text(exchange_text) VALUES ('integrity-check')")
