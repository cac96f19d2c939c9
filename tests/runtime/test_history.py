from core.runtime.history import history, memory
from core.store.tables import Exchange


def exchange(number, result="x"):
    call = {"type": "function_call", "call_id": f"call{number}", "name": "tool", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": f"call{number}", "output": result}
    said = [{"role": "user", "content": f"q{number}"}, call, output, {"role": "assistant", "content": f"a{number}"}]
    return Exchange(
        turn_id=str(number), conversation_id="c", user_id="u", question=f"q{number}", answer=f"a{number}",
        status="done", items=said,
    )  # fmt: skip


def test_short_conversations_reach_the_model_whole_and_in_order():
    items = history([exchange(1), exchange(2)], 1000)
    assert [item.get("content") or item["type"] for item in items] == [
        "q1", "function_call", "function_call_output", "a1", "q2", "function_call", "function_call_output", "a2",
    ]  # fmt: skip


def test_older_turns_lose_their_tool_results_first():
    items = history([exchange(1, "long " * 300), exchange(2)], 200)
    assert [item.get("content") or item["type"] for item in items] == [
        "q1", "a1", "q2", "function_call", "function_call_output", "a2",
    ]  # fmt: skip


def test_a_call_never_goes_without_its_result():
    for budget in range(0, 400, 7):
        items = history([exchange(number, "y" * 50 * number) for number in range(6)], budget)
        calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
        outputs = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
        assert calls == outputs


def test_what_does_not_fit_is_left_out_from_the_oldest():
    items = history([exchange(number) for number in range(50)], 100)
    assert items[-1]["content"] == "a49"
    assert "q0" not in [item.get("content") for item in items]


def test_files_are_named_where_their_text_does_not_fit():
    asked = exchange(1, "long " * 300)
    asked.files = [{"name": "a.csv", "mime": "text/csv", "size": 12, "path": "account/sam/1f/a.csv"}]
    listed = "q1\n\nAttached files:\n- a.csv (text/csv, 12 bytes), path=sam/1f/a.csv"
    assert [item["content"] for item in history([asked], 200)] == [listed, "a1"]


def test_a_question_without_an_answer_is_kept():
    failed = Exchange(turn_id="1", conversation_id="c", user_id="u", question="q", status="failed")
    assert history([failed], 100) == [{"role": "user", "content": "q"}]


def test_what_was_shortened_is_counted():
    all_kept = memory([exchange(1), exchange(2)], 1000)
    assert (all_kept.turns, all_kept.kept, all_kept.shortened) == (2, 2, False)
    some = memory([exchange(1, "long " * 300), exchange(2)], 200)
    assert (some.turns, some.kept, some.shortened) == (2, 1, True)
    few = memory([exchange(number) for number in range(50)], 100)
    assert (few.turns, few.shortened) == (50, True)
    assert 0 < few.kept < 50


def test_of_a_turn_that_is_too_long_the_last_calls_are_kept():
    long, short = exchange(1, "long " * 300), exchange(2)
    both = Exchange(
        turn_id="1", conversation_id="c", user_id="u", question="q", answer="a", status="done",
        items=[{"role": "user", "content": "q"}, *long.items[1:3], *short.items[1:]],
    )  # fmt: skip
    kept = memory([both], 200)
    assert [item.get("call_id") for item in kept.items] == [None, "call2", "call2", None]
    assert kept.shortened
