"""Turns leave as JSON Lines and as a table, and come back as the same rows; other people's do neither."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete
from sqlmodel import col, select

from telemetry import export, imports
from telemetry.export import turns_csv, turns_jsonl
from telemetry.foreign import record_of
from telemetry.imports import Imported, NotImported, import_file
from telemetry.intake import Intake
from telemetry.otlp_wire import SpanValue, to_json
from telemetry.redaction import Redactor
from telemetry.setup import Telemetry
from telemetry.store import Store
from telemetry.tables import LlmCall, Payload, Span, ToolCall, Turn
from tests.telemetry.otlp import TRACE, request, sent
from tests.telemetry.test_otlp_in import SPANS
from tests.telemetry.worlds import World, direct, failed, orchestrated, running

TABLES = (Span, Payload, Turn, LlmCall, ToolCall)


@pytest.fixture
def store(telemetry_url: str) -> Iterator[Store]:
    with closing(Store(telemetry_url)) as made:
        yield made


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(f"sqlite:///{tmp_path / 'other.db'}")) as made:
        yield made


def rows(store: Store) -> list[list[dict[str, Any]]]:
    with store.reader() as session:
        found = [[row.model_dump() for row in session.exec(select(table))] for table in TABLES]
    return [
        sorted(some, key=lambda row: json.dumps([row.get("span_id"), row.get("turn_id"), row.get("key")]))
        for some in found
    ]


def take(store: Store, content: bytes, user: str = "local", capture: str = "full") -> Imported:
    return import_file(store, Redactor(capture), user, io.BytesIO(content))


def given_spans(store: Store, *spans: SpanValue, user: str = "local") -> None:
    Intake(store).put(user, [record_of(span, user, Redactor()) for span in spans])


def recorded(url: str) -> None:
    """A turn of ours with a failed tool, a long result, events and a link."""
    telemetry = Telemetry(url)
    tracer = telemetry.tracer_provider.get_tracer("test")
    attributes = {"glassdesk.user.id": "local", "gen_ai.conversation.id": "c1", "glassdesk.question": "製品は? 🎉"}
    with tracer.start_as_current_span("turn", attributes=attributes) as root:
        with tracer.start_as_current_span("tools/call read", attributes={"mcp.method.name": "tools/call"}) as span:
            span.set_attribute("gen_ai.tool.call.result", "words and more words, " * 2_000)
            span.add_event("retry", {"after": 1.5, "note": "x" * 9_000})
            span.record_exception(ValueError("no"))
        with tracer.start_as_current_span("chat m", attributes={"gen_ai.operation.name": "chat", "list": [1, 2]}):
            root.add_link(span.get_span_context(), {"why": "because"})
    telemetry.shutdown()


def test_what_is_exported_comes_back_as_the_same_rows(tmp_path: Path, store: Store, other: Store) -> None:
    recorded(store.url)
    given_spans(store, *SPANS)
    given_spans(store, sent(7, 70, trace_id="cd" * 16))
    content = b"".join(turns_jsonl(store, "local"))
    assert "製品は? 🎉" in content.decode()
    done = take(other, content)
    assert (done.turns, done.spans, done.known, done.refused) == (3, 7, 0, 0)
    assert rows(other) == rows(store)
    assert take(other, content) == Imported(known=7)
    assert rows(other) == rows(store)


@pytest.fixture(scope="module")
def stores() -> Iterator[tuple[Store, Store]]:
    with closing(Store("sqlite://")) as first, closing(Store("sqlite://")) as second:
        yield first, second


def emptied(stores: tuple[Store, Store]) -> tuple[Store, Store]:
    for store in stores:
        with store.write() as connection:
            for table in TABLES:
                connection.execute(delete(table))
    return stores


ANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.generate])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)
named = st.sampled_from(
    ["a", "gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.operation.name", "session.id"]
)
attributes = st.dictionaries(named | st.text(max_size=12), values, max_size=5)
events = st.builds(lambda name, at, more: {"name": name, "time_ns": at, "attributes": more}, st.text(max_size=9),
                   st.integers(1, 2**62), attributes)  # fmt: skip
spans = st.builds(
    lambda number, parent, name, start, end, failed, found, told: sent(
        number, parent, name, start=start, end=start + end, failed=failed, message="it failed" if failed else "",
        attributes=found, events=told),
    st.integers(1, 9), st.none() | st.integers(10, 12), st.text(max_size=12), st.integers(0, 50), st.integers(0, 60),
    st.booleans(), attributes, st.lists(events, max_size=2),
)  # fmt: skip


@ANY
@given(found=st.lists(spans, min_size=1, max_size=6))
def test_any_trace_comes_back_as_the_same_rows(stores: tuple[Store, Store], found: list[SpanValue]) -> None:
    first, second = emptied(stores)
    given_spans(first, *found)
    content = b"".join(turns_jsonl(first, "local"))
    take(second, content)
    assert rows(second) == rows(first)
    assert b"".join(turns_jsonl(second, "local")) == content


@ANY
@given(found=st.lists(spans, min_size=1, max_size=6))
def test_otlp_in_a_file_is_otlp_in_a_request(stores: tuple[Store, Store], found: list[SpanValue]) -> None:
    first, second = emptied(stores)
    unique = list({span.span_id: span for span in found}.values())
    given_spans(first, *unique)
    take(second, json.dumps(to_json(request(*unique))).encode())
    assert rows(second) == rows(first)


@pytest.mark.parametrize("layout", ["object", "pretty", "lines"])
def test_otlp_may_be_one_object_or_lines(store: Store, layout: str) -> None:
    whole = to_json(request(*SPANS))
    lines = "\n\n".join(json.dumps(to_json(request(span))) for span in SPANS)
    content = {"object": json.dumps(whole), "pretty": json.dumps(whole, indent=2), "lines": lines}[layout]
    assert take(store, content.encode()).spans == 3
    assert len(rows(store)[2]) == 1


def test_everything_that_is_exported_is_the_users_own(store: Store) -> None:
    world = World(store)
    mine, _ = world.add(direct()), world.add(direct(), user_id="ben")
    for user, count in (("local", 1), ("ben", 1), ("nobody", 0), ("*", 0)):
        lines = b"".join(turns_jsonl(store, user)).splitlines()
        assert len(lines) == count
        assert len(b"".join(turns_csv(store, user)).splitlines()) == count + 1
    assert b"".join(turns_jsonl(store, "ben", [mine])) == b""
    assert "user_id" not in json.loads(next(turns_jsonl(store, "local")))["spans"][0]


def test_turns_can_be_chosen_by_id_and_by_condition_and_progress_is_told(store: Store) -> None:
    world, told = World(store), []
    ids = [world.add(sketch, start_ns=10**18 + number) for number, sketch in enumerate([direct(), failed()] * 75)]
    by_id = [json.loads(line) for line in turns_jsonl(store, "local", ids[:3])]
    assert [line["turn"]["turn_id"] for line in by_id] == ids[2::-1]
    found = list(turns_csv(store, "local", [col(Turn.status) == "failed"], lambda *now: told.append(now)))
    assert (len(found), told) == (76, [(75, 75)])
    assert len(list(turns_jsonl(store, "local", (), lambda *now: told.append(now)))) == 150
    assert told[1:] == [(100, 150), (150, 150)]


def test_an_import_belongs_to_whoever_imports(store: Store, other: Store) -> None:
    recorded(store.url)
    content = b"".join(turns_jsonl(store, "local"))
    assert take(other, content, "ben").spans == 3
    with other.reader() as session:
        assert {span.user_id for span in session.exec(select(Span))} == {"ben"}
        assert {turn.user_id for turn in session.exec(select(Turn))} == {"ben"}
    before = rows(other)
    assert take(other, content, "cleo") == Imported(refused=3)
    assert rows(other) == before


def test_a_running_turn_comes_back_as_one_that_was_interrupted(store: Store, other: Store) -> None:
    World(store).add(running())
    take(other, b"".join(turns_jsonl(store, "local")))
    (turn,) = rows(other)[2]
    assert (turn["status"], turn["wall_ns"]) == ("interrupted", 710 * 10**6)


def test_an_import_is_redacted_by_the_rules_here(store: Store, other: Store, tmp_path: Path) -> None:
    recorded(store.url)
    content = b"".join(turns_jsonl(store, "local")).replace(b"because", b"Bearer abcdefghijklmnopqrstuvwxyz0123")
    content = content.replace(b"words and more words", b"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789")
    take(other, content)
    stored = json.dumps(rows(other))
    assert "sk-proj-abcdef" not in stored and "Bearer abcdef" not in stored
    with closing(Store(f"sqlite:///{tmp_path / 'third.db'}")) as third:
        take(third, content, capture="off")
        assert "words" not in json.dumps(rows(third)) and not rows(third)[1]


GOOD = {"format": "glassdesk.trace", "version": 1, "spans": [
    {"span_id": "1" * 16, "trace_id": TRACE, "name": "turn", "type": "turn", "kind": "internal", "start_ns": 1,
     "end_ns": 2, "status": "ok", "attributes": {}}]}  # fmt: skip


def bad_span(**changes: Any) -> dict[str, Any]:
    return {**GOOD, "spans": [{**GOOD["spans"][0], **changes}]}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "Line 2: this is not whole JSON. 1 traces before it are imported; correct the file"),
        ("[]", "Line 2: This is neither"),
        ({"version": 1}, "Line 2: This is neither"),
        ({**GOOD, "version": 9}, "Line 2, version: "),
        (bad_span(trace_id="xyz"), "Line 2, spans.0.trace_id: "),
        (bad_span(start_ns="soon"), "Line 2, spans.0.start_ns: "),
        (bad_span(end_ns=2**63), "Line 2, spans.0.end_ns: "),
        (bad_span(kind="missing"), "Line 2, spans.0.kind: "),
        (bad_span(type="'; drop"), "Line 2, spans.0.type: "),
        (bad_span(attributes=[]), "Line 2, spans.0.attributes: "),
        (
            {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "zz"}]}]}]},
            "Line 2: This is not OTLP: traceId has",
        ),
        ("[" * 100_000, "Line 2: this is not whole JSON"),
    ],
)
def test_a_line_that_is_wrong_is_named_with_its_field_and_what_came_before_is_kept(
    store: Store, line: Any, words: str
) -> None:
    content = json.dumps(GOOD) + "\n" + (line if isinstance(line, str) else json.dumps(line)) + "\n"
    with pytest.raises(NotImported) as refused:
        take(store, content.encode())
    assert str(refused.value).startswith(words)
    assert len(rows(store)[0]) == 1


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xef\xbb\xbf"])
def test_an_empty_file_imports_nothing(store: Store, content: bytes) -> None:
    try:
        assert take(store, content) == Imported()
    except NotImported as error:
        assert "Line 1" in str(error)


def test_half_a_letter_is_no_harm(store: Store) -> None:
    line = bad_span(name="\ud800", attributes={"\ud800": "\ud800", "n\x00": "\x00"}, conversation_id="\ud800")
    assert take(store, json.dumps(line).encode()).spans == 1


@pytest.mark.parametrize("text", ["=HYPERLINK(1)", "+1", "-1", "@sum", "\t=1", "\r=1", "  =1", "＝1", "\n=1"])
def test_a_cell_that_a_spreadsheet_would_run_is_a_text(store: Store, text: str) -> None:
    World(store).add(direct(error=text))
    content = b"".join(turns_csv(store, "local"))
    assert content.startswith(b"\xef\xbb\xbf")
    table = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert table[0]["error"] == f"'{text}"


def test_a_table_says_what_is_known_and_nothing_where_nothing_is(store: Store) -> None:
    world = World(store)
    world.add(orchestrated())
    world.add(running(), conversation="c2")
    table = list(csv.DictReader(io.StringIO(b"".join(turns_csv(store, "local")).decode("utf-8-sig"), newline="")))
    whole = next(line for line in table if line["status"] == "done")
    assert (whole["agents"], whole["cost_usd"], whole["wall_ms"]) == (
        "Assistant, Gmail, Calendar",
        "0.000918",
        "6081.0",
    )
    assert next(line for line in table if line["status"] == "running")["wall_ms"] == ""


def test_the_command_lines_export_and_import(store: Store, other: Store, tmp_path: Path, capsysbinary: Any) -> None:
    recorded(store.url)
    assert export.main([store.url]) == 0
    path = tmp_path / "turns.jsonl"
    path.write_bytes(capsysbinary.readouterr().out)
    assert imports.main([other.url, str(path)]) == 0
    assert b"1 traces, 3 spans, 0 known before" in capsysbinary.readouterr().out
    assert rows(other) == rows(store)
    path.write_bytes(b"{")
    assert imports.main([other.url, str(path)]) == 1
    assert b"Line 1" in capsysbinary.readouterr().err
