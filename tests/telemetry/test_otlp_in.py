"""Other agents' traces come in over OTLP: whole, once, clean, in any order, and only into their sender's turns."""

import gzip
import json
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from math import log2
from pathlib import Path
from typing import Any

import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from sqlmodel import select

from telemetry import intake, rollup
from telemetry.foreign import record_of
from telemetry.intake import Intake
from telemetry.otlp_in import PROTOBUF, TooLarge, Unsupported, inflated, refusal
from telemetry.otlp_wire import Malformed, SpanValue, to_json
from telemetry.setup import Telemetry
from telemetry.tables import LlmCall, Payload, Span, ToolCall, Turn
from tests.telemetry.otlp import START, TRACE, body, request, sent
from tests.telemetry.test_dialects import OPENINFERENCE

AGENT = sent(1, None, "plan", end=10, attributes={"openinference.span.kind": "AGENT", "agent.name": "Planner"})
CHAT = sent(2, 1, "llm", start=1, end=4, attributes=OPENINFERENCE)
TOOL = sent(
    3, 1, "weather", start=4, end=6, attributes={"openinference.span.kind": "TOOL", "output.value": "22 degrees"}
)
SPANS = (AGENT, CHAT, TOOL)


@pytest.fixture(params=["full"])
def telemetry(telemetry_url: str, request: pytest.FixtureRequest) -> Iterator[Telemetry]:
    made = Telemetry(telemetry_url, capture=request.param, secrets=("hunter2-hunter2",))
    yield made
    made.shutdown()


def post(telemetry: Telemetry, *spans: SpanValue, user: str = "local") -> ExportTraceServiceResponse:
    return ExportTraceServiceResponse.FromString(telemetry.receiver.receive(user, body(*spans), PROTOBUF).body)


def rows(telemetry: Telemetry, table: Any) -> list[dict[str, Any]]:
    with telemetry.store.reader() as session:
        found = [row.model_dump() for row in session.exec(select(table))]
    return sorted(found, key=lambda row: str(row.get("span_id") or row.get("turn_id")))


def everything(telemetry: Telemetry) -> list[list[dict[str, Any]]]:
    return [rows(telemetry, table) for table in (Span, Payload, Turn, LlmCall, ToolCall)]


def test_a_trace_of_another_agent_is_a_turn(telemetry: Telemetry) -> None:
    assert not post(telemetry, *SPANS).HasField("partial_success")
    (turn,), (call,), (tool,) = (rows(telemetry, table) for table in (Turn, LlmCall, ToolCall))
    expected = {
        "turn_id": TRACE,
        "user_id": "local",
        "conversation_id": "s1",
        "question": "Where is it warm?",
        "status": "done",
        "agents": ["Planner"],
        "model": "gpt-4o-mini",
        "service": "travel-agent",
        "start_ns": START,
        "wall_ns": 10 * 10**9,
        "phases": {"specialist_llm": 3 * 10**9, "tool": 2 * 10**9, "framework": 5 * 10**9},
        "input_tokens": 1200,
        "cached_input_tokens": 1000,
        "output_tokens": 80,
        "cost_pico_usd": 153_000_000,
        "tools": 1,
    }
    assert {name: turn[name] for name in expected} == expected
    assert (call["agent"], call["provider"], call["cost_pico_usd"]) == ("Planner", "openai", 153_000_000)
    assert (tool["agent"], tool["tool"], tool["result_bytes"]) == ("Planner", "weather", 10)


def test_json_protobuf_and_gzip_say_the_same(tmp_path: Path) -> None:
    found = []
    plain, as_json = body(*SPANS), json.dumps(to_json(request(*SPANS))).encode()
    ways = [(plain, PROTOBUF, ""), (as_json, "application/json; charset=utf-8", ""),
            (gzip.compress(plain), PROTOBUF, "gzip"), (gzip.compress(as_json), "application/json", "GZIP")]  # fmt: skip
    for number, (content, kind, encoding) in enumerate(ways):
        one = Telemetry(f"sqlite:///{tmp_path / str(number)}.db")
        answer = one.receiver.receive("local", content, kind, encoding)
        assert answer == type(answer)(
            b"{}" if "json" in kind else b"", "application/json" if "json" in kind else PROTOBUF
        )
        found.append(everything(one))
        one.shutdown()
    assert found[0] == found[1] == found[2] == found[3]
    assert len(found[0][0]) == 3


@pytest.mark.parametrize("seed", range(6))
def test_order_and_number_of_requests_do_not_matter(telemetry: Telemetry, tmp_path: Path, seed: int) -> None:
    post(telemetry, *SPANS)
    other = Telemetry(f"sqlite:///{tmp_path / 'other.db'}")
    for span in random.Random(seed).sample(SPANS, 3):
        post(other, span)
    assert everything(other) == everything(telemetry)
    other.shutdown()


def test_sending_again_changes_nothing(telemetry: Telemetry) -> None:
    post(telemetry, *SPANS)
    before = everything(telemetry)
    assert not post(telemetry, *SPANS, *SPANS).HasField("partial_success")
    assert everything(telemetry) == before


def test_a_trace_in_very_many_requests_is_read_few_times_and_whole_in_the_end(
    telemetry: Telemetry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, read, of_trace, known = 500, [0], rollup.spans_of, intake.spans_in

    def counted(rows: Any, spans: int) -> Any:
        read[0] += spans
        return rows

    monkeypatch.setattr(rollup, "spans_of", lambda *given: counted(rows := of_trace(*given), len(rows)))
    monkeypatch.setattr(intake, "spans_in", lambda *given: counted(rows := known(*given), sum(map(len, rows.values()))))
    url = f"sqlite:///{tmp_path / 'slow.db'}"
    killed = Telemetry(url)
    slow = Intake(killed.store, lambda: 0.0)
    tree = [sent(at, max(4, at // 2) if at > 4 else None, start=at / 100, end=number) for at in range(4, number + 4)]
    for span in tree[::-1]:  # children first, so that again and again another parent is missing
        slow.put("local", [record_of(span, "local", killed.redactor)])
    assert read[0] < number * log2(number)
    post(telemetry, *tree)
    later = Telemetry(url)  # as after a kill
    assert everything(later) == everything(telemetry)
    slow.put("local", [record_of(TOOL, "local", killed.redactor)])
    post(telemetry, TOOL)
    assert [row["tools"] for row in rows(telemetry, Turn) + rows(later, Turn)] == [0, 0]  # it waits
    for one in (slow, telemetry.intake):
        one.close()
    assert [row["tools"] for row in rows(telemetry, Turn)] == [1]
    assert everything(later) == everything(telemetry)
    for one in (killed, later):
        one.shutdown()


def test_until_the_parent_comes_something_stands_in_for_it(telemetry: Telemetry) -> None:
    post(telemetry, TOOL)
    post(telemetry, CHAT)
    (turn,) = rows(telemetry, Turn)
    assert (turn["start_ns"], turn["wall_ns"], turn["service"]) == (START + 10**9, 5 * 10**9, "travel-agent")
    assert (turn["question"], turn["tools"], turn["input_tokens"]) == ("Where is it warm?", 1, 1200)
    assert sum(turn["phases"].values()) == turn["wall_ns"]
    stand_in = rows(telemetry, Span)[0]
    assert (stand_in["span_id"], stand_in["kind"], stand_in["name"]) == (
        AGENT.span_id,
        "missing",
        "parent not received",
    )
    post(telemetry, AGENT)
    assert [row["kind"] for row in rows(telemetry, Span)] == ["internal"] * 3
    assert rows(telemetry, Turn)[0]["wall_ns"] == 10 * 10**9


def test_a_parent_that_never_comes_leaves_one_stand_in_whoever_its_children_name(telemetry: Telemetry) -> None:
    for span in (sent(5, 50, start=3, end=4), sent(6, 60, start=1, end=2), sent(7, 5, start=3, end=9)):
        post(telemetry, span)
    missing = [row for row in rows(telemetry, Span) if row["kind"] == "missing"]
    assert [(row["span_id"], row["start_ns"], row["end_ns"]) for row in missing] == [
        (f"{50:016x}", START + 10**9, START + 9 * 10**9)
    ]
    post(telemetry, sent(1, None, end=20))
    assert not [row for row in rows(telemetry, Span) if row["kind"] == "missing"]
    assert [turn["wall_ns"] for turn in rows(telemetry, Turn)] == [20 * 10**9]


def test_a_clock_that_is_wrong_is_no_harm(telemetry: Telemetry) -> None:
    post(
        telemetry, AGENT, sent(2, 1, start=-3_600, end=-3_599), sent(3, 1, start=5, end=4), sent(4, 1, start=9, end=99)
    )
    (turn,) = rows(telemetry, Turn)
    assert turn["wall_ns"] == sum(turn["phases"].values()) == 10 * 10**9
    assert all(row["end_ns"] >= row["start_ns"] for row in rows(telemetry, Span))


def test_where_two_instrumentations_record_one_call_the_inner_counts(telemetry: Telemetry) -> None:
    post(telemetry, AGENT, CHAT, sent(4, 2, "openai", start=1, end=3, attributes=OPENINFERENCE))
    (turn,) = rows(telemetry, Turn)
    assert (turn["requests"], turn["input_tokens"]) == (1, 1200)


def test_a_turn_fails_with_what_was_thrown(telemetry: Telemetry) -> None:
    thrown = {"exception.type": "ValueError", "exception.message": "no such city"}
    events = [{"name": "exception", "time_ns": START, "attributes": thrown}]
    post(telemetry, sent(1, None, failed=True, events=events))
    assert [(turn["status"], turn["error"]) for turn in rows(telemetry, Turn)] == [("failed", "no such city")]


@pytest.mark.parametrize(
    "bad",
    [
        sent(1, trace_id="0" * 32),
        sent(0),
        sent(1, trace_id="ab"),
        SpanValue(TRACE, f"{1:016x}", None, "no time", "internal", 0, 0),
        SpanValue(TRACE, f"{1:016x}", None, "far away", "internal", 2**63, 2**63 + 1),
    ],
)
def test_a_span_that_cannot_be_taken_is_counted_and_the_others_are_stored(telemetry: Telemetry, bad: SpanValue) -> None:
    partial = post(telemetry, bad, CHAT).partial_success
    assert partial.rejected_spans == 1
    assert partial.error_message.startswith(("A trace id", "A span"))
    assert [row["span_id"] for row in rows(telemetry, Span) if row["kind"] != "missing"] == [CHAT.span_id]


def test_a_span_may_not_join_another_users_trace(telemetry: Telemetry) -> None:
    post(telemetry, *SPANS, user="ana")
    before = everything(telemetry)
    partial = post(telemetry, AGENT, sent(9, 1), sent(8, trace_id="ab" * 16), user="ben").partial_success
    assert (partial.rejected_spans, "somebody else" in partial.error_message) == (2, True)
    with telemetry.store.reader() as session:
        assert {(row.turn_id, row.user_id) for row in session.exec(select(Turn))} == {
            (TRACE, "ana"),
            ("ab" * 16, "ben"),
        }
    assert [row for row in rows(telemetry, Span) if row["user_id"] == "ana"] == before[0]


def test_whose_a_span_is_decides_who_sent_it_not_what_it_says(telemetry: Telemetry) -> None:
    post(telemetry, sent(1, None, attributes={"glassdesk.user.id": "ana"}), user="ben")
    (row,) = rows(telemetry, Span)
    assert (row["user_id"], row["attributes"]["glassdesk.user.id"]) == ("ben", "ben")


SECRETS = {
    "input.value": "my key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
    "http.request.header.authorization": "Bearer abcdefghijklmnopqrstuvwxyz",
    "note": "the password is hunter2-hunter2",
}


@pytest.mark.parametrize("kind", [PROTOBUF, "application/json"])
def test_secrets_are_hidden_before_anything_is_stored(telemetry: Telemetry, tmp_path: Path, kind: str) -> None:
    events = [{"name": "exception", "time_ns": START, "attributes": {"exception.message": SECRETS["note"]}}]
    spans = sent(
        1, None, "call hunter2-hunter2", attributes=SECRETS, events=events, failed=True, message=SECRETS["note"]
    )
    content = body(spans) if kind == PROTOBUF else json.dumps(to_json(request(spans))).encode()
    telemetry.receiver.receive("local", content, kind)
    telemetry.shutdown()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in (b"sk-proj-abcdef", b"Bearer abcdef", b"hunter2-hunter2"):
        assert secret not in stored


@pytest.mark.parametrize("telemetry", ["off", "metadata"], indirect=True)
def test_content_that_is_not_wanted_is_not_stored_in_any_dialect(telemetry: Telemetry, tmp_path: Path) -> None:
    word = "Rumpelstilz"
    said = {
        "llm.input_messages.0.message.content": word,
        "gen_ai.prompt.0.content": word,
        "input.value": word,
        "traceloop.entity.input": word,
        "metadata": word,
        "retrieval.documents.0.document.content": word,
        "tags": [word],
        "llm.prompt_template.variables": word,
        "gen_ai.usage.input_tokens": 12,
        "gen_ai.request.model": "gpt-4o-mini",
    }
    events = [
        {"name": name, "time_ns": START, "attributes": {"content": word, "gen_ai.prompt": word}}
        for name in ("gen_ai.user.message", "gen_ai.content.prompt", "log")
    ]
    post(telemetry, sent(1, None, attributes=said, events=events))
    (row,) = rows(telemetry, Span)
    assert (row["attributes"]["gen_ai.usage.input_tokens"], row["attributes"]["gen_ai.request.model"]) == (
        12,
        "gpt-4o-mini",
    )
    assert rows(telemetry, Turn)[0]["input_tokens"] == 12
    telemetry.shutdown()
    assert word.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_a_span_with_very_many_attributes_keeps_the_ones_that_count(telemetry: Telemetry) -> None:
    many = {f"custom.{number}": number for number in range(1_000)}
    post(telemetry, sent(1, None, attributes={**many, "gen_ai.request.model": "gpt-4o"}))
    (row,) = rows(telemetry, Span)
    found = row["attributes"]
    assert (len(found), found["gen_ai.request.model"], found["glassdesk.dropped"]) == (257, "gpt-4o", 746)


@pytest.mark.parametrize("service", [None, "", "unknown"])
def test_a_sender_without_a_name_is_still_another_service(telemetry: Telemetry, service: str | None) -> None:
    post(telemetry, sent(1, None, service=service))
    assert rows(telemetry, Turn)[0]["service"] == (service or "unknown_service")


def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b"\0" * 10_000_000)
    with pytest.raises(TooLarge, match="larger than 1,000,000 bytes"):
        inflated(bomb, "gzip", 1_000_000)
    with pytest.raises(TooLarge):
        inflated(gzip.compress(b"a" * 600) * 2, "gzip", 1_000)
    assert inflated(gzip.compress(b"a") + gzip.compress(b"b"), "gzip", 2) == b"ab"


@pytest.mark.parametrize(
    ("content", "kind", "encoding", "error", "words"),
    [
        (b"\xff\xff", PROTOBUF, "", Malformed, "Content-Type"),
        (b"{", "application/json", "", Malformed, "not JSON"),
        (b"[]", "application/json", "", Malformed, "resourceSpans"),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "xyz"}]}]}]}', "application/json", "", Malformed,
         "traceId has to be 32"),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"startTimeUnixNano": "soon"}]}]}]}', "application/json", "",
         Malformed, "startTimeUnixNano"),
        (b"", "text/plain", "", Unsupported, "application/json"),
        (b"", PROTOBUF, "br", Unsupported, "gzip"),
        (b"no gzip", PROTOBUF, "gzip", Unsupported, "not gzip"),
        (gzip.compress(b"half" * 100, mtime=0)[:-9], PROTOBUF, "gzip", Unsupported, "whole"),
        (b"[" * 100_000, "application/json", "", Malformed, "JSON"),
    ],
)  # fmt: skip
def test_a_body_that_is_wrong_is_refused_with_the_reason(
    telemetry: Telemetry, content: bytes, kind: str, encoding: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        telemetry.receiver.receive("local", content, kind, encoding)
    assert not rows(telemetry, Span)


def test_a_refusal_speaks_the_callers_form() -> None:
    assert Status.FromString(refusal("No.", PROTOBUF).body).message == "No."
    assert json.loads(refusal("No.", "application/json").body) == {"message": "No."}
    assert refusal("No.", "text/html").media_type == "application/json"


def test_many_senders_at_once_lose_nothing_and_do_not_disturb_each_other(telemetry: Telemetry) -> None:
    def send(number: int) -> None:
        trace_id = f"{number % 5 + 1:032x}"
        post(telemetry, sent(number + 1, 1 if number >= 5 else None, trace_id=trace_id, start=number, end=100))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(send, range(40)))
    assert len([row for row in rows(telemetry, Span) if row["kind"] != "missing"]) == 40
    assert len(rows(telemetry, Turn)) == 5
