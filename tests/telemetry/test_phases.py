import time
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from telemetry.phases import Account, Phase, SpanTime, Step, account

TYPES = ["cache", "route", "agent", "chat", "tool", "mcp_client", "mcp_server", "mcp_setup", "google", "approval", "x"]

EVERY = settings(deadline=None, derandomize=True, max_examples=200)


def span(span_id: str, parent: str | None, kind: str, start: int, end: int | None, label: str = "") -> SpanTime:
    return SpanTime(span_id, parent, kind, start, end, label)


@st.composite
def spans_of(draw: st.DrawFn) -> list[SpanTime]:
    """Any spans: overlapping, open, orphaned, in rings, outside their parents, in any order."""
    moments = st.integers(0, 60)
    spans = [span("0", None, "turn", draw(moments), draw(st.none() | moments))]
    for number in range(1, draw(st.integers(1, 14))):
        parent = draw(st.sampled_from([str(n) for n in range(15)] + [None]))
        label = draw(st.sampled_from(["Assistant", "Gmail", ""]))
        times = draw(moments), draw(st.none() | moments)
        spans.append(span(str(number), parent, draw(st.sampled_from(TYPES)), *times, label))
    return spans


@EVERY
@given(spans_of())
def test_the_phases_and_the_self_times_sum_to_the_wall_time(spans: list[SpanTime]) -> None:
    result = account(spans)
    assert sum(result.phases.values()) == sum(result.self_ns.values()) == result.wall_ns
    end = spans[0].end_ns
    if end is not None:
        assert result.wall_ns == max(0, end - spans[0].start_ns)


@EVERY
@given(spans_of())
def test_no_time_is_negative_and_none_is_zero(spans: list[SpanTime]) -> None:
    result = account(spans)
    assert all(ns > 0 for ns in [*result.phases.values(), *result.self_ns.values()])
    assert all(start <= end for start, end in result.critical.values())


@EVERY
@given(spans_of(), st.randoms())
def test_the_order_of_the_spans_changes_nothing(spans: list[SpanTime], random: object) -> None:
    shuffled = list(spans)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert account(shuffled) == account(spans)


@EVERY
@given(spans_of(), st.data())
def test_a_span_off_the_critical_path_changes_nothing(spans: list[SpanTime], data: st.DataObject) -> None:
    parent = data.draw(st.sampled_from(spans)).span_id
    moments = st.integers(0, 60)
    until = max(max(span.start_ns, span.end_ns or 0) for span in spans)
    added = span("new", parent, data.draw(st.sampled_from(TYPES)), data.draw(moments), data.draw(moments))
    result = account([*spans, added], until)
    if "new" not in result.critical:
        assert result == account(spans, until)


@EVERY
@given(spans_of())
def test_the_steps_sum_to_the_time_spent_waiting_for_the_models_below_them(spans: list[SpanTime]) -> None:
    leaves = [item for item in spans if not any(other.parent_id == item.span_id for other in spans)]
    kept = [item for item in spans if item.type != "chat" or item in leaves]
    result = account([item if item.type != "x" else replace(item, type="google") for item in kept])
    models = {Phase.ORCHESTRATOR_LLM, Phase.SPECIALIST_LLM}
    assert sum(step.ns for step in result.steps) == sum(result.phases.get(phase, 0) for phase in models)


def test_the_reference_turn_has_every_phase_and_numbered_model_calls() -> None:
    spans = [
        span("turn", None, "turn", 0, 100),
        span("cache", "turn", "cache", 1, 2),
        span("route", "turn", "route", 2, 5),
        span("outer", "turn", "agent", 6, 95, "Assistant"),
        span("chat1", "outer", "chat", 6, 26),
        span("delegate", "outer", "tool", 27, 74),
        span("inner", "delegate", "agent", 28, 73, "Gmail"),
        span("connect", "inner", "mcp_setup", 29, 32),
        span("chat2", "inner", "chat", 32, 44),
        span("search", "inner", "tool", 45, 60),
        span("client", "search", "mcp_client", 46, 59),
        span("server", "client", "mcp_server", 47, 58),
        span("list", "server", "google", 48, 56),
        span("chat3", "inner", "chat", 60, 72),
        span("chat4", "outer", "chat", 74, 94),
        span("persist", "turn", "persist", 96, 99),
    ]
    assert account(spans) == Account(
        100,
        {
            "cache_lookup": 1,
            "routing": 3,
            "orchestrator_llm": 40,
            "mcp_setup": 3,
            "specialist_llm": 24,
            "tool": 7,
            "google_api": 8,
            "persist": 3,
            "framework": 11,
        },
        (
            Step("orchestrator_llm", 1, "Assistant", "chat1", 20),
            Step("specialist_llm", 1, "Gmail", "chat2", 12),
            Step("specialist_llm", 2, "Gmail", "chat3", 12),
            Step("orchestrator_llm", 2, "Assistant", "chat4", 20),
        ),
        {item.span_id: (item.start_ns, item.end_ns) for item in spans},  # type: ignore[misc]
        {
            **{"turn": 4, "cache": 1, "route": 3, "outer": 2, "chat1": 20, "delegate": 2, "inner": 3, "connect": 3},
            **{"chat2": 12, "search": 2, "client": 2, "server": 3, "list": 8, "chat3": 12, "chat4": 20, "persist": 3},
        },
    )


def test_of_parallel_tools_the_last_to_end_is_critical_and_the_others_fill_only_what_comes_before() -> None:
    spans = [
        span("turn", None, "turn", 0, 20),
        span("agent", "turn", "agent", 0, 20, "Gmail"),
        span("quick", "agent", "tool", 0, 10),
        span("within", "agent", "google", 7, 9),
        span("last", "agent", "google", 5, 20),
    ]
    result = account(spans)
    assert result.phases == {"tool": 5, "google_api": 15}
    assert result.critical == {"turn": (0, 20), "agent": (0, 20), "quick": (0, 5), "last": (5, 20)}


def test_a_specialist_that_answers_directly_is_no_orchestrator() -> None:
    direct = [span("turn", None, "turn", 0, 9), span("agent", "turn", "agent", 0, 9, "Gmail")]
    assert account([*direct, span("chat", "agent", "chat", 0, 9)]).phases == {"specialist_llm": 9}
    nested = [*direct, span("inner", "agent", "agent", 0, 9, "Assistant"), span("chat", "inner", "chat", 0, 9)]
    assert account(nested).phases == {"specialist_llm": 9}


def test_children_are_clipped_and_orphans_hang_on_the_turn() -> None:
    spans = [
        span("turn", None, "turn", 10, 30),
        span("approval", "turn", "approval", 5, 15),
        span("orphan", "unknown", "persist", 25, 99),
    ]
    assert account(spans).phases == {"approval_wait": 5, "persist": 5, "framework": 10}


def test_an_open_span_ends_where_the_turn_ends() -> None:
    finished = [span("turn", None, "turn", 0, 30), span("google", "turn", "google", 10, None)]
    assert account(finished).phases == {"google_api": 20, "framework": 10}
    killed = [
        span("turn", None, "turn", 0, None),
        span("chat", "turn", "chat", 10, None),
        span("x", "chat", "x", 0, 40),
    ]
    assert account(killed).wall_ns == 40
    assert account(killed, until_ns=50).phases == {"specialist_llm": 40, "framework": 10}


def test_nothing_at_all_is_an_empty_account() -> None:
    assert account([]) == Account(0, {}, (), {}, {})


def test_deep_and_wide_turns_take_no_time_to_speak_of() -> None:
    deep = [span("0", None, "turn", 0, 10_000)]
    deep += [span(str(n), str(n - 1), "tool", n, 10_000 - n) for n in range(1, 5_000)]
    wide = [deep[0], *(span(str(n), "0", "tool", n, n + 50) for n in range(1, 5_000))]
    for spans in (deep, wide):
        start = time.perf_counter()
        assert account(spans).wall_ns == 10_000
        print(f"{len(spans)} spans: {(time.perf_counter() - start) * 1e3:.1f} ms")
