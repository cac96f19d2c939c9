"""A turn's numbers at its end, before the database has them: the same as there; and who reads then finds it there."""

from collections.abc import Iterator

import pytest
from opentelemetry import context
from opentelemetry.trace import Span, set_span_in_context

from telemetry import unsettled, writer
from telemetry.attributes import REOPEN
from telemetry.queries import Glass
from telemetry.setup import Telemetry

IDENTITY = {"glassdesk.user.id": "local", "gen_ai.conversation.id": "c1", "glassdesk.question": "What is new?"}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 7}
TOOL = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "get_events"}


@pytest.fixture
def telemetry(telemetry_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Telemetry]:
    monkeypatch.setattr(writer, "LINGER_SECONDS", 30)  # nothing is stored but when somebody asks
    made = Telemetry(telemetry_url)
    yield made
    made.shutdown()


def begun(telemetry: Telemetry, **attributes: str) -> Span:
    return telemetry.tracer_provider.get_tracer("test").start_span("turn", attributes={**IDENTITY, **attributes})


def add(telemetry: Telemetry, name: str, attributes: dict[str, str | int], *, ends: bool = True) -> None:
    span = telemetry.tracer_provider.get_tracer("test").start_span(name, attributes=attributes)
    if ends:
        span.end()


def id_of(root: Span) -> str:
    return f"{root.get_span_context().trace_id:032x}"


def turn_with_calls(telemetry: Telemetry) -> str:
    root = begun(telemetry)
    token = context.attach(set_span_in_context(root))
    add(telemetry, "chat m", CHAT)
    add(telemetry, "tools/call get_events", TOOL)
    add(telemetry, "chat m", CHAT, ends=False)  # as of a stream that nobody read to its end
    context.detach(token)
    root.end()
    return id_of(root)


def test_the_numbers_at_the_end_are_those_that_are_stored(telemetry: Telemetry) -> None:
    turn_id = turn_with_calls(telemetry)
    known = telemetry.reckoned(turn_id)
    assert known is not None
    stored, glass = telemetry.account(turn_id), Glass(telemetry.store)
    assert {**known.turn.model_dump(), "process": None} == {**stored.model_dump(), "process": None}
    assert [call.model_dump() for call in known.llm_calls] == [
        call.model_dump() for call in glass.llm_calls("local", turn_id)
    ]
    assert [call.model_dump() for call in known.tool_calls] == [
        call.model_dump() for call in glass.tool_calls("local", turn_id)
    ]
    assert (len(known.llm_calls), len(known.tool_calls)) == (2, 1)


def test_what_is_stored_is_asked_for_there(telemetry: Telemetry) -> None:
    turn_id = turn_with_calls(telemetry)
    telemetry.flush()
    assert telemetry.reckoned(turn_id) is None


def test_a_turn_that_runs_or_was_begun_elsewhere_is_not_known(telemetry: Telemetry) -> None:
    root = begun(telemetry)
    assert telemetry.reckoned(id_of(root)) is None
    root.end()
    token = context.attach(context.set_value(REOPEN, (int("ab" * 16, 16), 7)))
    again = begun(telemetry)
    context.detach(token)
    again.end()
    assert id_of(again) == "ab" * 16
    assert telemetry.reckoned(id_of(again)) is None


def test_a_turn_of_very_many_spans_is_left_to_the_database(
    telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unsettled, "MOST_SPANS", 2)
    turn_id = turn_with_calls(telemetry)
    assert telemetry.reckoned(turn_id) is None
    assert telemetry.account(turn_id).tools == 1


def test_who_reads_finds_every_turn_that_has_ended(telemetry: Telemetry) -> None:
    turn_id = turn_with_calls(telemetry)
    found = Glass(telemetry.store).turn("local", turn_id)
    assert found is not None and found.status == "done"


def test_who_reads_finds_every_turn_that_has_begun(telemetry: Telemetry) -> None:
    root = begun(telemetry)
    found = Glass(telemetry.store).turn("local", id_of(root))
    assert found is not None and found.status == "running"
    root.end()


def test_a_turn_that_another_process_has_ended_is_not_begun_again(telemetry: Telemetry) -> None:
    root = begun(telemetry)
    other = Telemetry(telemetry.store.url, mark_interrupted=False)
    ids = root.get_span_context()
    token = context.attach(context.set_value(REOPEN, (ids.trace_id, ids.span_id)))
    again = begun(other)
    context.detach(token)
    root.end()
    telemetry.flush()
    other.flush()
    found = Glass(telemetry.store).turn("local", id_of(root))
    assert again.get_span_context().span_id == ids.span_id
    assert found is not None and found.status == "done"
    other.shutdown()
