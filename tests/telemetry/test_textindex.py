import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import select

from telemetry import textindex
from telemetry.attributes import INPUT_MESSAGES, OUTPUT_MESSAGES, QUESTION, TOOL_ARGUMENTS, TOOL_RESULT
from telemetry.redaction import Capture, Redactor
from telemetry.rollup import rebuild, store_turn
from telemetry.said import MOST
from telemetry.sizes import overwrite, without_deleted_words
from telemetry.store import Store
from telemetry.tables import Span, Turn
from telemetry.textindex import Match, Sought
from telemetry.upsert import upsert
from telemetry.wording import apart, folded, shown

JAPANESE = "製品ロードマップのレビューをお願いします"
SAYS: tuple[tuple[str, str], ...] = (
    (JAPANESE, "ロードマップ"),
    (JAPANESE, "製品"),
    ("全角ＡＢＣと半角ｶﾅ", "ABC"),
    ("全角ＡＢＣと半角ｶﾅ", "カナ"),
    ("Zürich: café crème", "CAFE creme"),
    ("Zu\u0308rich", "zürich"),
    ("ship it 🎉👩‍🚀 today", "🎉"),
    ("ship it 🎉👩‍🚀 today", "👩‍🚀 today"),
    ("I ❤️ it", "❤"),
    ("שָׁלוֹם עולם", "שלום"),
    ("مَرْحَبًا بالعالم", "مرحبا"),
    ("ขอบคุณมากครับ", "มาก"),
    ("한국어로 답해 주세요", "답해"),
    ("हिन्दी में लिखो", "हिन्दी"),
    ("Rechnung für 𠮷野家", "野家"),
    ("mail ana.ruiz@lumenworks.example now", "ana.ruiz@lumen"),
    ("call search_gmail_messages", "gmail_messages"),
    ("Invoices are due", "invoic"),
)


@pytest.fixture
def store(telemetry_url: str) -> Iterator[Store]:
    opened = Store(telemetry_url)
    yield opened
    opened.close()


def span(turn: str, name: str, kind: str, attributes: dict[str, Any], user: str = "local") -> dict[str, Any]:
    return {
        "span_id": f"{turn}-{name}",
        "trace_id": turn,
        "parent_id": None if kind == "turn" else f"{turn}-turn",
        "name": name,
        "type": kind,
        "kind": "internal",
        "start_ns": 5_000_000_000,
        "end_ns": 6_000_000_000,
        "status": "ok",
        "user_id": user,
        "conversation_id": "c",
        "attributes": attributes,
        "events": [],
    }


def add(
    store: Store, turn: str, *spans: tuple[str, str, dict[str, Any]], question: str = "", user: str = "local"
) -> None:
    rows = [span(turn, "turn", "turn", {QUESTION: question} if question else {}, user)]
    rows += [span(turn, *one, user=user) for one in spans]
    with store.write() as connection:
        upsert(connection, Span, rows)
        store_turn(connection, turn)


def found(store: Store, text: str, exact: bool = False, user: str = "local") -> list[str]:
    """The turns with a text."""
    return saying(store, Sought(((Match(text, exact),),)), user)


def saying(store: Store, sought: Sought, user: str = "local") -> list[str]:
    """By the list and turn by turn, which must agree."""
    with store.reader() as session:
        dialect = session.get_bind().dialect.name
        listed = sorted(session.execute(textindex.turns_with(sought, user, dialect)).scalars())
        one_by_one = select(Turn.turn_id).where(textindex.says(sought, user, dialect))
        assert sorted(session.exec(one_by_one)) == listed
    return listed


@pytest.mark.parametrize(("said", "looked_for"), SAYS)
def test_words_of_any_script_are_found(store: Store, said: str, looked_for: str) -> None:
    add(store, "t1", question=said)
    add(store, "t2", question="something else")
    assert found(store, looked_for) == ["t1"]


def test_several_texts_are_looked_for_at_once_and_others_left_out(store: Store) -> None:
    add(store, "t1", question="Show my unread mail")
    add(store, "t2", question="Show the calendar and the mail")
    add(store, "t3", question="unread mail of the calendar", user="lena")
    mail, unread, calendar, none = (Match(word) for word in ("mail", "unread", "calendar", "–"))
    assert saying(store, Sought(((mail,),))) == ["t1", "t2"]
    assert saying(store, Sought(((mail,), (unread, calendar)))) == ["t1", "t2"]
    assert saying(store, Sought(((mail,), (unread,)))) == saying(store, Sought(((mail,),), (calendar,))) == ["t1"]
    assert saying(store, Sought(((mail,),), (unread, calendar))) == saying(store, Sought(((mail,),), (mail,))) == []
    assert saying(store, Sought(((mail,), (none,)))) == []


def test_questions_answers_messages_arguments_and_results_are_found(store: Store) -> None:
    answer = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "You have two unread mails."}]}])
    told = json.dumps(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Earlier I said hello."}]
    )
    add(
        store,
        "t1",
        ("chat", "chat", {INPUT_MESSAGES: told, OUTPUT_MESSAGES: answer}),
        ("tool", "tool", {TOOL_ARGUMENTS: '{"query": "is:starred"}', TOOL_RESULT: '{"subject": "Offsite\\nin Porto"}'}),
        question="Show my mail",
    )
    for text in ("show my mail", "two unread mails", "earlier I said", "starred", "Offsite in Porto"):
        assert found(store, text) == ["t1"], text
    assert found(store, "be brief") == found(store, "assistant") == []


def test_what_stands_in_quotation_marks_is_found_as_it_stands(store: Store) -> None:
    add(store, "t1", question="The invoices are due")
    assert found(store, "invoice") == ["t1"]
    assert found(store, "invoice", exact=True) == []
    assert found(store, "invoices are", exact=True) == ["t1"]
    assert found(store, "are invoices", exact=True) == []


@pytest.mark.parametrize("text", ['a" OR said : "b', "NEAR(a b)", "whose : x", "*", "\x00", "a*", "^a", "(", "'"])
def test_no_sign_of_the_index_own_language_does_anything(store: Store, text: str) -> None:
    add(store, "t1", question="b")
    assert found(store, text) == []


def test_nobody_finds_what_another_person_said(store: Store) -> None:
    add(store, "t1", question="secret plans", user="ana")
    add(store, "t2", question="secret plans", user="local")
    assert found(store, "secret") == ["t2"]
    assert found(store, "secret", user="ana") == ["t1"]
    assert found(store, textindex.token_of("ana")) == []


def test_what_is_not_stored_is_not_found(store: Store) -> None:
    for number, capture in enumerate(Capture):
        kept = Redactor(capture).clean("turn", {QUESTION: "wombat 123"}).attributes
        add(store, f"t{number}", ("tool", "tool", Redactor(capture).clean("x", {TOOL_RESULT: "wombat"}).attributes))
        assert bool(kept.get(QUESTION) == "wombat 123") is (capture is Capture.FULL)
    assert found(store, "wombat") == ["t2"]
    assert found(store, "bytes") == []


def test_a_turn_is_bounded_and_each_text_is_kept_once(store: Store) -> None:
    results = [(f"tool{n}", "tool", {TOOL_RESULT: f"begin{n} " + "word " * 5_000}) for n in range(10)]
    add(store, "t1", *results, ("again", "tool", {TOOL_RESULT: results[0][2][TOOL_RESULT]}), question="Long")
    with store.reader() as session:
        said = session.connection().exec_driver_sql("SELECT said FROM turn_text").scalar_one()
    assert len(said) <= MOST
    assert said.count("begin0") == 1
    assert found(store, "begin2") == ["t1"]


def test_a_turn_that_changes_or_goes_leaves_nothing_behind(store: Store) -> None:
    add(store, "t1", question="before")
    add(store, "t2", question="stays")
    add(store, "t1", question="after")
    assert (found(store, "before"), found(store, "after")) == ([], ["t1"])
    with store.write() as connection:
        connection.exec_driver_sql("DELETE FROM turn WHERE turn_id = 't1'")
        textindex.forget(connection, ["t2"])
        assert connection.exec_driver_sql("SELECT count(*) FROM turn_text").scalar_one() == 0
        if connection.dialect.name == "sqlite":
            left = connection.exec_driver_sql("SELECT count(*) FROM turn_words WHERE turn_words MATCH 'after OR stays'")
            assert left.scalar_one() == 0
            connection.exec_driver_sql("INSERT INTO turn_words(turn_words) VALUES ('integrity-check')")


def test_tidied_words_of_what_was_deleted_are_gone_from_the_file(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'telemetry.db'}")
    add(store, "t1", question="xylophonist", user="ana")
    add(store, "t2", question="stays here")
    with store.write() as connection:
        overwrite(connection)
        for table in ("turn", "span"):
            connection.exec_driver_sql(f"DELETE FROM {table} WHERE user_id = 'ana'")
    without_deleted_words(store, lambda: None)
    store.close()
    kept = (tmp_path / "telemetry.db").read_bytes()
    assert b"ylophonis" not in kept and b"stays here" in kept


def test_rebuilding_the_roll_ups_rebuilds_the_index(store: Store) -> None:
    add(store, "t1", question="found again")
    with store.write() as connection:
        textindex.forget(connection, ["t1"])
    assert found(store, "found again") == []
    rebuild(store)
    assert found(store, "found again") == ["t1"]


def test_many_turns_of_one_moment_have_numbers_of_their_own(store: Store) -> None:
    with store.write() as connection:
        first = textindex.free_numbers(connection, [7, 7, 8, 7, 9_000_000])
        assert len(set(first)) == 5 and first[0] == 7
    for number in range(3):
        add(store, f"t{number}", question="at once")
    assert found(store, "at once") == ["t0", "t1", "t2"]


def test_a_word_of_any_length_is_found_and_costs_no_turn(store: Store) -> None:
    add(store, "t1", question=f"see {'é' * 3_000} and here")
    assert found(store, "é" * 2_000) == ["t1"]
    assert found(store, "here", exact=True) == ["t1"]


def test_records_that_cannot_be_read_cost_no_turn(store: Store) -> None:
    deep = "[" * 3_000 + "]" * 3_000
    add(store, "t1", ("chat", "chat", {INPUT_MESSAGES: 7, OUTPUT_MESSAGES: deep}), question="Still here")
    with store.reader() as session:
        assert session.connection().exec_driver_sql("SELECT question FROM turn").scalar_one() == "Still here"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=40))
def test_a_text_keeps_its_letters_and_the_index_takes_anything(text: str) -> None:
    kept = apart(text)
    assert apart(shown(kept)) == kept
    for match in (Match(text), Match(text, True)):
        assert textindex.phrase(match).count('"') % 2 == 0
        assert "'" not in textindex.following(match).replace("'", "", 2 * len(folded(kept)))
