"""What was said in a conversation that is deleted for good is gone; the numbers of its turns are not."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection
from sqlmodel import col, func, select

from telemetry import hourly
from telemetry.attributes import QUESTION
from telemetry.costs import Costs
from telemetry.forget import drop_strays
from telemetry.queries import Glass
from telemetry.setup import Telemetry
from telemetry.sizes import PAGES, fitting, size_of
from telemetry.tables import LlmCall, Payload, Span, ToolCall, Turn, TurnText
from telemetry.upkeep import Job, Upkeep
from tests.telemetry.reading import until
from tests.telemetry.test_rollup import SECOND, START, Recorder, chat

EVER = (0, 2**62)


@pytest.fixture
def telemetry(telemetry_url: str) -> Iterator[Telemetry]:
    made = Telemetry(telemetry_url)
    yield made
    made.shutdown()


def said(telemetry: Telemetry, conversation: str, user: str = "local", word: str = "zymurgyqx") -> str:
    """A turn with a question, a priced call that failed, and a long answer."""
    made = Recorder(telemetry)
    identity = {"glassdesk__user__id": user, "gen_ai__conversation__id": conversation, "glassdesk__status": "done"}
    root = made.open("turn", 0, **identity, **{QUESTION.replace(".", "__"): f"About {word}"})
    usage = chat(input_tokens=1200, output_tokens=80)
    made.span("chat", 1, 2, root, **usage, gen_ai__output__messages=f"{word} " * 5_000)
    root.end(START + 3 * SECOND)
    telemetry.flush()
    return f"{root.get_span_context().trace_id:032x}"


def left_of(telemetry: Telemetry, turn_id: str) -> dict[str, int]:
    with telemetry.store.reader() as session:
        spans = {
            table: session.exec(select(func.count()).where(col(table.trace_id) == turn_id)) for table in (Span, Payload)
        }
        calls = {
            table: session.exec(select(func.count()).where(col(table.turn_id) == turn_id))
            for table in (Turn, LlmCall, ToolCall, TurnText)
        }
        return {table.__name__: found.one() for table, found in (spans | calls).items()}


def test_what_was_said_goes_and_the_numbers_stay(telemetry: Telemetry) -> None:
    gone, kept = said(telemetry, "c1"), said(telemetry, "c2")
    spent = Costs(telemetry.store).of_period("local", *EVER)
    assert spent[0] > 0 and left_of(telemetry, gone)["Payload"]
    telemetry.forget_conversations([("local", "c1")])
    assert left_of(telemetry, gone) == {"Span": 0, "Payload": 0, "Turn": 1, "LlmCall": 1, "ToolCall": 0, "TurnText": 0}
    assert left_of(telemetry, kept)["Span"] == 2
    turn = Glass(telemetry.store).turn("local", gone)
    assert turn is not None and turn.question is None and turn.input_tokens == 1200
    assert Costs(telemetry.store).of_period("local", *EVER) == spent


def test_a_conversation_of_the_same_name_of_somebody_else_stays(telemetry: Telemetry) -> None:
    said(telemetry, "c1")
    others = said(telemetry, "c1", user="lena")
    telemetry.forget_conversations([("local", "c1")])
    assert left_of(telemetry, others)["Span"] == 2


def test_the_word_is_nowhere_in_the_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    telemetry = Telemetry(f"sqlite:///{tmp_path / 'telemetry.db'}")
    said(telemetry, "c1")
    telemetry.forget_conversations([("local", "c1")])
    telemetry.shutdown()
    assert not [path.name for path in tmp_path.iterdir() if b"zymurgyqx" in path.read_bytes()]


def test_upkeep_goes_on_after_a_failure_and_stops_when_it_is_told() -> None:
    calls: list[int] = []

    def fail(now_ns: int) -> None:
        calls.append(now_ns)
        raise RuntimeError

    upkeep = Upkeep([Job(0.001, fail)], first_seconds=0)
    upkeep.start()
    until(lambda: len(calls) > 2)
    upkeep.stop()
    number = len(calls)
    assert calls[0] > 10**18 and number == len(calls)


def test_what_comes_while_a_user_is_forgotten_goes_too(telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch) -> None:
    said(telemetry, "c1", user="lena")
    late, forget_some = list[str](), hourly.forget_some

    def meanwhile(connection: Connection, user_id: str) -> bool:
        if not late:
            span = Recorder(telemetry).open("work", 0, glassdesk__user__id="lena")
            span.end(START + SECOND)
            late.append(f"{span.get_span_context().trace_id:032x}")
        return forget_some(connection, user_id)

    monkeypatch.setattr(hourly, "forget_some", meanwhile)
    with monkeypatch.context() as patch:  # it is stored as soon as the writer comes in between
        patch.setattr("telemetry.forget.drop_strays", lambda *given: telemetry.flush() and drop_strays(*given))
        telemetry.forget("lena")
    telemetry.flush()
    assert late and left_of(telemetry, late[0])["Span"] == 0


def test_each_step_of_forgetting_a_user_lets_others_write(
    telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("telemetry.forget.BATCH", 2)
    for number in range(5):
        said(telemetry, f"c{number}", user="lena", word=f"word{number}")
    kept = said(telemetry, "c1")
    breaths: list[int] = []
    monkeypatch.setattr("telemetry.forget.breathe", lambda: breaths.append(1))
    telemetry.forget("lena")
    assert len(breaths) > 2 * 3
    assert left_of(telemetry, kept)["Span"] == 2
    with telemetry.store.reader() as session:
        assert set(session.exec(select(col(Span.user_id)))) == {"local"}


def test_the_room_of_a_forgotten_user_is_given_back(tmp_path: Path) -> None:
    telemetry = Telemetry(f"sqlite:///{tmp_path / 'telemetry.db'}")
    for number in range(20):
        said(telemetry, "c1", user="lena", word=f"zymurgy{number}")
    telemetry.forget("lena")
    before = size_of(telemetry.store)
    assert before.roomy
    telemetry.retention.run(time.time_ns())
    after = size_of(telemetry.store)
    assert not after.roomy and after.total < before.total
    telemetry.shutdown()


def test_as_many_pages_are_given_back_as_take_a_moment() -> None:
    assert [fitting(200, took) for took in (0.001, 0.03, 0.2)] == [400, 200, 100]
    assert (fitting(PAGES[1], 0.0), fitting(PAGES[0], 9.0)) == (PAGES[1], PAGES[0])
