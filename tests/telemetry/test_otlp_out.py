"""What is stored reaches a collector: all of it, once it is there, with no more content than may leave."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete
from sqlmodel import select

from telemetry import otlp_out, outgoing
from telemetry.errors import TelemetryError
from telemetry.otlp_in import PROTOBUF
from telemetry.otlp_out import Destination, Forwarder, headers_of, seconds_of
from telemetry.setup import Telemetry
from telemetry.tables import LlmCall, Payload, Span, ToolCall, Turn
from tests.telemetry.collector import Collector, collecting
from tests.telemetry.otlp import body, sent
from tests.telemetry.reading import until

TABLES = (Span, Payload, Turn, LlmCall, ToolCall)
CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.usage.input_tokens": 1200,
    "gen_ai.usage.cache_read.input_tokens": 1000,
    "gen_ai.usage.output_tokens": 80,
    "gen_ai.input.messages": json.dumps([{"role": "user", "content": "Rumpelstilz? " * 1_000}]),
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp_out, "SHORTEST_PAUSE", 0.01)
    monkeypatch.setattr(otlp_out, "IDLE_SECONDS", 0.01)


@pytest.fixture
def telemetry(telemetry_url: str) -> Iterator[Telemetry]:
    made = Telemetry(telemetry_url)
    yield made
    made.shutdown()


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as one:
        yield one


def turn(telemetry: Telemetry) -> None:
    """A turn of five spans, one of them failed."""
    make = telemetry.tracer_provider.get_tracer("test").start_as_current_span
    whose = {"glassdesk.user.id": "local", "gen_ai.conversation.id": "c1", "glassdesk.question": "Rumpelstilz?"}
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Gmail"}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read",
        "gen_ai.tool.call.arguments": "Rumpelstilz",
    }
    with make("turn", attributes=whose), make("invoke_agent Gmail", attributes=agent):
        with make("chat gpt-4o-mini", attributes=CHAT) as span:
            span.add_event("retry", {"said": "Rumpelstilz", "attempt": 2})
        with make("execute_tool read", attributes=tool):
            try:
                with make("tools/call read", attributes={"mcp.method.name": "tools/call"}):
                    raise ValueError("Rumpelstilz")
            except ValueError:
                pass
    assert telemetry.flush()


def rows(telemetry: Telemetry) -> list[Any]:
    with telemetry.store.reader() as session:
        found = [[row.model_dump() for row in session.exec(select(table))] for table in TABLES]
    return [sorted(some, key=lambda row: str(row.get("span_id"))) for some in found]


def state(telemetry: Telemetry) -> otlp_out.Sending:
    assert telemetry.forwarder is not None
    return telemetry.forwarder.state()


def test_what_ends_is_sent_with_names_and_numbers_but_no_content(telemetry: Telemetry, collector: Collector) -> None:
    telemetry.forward(Destination(collector.url, {"X-Key": "secret"}))
    turn(telemetry)
    until(lambda: state(telemetry).sent == 5)
    by_name = {span.name: span for span in collector.spans}
    chat = by_name["chat gpt-4o-mini"]
    assert {**chat.attributes, "gen_ai.input.messages": None} == {**CHAT, "gen_ai.input.messages": None}
    assert chat.resource == {"service.name": "glassdesk"}
    assert chat.events[0]["attributes"] == {"attempt": 2}
    assert by_name["tools/call read"].failed
    assert chat.parent_id == by_name["invoke_agent Gmail"].span_id
    assert b"Rumpelstilz" not in b"".join(collector.bodies)
    assert collector.headers[0]["X-Key"] == "secret"
    found = state(telemetry)
    assert (found.host, found.pending, found.refused, found.last_error) == (collector.url, 0, 0, None)


@pytest.mark.parametrize("openinference", [False, True])
def test_pushed_back_in_they_are_the_same(
    telemetry: Telemetry, collector: Collector, tmp_path: Path, openinference: bool
) -> None:
    telemetry.forward(Destination(collector.url, content=True, openinference=openinference))
    turn(telemetry)
    until(lambda: state(telemetry).sent == 5)
    back = Telemetry(f"sqlite:///{tmp_path / 'back.db'}")
    for one in collector.bodies:
        back.receiver.receive("local", one, PROTOBUF)
    assert rows(back) == rows(telemetry)
    back.shutdown()


def test_openinference_is_added_where_it_is_wanted(telemetry: Telemetry, collector: Collector) -> None:
    telemetry.forward(Destination(f"{collector.url}/v1/traces", openinference=True))
    turn(telemetry)
    until(lambda: state(telemetry).sent == 5)
    by_name = {span.name: span.attributes for span in collector.spans}
    kinds = {name: found["openinference.span.kind"] for name, found in by_name.items()}
    assert kinds == {"turn": "CHAIN", "invoke_agent Gmail": "AGENT", "chat gpt-4o-mini": "LLM",
                     "execute_tool read": "TOOL", "tools/call read": "CHAIN"}  # fmt: skip
    chat = by_name["chat gpt-4o-mini"]
    assert [chat[f"llm.token_count.{name}"] for name in ("prompt", "completion", "total")] == [1200, 80, 1280]
    assert (chat["llm.model_name"], chat["session.id"], "input.value" in chat) == ("gpt-4o-mini", "c1", False)


def test_a_collector_that_is_away_gets_everything_later_even_after_a_restart(telemetry_url: str) -> None:
    url = telemetry_url
    with collecting() as gone:
        port = gone.server.server_port
    first = Telemetry(url)
    first.forward(Destination(f"http://127.0.0.1:{port}"))
    turn(first)
    until(lambda: state(first).last_error)
    assert (state(first).pending, "cannot be reached" in str(state(first).last_error)) == (5, True)
    first.shutdown()
    second = Telemetry(url)
    turn(second)
    with collecting(port) as here:
        second.forward(Destination(f"http://127.0.0.1:{port}"))
        until(lambda: state(second).pending == 0)
        assert len({span.span_id for span in here.spans}) == 10
    second.shutdown()


def test_a_collector_that_is_busy_is_asked_again(telemetry: Telemetry, collector: Collector) -> None:
    collector.answers = [(503, {}), (429, {"Retry-After": "0"}), (401, {}), (307, {"Location": "http://evil.example"})]
    telemetry.forward(Destination(collector.url))
    turn(telemetry)
    until(lambda: state(telemetry).sent == 5)
    assert state(telemetry).refused == 0


def test_a_span_that_the_collector_refuses_holds_up_no_other(telemetry: Telemetry, collector: Collector) -> None:
    collector.poison = "execute_tool read"
    telemetry.forward(Destination(collector.url))
    turn(telemetry)
    until(lambda: state(telemetry).pending == 0)
    assert (state(telemetry).sent, state(telemetry).refused, len(collector.spans)) == (4, 1, 4)


def test_what_a_collector_takes_in_part_is_counted_and_not_sent_again(
    telemetry: Telemetry, collector: Collector
) -> None:
    collector.rejects = 1
    telemetry.forward(Destination(collector.url))
    telemetry.tracer_provider.get_tracer("test").start_span("one").end()
    until(lambda: state(telemetry).refused == 1)
    assert (state(telemetry).pending, state(telemetry).last_error) == (0, "It refused 1 spans.")


def test_nothing_is_listed_where_there_is_no_collector(telemetry: Telemetry) -> None:
    earlier = Forwarder(telemetry.store, Destination("http://127.0.0.1:9"))
    earlier.start()
    earlier.stop()
    telemetry.forward(None)
    turn(telemetry)
    assert outgoing.pending(telemetry.store) == 0


def test_a_span_is_listed_once_when_it_ends_and_not_if_it_came_from_outside(telemetry: Telemetry) -> None:
    outgoing.begin(telemetry.store)
    span = telemetry.tracer_provider.get_tracer("test").start_span("work")
    telemetry.flush()
    assert outgoing.pending(telemetry.store) == 0
    span.end()
    telemetry.flush()
    telemetry.receiver.receive("local", body(sent(1, None), sent(2, 20, trace_id="ab" * 16)), PROTOBUF)
    assert [one.row["name"] for one in outgoing.first(telemetry.store, 9, texts=False) if one.row] == ["work"]


def test_a_span_that_was_deleted_meanwhile_leaves_the_list(telemetry: Telemetry, collector: Collector) -> None:
    outgoing.begin(telemetry.store)
    turn(telemetry)
    with telemetry.store.write() as connection:
        connection.execute(delete(Span))
    telemetry.forward(Destination(collector.url))
    until(lambda: state(telemetry).pending == 0)
    assert (state(telemetry).sent, collector.spans) == (0, [])


@pytest.mark.parametrize(
    ("text", "found"),
    [("", {}), ("a=b", {"a": "b"}), (" a = b%20c , d=e=f,", {"a": "b c", "d": "e=f"})],
)
def test_headers_are_written_as_opentelemetry_writes_them(text: str, found: dict[str, str]) -> None:
    assert headers_of(text) == found


@pytest.mark.parametrize("text", ["secret", "=secret", "a=secret%0d%0aHost: x", "a=schlüssel"])
def test_headers_that_are_wrong_are_refused_without_repeating_them(text: str) -> None:
    with pytest.raises(TelemetryError) as refused:
        headers_of(text)
    assert "secret" not in str(refused.value) and "schl" not in str(refused.value)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, None), ("", None), ("7", 7.0), ("9999999", 300.0), ("soon", None), ("Mon, 01 Jan 2001 00:00:00 GMT", 0.01)],
)
def test_a_collector_may_say_when_to_come_again(header: str | None, seconds: float | None) -> None:
    assert seconds_of(header) == seconds


def test_the_host_that_is_shown_holds_no_secret() -> None:
    assert (
        Destination("https://key:secret@collector.example:4318/x?token=secret").host == "https://collector.example:4318"
    )
