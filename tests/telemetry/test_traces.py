import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlmodel import Session, select

from telemetry import hourly, hours, possible, textindex, traces
from telemetry.formats import HOUR
from telemetry.queries import EVERYBODY, Selection
from telemetry.querylang.errors import QueryError
from telemetry.querylang.fields import FIELDS, HAS, LEVELS, STATUSES
from telemetry.querylang.line import Between, Line, Term, Words
from telemetry.querylang.parser import parse
from telemetry.store import Store
from telemetry.tables import LlmCall, ToolCall, Turn
from telemetry.traces import Ask, Traces

S = 10**9
TOOLS = ("search_gmail_messages", "send_gmail_message", "list_drive_files")
MODELS = ("openai/gpt-4o-mini", "gpt-5", "qwen/qwen3:free", None)
AGENTS = ("Gmail", "Google Calendar", "Assistant")
ALL_TIME = Selection(0, 2**62)


@pytest.fixture
def store(telemetry_url: str) -> Iterator[Store]:
    opened = Store(telemetry_url)
    yield opened
    opened.close()


def turn(number: int, **more: Any) -> Turn:
    known = {"user_id": "local", "conversation_id": f"c{number % 3}", "status": "done", "start_ns": number * S}
    return Turn(**{"turn_id": f"t{number:03}", "question": f"Question {number}", **known, **more})


def keep(store: Store, *rows: Any) -> None:
    with Session(store.engine) as session:
        session.add_all(rows)
        session.commit()


def tool_call(of: Turn, name: str, number: int, status: str = "ok") -> ToolCall:
    whose = {"user_id": of.user_id, "conversation_id": of.conversation_id, "start_ns": of.start_ns}
    return ToolCall(span_id=f"{of.turn_id}-{number}", turn_id=of.turn_id, tool=name, status=status, **whose)


def model_call(of: Turn, model: str | None, number: int, status: str = "ok") -> LlmCall:
    whose = {"user_id": of.user_id, "conversation_id": of.conversation_id, "start_ns": of.start_ns}
    return LlmCall(span_id=f"{of.turn_id}-m{number}", turn_id=of.turn_id, model=model, status=status, **whose)


def found(store: Store, text: str, **more: Any) -> list[str]:
    ask = Ask("local", parse(text), ALL_TIME, **more)
    return [row.turn_id for row in Traces(store).page(ask, 100).turns]


# --- the meaning of a line, said again in plain Python


def ascii_lower(text: str) -> str:
    return re.sub("[A-Z]", lambda letter: letter[0].lower(), text)


def pattern_fits(value: Any, name: str | None) -> bool:
    if name is None:
        return False
    pattern = ".*".join(re.escape(ascii_lower(piece)) for piece in value.pieces)
    return re.fullmatch(pattern, ascii_lower(name), re.DOTALL) is not None


def number_fits(value: Any, number: int | None) -> bool:
    low_fits = number is not None and (value.low is None or number >= value.low)
    return number is not None and low_fits and (value.high is None or number <= value.high)


def holds(term: Term, row: Turn, tools: list[ToolCall], models: list[LlmCall]) -> bool:
    return any(value_holds(term.field, value, row, tools, models) for value in term.values) is not term.negated


def value_holds(field: str, value: Any, row: Turn, tools: list[ToolCall], models: list[LlmCall]) -> bool:
    failing = any(call.status == "error" for call in (*tools, *models))
    waited = row.phases.get("approval_wait", 0)
    tokens = None if row.input_tokens is None else row.input_tokens + (row.output_tokens or 0)
    bad = row.status in ("failed", "interrupted")
    warned = row.status == "stopped" or (row.status == "done" and failing)
    match field:
        case "level":
            fine = row.status == "done" and not failing
            return {"error": bad, "warning": warned, "ok": fine}[value.pieces[0]]
        case "status":
            return value.pieces[0] == row.status
        case "latency":
            return number_fits(value, row.latency_ns)
        case "first" | "cost" | "tokens" | "calls":
            numbers = {"first": row.first_token_ns, "cost": row.cost_pico_usd, "tokens": tokens, "calls": row.tools}
            return number_fits(value, numbers[field])
        case "tool":
            return any(pattern_fits(value, call.tool) for call in tools)
        case "agent":
            return any(pattern_fits(value, title) for title in row.agents)
        case "model":
            asked = [name for name in (row.model, *(call.model for call in models)) if name]
            return any(pattern_fits(value, part) for name in asked for part in parts(name))
        case "has":
            happened = {
                "approval": waited > 0,
                "error": failing,
                "tool": row.tools > 0,
                "google": row.google_requests > 0,
                "cache": row.cached,
                "unpriced": row.unpriced > 0,
                "estimate": row.estimated,
                "reasoning": bool(row.reasoning_tokens),
                "question": row.question is not None,
            }
            return happened[value.pieces[0]]
    columns = {"route": row.route, "conv": row.conversation_id, "turn": row.turn_id, "user": row.user_id}
    return pattern_fits(value, columns[field])


def parts(model: str) -> list[str]:
    return [model, *(model[at + 1 :] for at, letter in enumerate(model) if letter == "/")]


@st.composite
def worlds(draw: st.DrawFn) -> list[tuple[Turn, list[ToolCall], list[LlmCall]]]:
    made = []
    unknown = st.none()
    for number in range(draw(st.integers(1, 6))):
        latency = draw(st.one_of(unknown, st.integers(0, 5).map(lambda seconds: seconds * S)))
        row = turn(
            number,
            start_ns=number // 3 * HOUR + number * S,
            user_id=draw(st.sampled_from(["local", "local", "ana"])),
            status=draw(st.sampled_from(sorted(STATUSES))),
            question=draw(st.sampled_from([None, "Q"])),
            route=draw(st.sampled_from([None, "direct", "orchestrated"])),
            agents=draw(st.lists(st.sampled_from(AGENTS), unique=True)),
            model=draw(st.sampled_from(MODELS)),
            latency_ns=latency,
            first_token_ns=draw(st.one_of(unknown, st.integers(0, 3).map(lambda seconds: seconds * S))),
            phases=draw(st.sampled_from([{}, {"approval_wait": S, "tool": 1}, {"tool": 5}])),
            tools=draw(st.integers(0, 3)),
            google_requests=draw(st.integers(0, 1)),
            input_tokens=draw(st.one_of(unknown, st.integers(0, 2000))),
            output_tokens=draw(st.one_of(unknown, st.integers(0, 100))),
            reasoning_tokens=draw(st.sampled_from([None, 0, 7])),
            cost_pico_usd=draw(st.one_of(unknown, st.integers(0, 3).map(lambda cents: cents * 10**10))),
            unpriced=draw(st.integers(0, 1)),
            cached=draw(st.booleans()),
            estimated=draw(st.booleans()),
        )
        states = st.sampled_from(["ok", "ok", "error"])
        used = draw(st.lists(st.tuples(st.sampled_from(TOOLS), states), max_size=2))
        asked = draw(st.lists(st.tuples(st.sampled_from(MODELS), states), max_size=2))
        tools = [tool_call(row, name, at, status) for at, (name, status) in enumerate(used)]
        made.append((row, tools, [model_call(row, name, at, status) for at, (name, status) in enumerate(asked)]))
    return made


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "level": st.sampled_from(sorted(LEVELS)).map(lambda word: Words((word,))),
    "status": st.sampled_from(sorted(STATUSES)).map(lambda word: Words((word,))),
    "has": st.sampled_from(sorted(HAS)).map(lambda word: Words((word,))),
    "tool": st.sampled_from(["send_*", "*gmail*", "list_drive_files", "nothing", "SEARCH*", "s*e"]),
    "agent": st.sampled_from(["gmail", "Goo*", "*a*", "Calendar", "*calendar"]),
    "model": st.sampled_from(["gpt*", "gpt-5", "openai/*", "*free", "mini"]),
    "route": st.sampled_from(["direct", "orch*", "%"]),
    "conv": st.sampled_from(["c1", "c*", "_1"]),
    "turn": st.sampled_from(["t001", "t00*"]),
}
NUMBERS = {"latency": 5 * S, "first": 3 * S, "cost": 3 * 10**10, "tokens": 2100, "calls": 3}


@st.composite
def asked_terms(draw: st.DrawFn) -> Term:
    field = draw(st.sampled_from(sorted(set(FIELDS) - {"text", "user"})))
    if field in NUMBERS:
        low, high = sorted(draw(st.tuples(*[st.integers(0, NUMBERS[field])] * 2)))
        value = draw(st.sampled_from([Between(low, high), Between(low, None), Between(None, high)]))
        return Term(field, (value,), draw(st.booleans()))
    found = draw(st.lists(VALUES[field], min_size=1, max_size=2, unique=True))
    values = tuple(one if isinstance(one, Words) else Words(tuple(one.split("*"))) for one in found)
    return Term(field, values, draw(st.booleans()))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    world=worlds(),
    terms=st.lists(asked_terms(), min_size=1, max_size=3),
    listed=st.booleans(),
    summed=st.sampled_from([None, 0, possible.MOST]),
)
def test_the_database_finds_what_the_line_means(
    store: Store, world: list[Any], terms: list[Term], listed: bool, summed: int | None
) -> None:
    with store.write() as connection:
        for table in ("turn", "tool_call", "llm_call"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
    mine = [(row, tools, models) for row, tools, models in world if row.user_id == "local"]
    expected = [row.turn_id for row, tools, models in mine if all(holds(term, row, tools, models) for term in terms)]
    keep(store, *(one for row, tools, models in world for one in (row, *tools, *models)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traces, "RARE", traces.RARE if listed else -1)
        if summed is not None:  # the sums of hours are asked first, as of many turns
            hourly.recount(store)
            patch.setattr(hours, "EXACT", -1)
            patch.setattr(possible, "MOST", summed)
        page = Traces(store).page(Ask("local", Line(tuple(terms)), ALL_TIME), 100)
    assert sorted(row.turn_id for row in page.turns) == sorted(expected)
    assert page.total == len(expected)


def test_texts_are_found_listed_or_turn_by_turn_and_denied(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [turn(1, question="Invoice from Ana"), turn(2, question="製品レビュー"), turn(3, question="Ana writes")]
    keep(store, *rows)
    with store.write() as connection:
        textindex.index_turns(connection, [(row.model_dump(), []) for row in map(fresh, (1, 2, 3), store_texts())])
    for few in (traces.RARE, -1):
        monkeypatch.setattr(traces, "RARE", few)
        assert found(store, "ana") == ["t003", "t001"]
        assert found(store, 'text:"from Ana"') == ["t001"]
        assert found(store, "-ana") == ["t002"]
        assert found(store, "text:invoice,製品") == ["t002", "t001"]
        assert found(store, "ana -invoice") == ["t003"]
    assert Traces(store).excerpts("local", parse("invoice"), ["t001", "t002"]) == {"t001": "Invoice from Ana"}
    assert Traces(store).excerpts("ana", parse("invoice"), ["t001"]) == {}


def store_texts() -> tuple[str, ...]:
    return "Invoice from Ana", "製品レビュー", "Ana writes"


def fresh(number: int, question: str) -> Turn:
    return turn(number, question=question)


def test_no_field_reaches_another_persons_turns(store: Store) -> None:
    hers = turn(
        7, user_id="ana", question="secret", agents=["Gmail"], model="gpt-5", route="direct", latency_ns=S, tools=1
    )
    keep(store, hers, tool_call(hers, TOOLS[0], 1), model_call(hers, "gpt-5", 1))
    with store.write() as connection:
        textindex.index_turns(connection, [(turn(7, user_id="ana", question="secret").model_dump(), [])])
    for line in (
        *("", "-nothing", "secret", "level:ok", "-level:error", "status:done", "latency:>=0s", "-latency:>9s"),
        *("tool:*", "-tool:x", "agent:*", "model:*", "route:*", "has:tool", "conv:*", "turn:*", "turn:t007"),
    ):
        assert found(store, line) == [], line
    assert Traces(store).tools("local") == []
    asked = Ask("local", Line(), ALL_TIME)
    assert Traces(store).neighbours(asked, "t007") == (None, None)
    with pytest.raises(QueryError, match="Only administrators"):
        found(store, "level:ok user:ana")


def test_an_administrator_counts_everybodys_turns_but_looks_for_no_word_in_them(store: Store) -> None:
    keep(store, turn(1), turn(2, user_id="ana", question="secret"))
    with store.write() as connection:
        texts = [turn(2, user_id="ana", question="secret plans").model_dump(), turn(1).model_dump()]
        textindex.index_turns(connection, [(row, []) for row in texts])
    assert found(store, "user:ana", administers=True) == ["t002"]
    assert found(store, "user:*", administers=True) == ["t002", "t001"]
    assert found(store, "", administers=True, whose=EVERYBODY) == ["t002", "t001"]
    assert found(store, "", administers=True, whose="ana") == ["t002"]
    assert found(store, "", administers=True) == ["t001"]
    assert found(store, "", whose=EVERYBODY) == found(store, "", whose="ana") == ["t001"]
    everybody = Ask("local", Line(), ALL_TIME, whose=EVERYBODY, administers=True)
    assert [row.question for row in Traces(store).page(everybody, 9).turns] == [None, "Question 1"]
    contents = replace(everybody, contents=True)
    assert [row.question for row in Traces(store).page(contents, 9).turns] == ["secret", "Question 1"]
    assert found(store, "secret user:*", administers=True) == []
    assert found(store, "question user:*", administers=True) == ["t001"]


def test_pages_follow_each_other_both_ways(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(store, *(turn(number, start_ns=number // 2 * S) for number in range(10)))
    listed, asked = Traces(store), Ask("local", Line(), ALL_TIME)
    names = [f"t{number:03}" for number in range(9, -1, -1)]
    seen, before = [], None
    for _ in range(4):
        page = listed.page(asked, 3, before=before)
        seen += [row.turn_id for row in page.turns]
        before = seen[-1]
    assert seen == names
    assert (page.older, page.newer, page.total) == (False, True, None)
    back = listed.page(asked, 3, after="t003")
    assert [row.turn_id for row in back.turns] == names[3:6]
    assert [row.turn_id for row in listed.page(asked, 3, after="t008").turns] == names[:3]
    assert [row.turn_id for row in listed.page(asked, 3, before="gone").turns] == names[:3]
    assert listed.neighbours(asked, "t005") == ("t006", "t004")
    assert listed.neighbours(asked, "t009") == (None, "t008")
    monkeypatch.setattr(traces, "COUNTED", 5)
    assert listed.page(asked, 3).total == 6


def test_the_conditions_serve_any_statement(store: Store) -> None:
    keep(store, turn(1), turn(2, status="failed"))
    conditions = Traces(store).conditions(Ask("local", parse("status:failed")))
    with store.reader() as session:
        assert list(session.exec(select(Turn.turn_id).where(*conditions))) == ["t002"]


def test_values_never_become_sql(store: Store) -> None:
    keep(store, turn(1))
    for text in ('tool:"x\' OR 1=1 --"', "conv:%", "conv:_1", 'agent:"\\" OR 1"', "route:';DROP"):
        assert found(store, text) == []
    assert found(store, "conv:c1") == ["t001"]
