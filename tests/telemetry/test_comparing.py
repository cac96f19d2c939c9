from telemetry.comparing import differences, lines
from telemetry.tables import ToolCall, Turn

MS, CENT = 10**6, 10**10


def turn(**more: object) -> Turn:
    known = {"turn_id": "t", "user_id": "local", "conversation_id": "c", "status": "done", "start_ns": 0}
    return Turn(**{**known, "route": "direct", "agents": ["Gmail"], "model": "gpt-5", **more})  # type: ignore[arg-type]


def call(tool: str) -> ToolCall:
    whose = {"turn_id": "t", "user_id": "local", "conversation_id": "c"}
    return ToolCall(span_id=tool, tool=tool, start_ns=0, status="ok", **whose)


QUICK = turn(
    wall_ns=1_900 * MS,
    first_token_ns=600 * MS,
    phases={"routing": 2 * MS, "specialist_llm": 1_800 * MS, "tool": 98 * MS},
    requests=2,
    tools=1,
    input_tokens=1_000,
    output_tokens=50,
    cost_pico_usd=CENT,
)
SLOW = turn(
    wall_ns=64_100 * MS,
    phases={"routing": 4 * MS, "specialist_llm": 3_000 * MS, "tool": 96 * MS, "approval_wait": 61_000 * MS},
    requests=3,
    tools=2,
    input_tokens=2_000,
    output_tokens=50,
    cost_pico_usd=3 * CENT,
)


def test_what_differs_is_said_in_words_the_most_telling_first() -> None:
    assert differences(QUICK, SLOW, ([call("search")], [call("search"), call("send")])) == [
        "The second took 1.20 s longer than the first.",
        "The second waited 1 min 1 s longer for a person, which is not counted as latency.",
        "The second waited 1.20 s longer for the specialist model.",
        "Only the second called send; the first did not.",
        "The second asked a model 1 time more (3 against 2).",
        "The second used 1,000 tokens more.",
        "The second cost $0.020 more.",
    ]
    assert differences(SLOW, QUICK, ([], []))[0] == "The second took 1.20 s less than the first."


def test_another_way_agent_model_and_end_are_said() -> None:
    other = turn(status="failed", route="orchestrated", agents=["Assistant", "Gmail", "Drive"], model=None)
    assert differences(turn(), other, ([], [])) == [
        "The first was answered, the second failed.",
        "The first took the route direct, the second orchestrated.",
        "The first was answered by Gmail, the second by Assistant, Gmail and Drive.",
        "The first asked gpt-5, the second no known model.",
    ]


def test_turns_that_are_alike_differ_in_nothing() -> None:
    assert differences(QUICK, QUICK, ([], [])) == ["Nothing that counts differs."]
    assert {line.difference for line in lines(QUICK, QUICK)} == {"same"}


def test_numbers_stand_side_by_side_and_what_is_unknown_is_not_compared() -> None:
    unpriced = turn(wall_ns=None, requests=1, input_tokens=None, cost_pico_usd=CENT, unpriced=1)
    found = {line.name: (line.first, line.second, line.difference) for line in lines(QUICK, unpriced)}
    assert found["Took"] == ("1.90 s", "–", "–")
    assert found["Specialist model"] == ("1.80 s", "–", "–")
    assert found["Tokens in"] == ("1,000", "unknown", "–")
    assert found["Cost"] == ("$0.010", "$0.010 + 1 unpriced", "–")
    assert found["Model calls"] == ("2", "1", "−1")
    assert "Waiting for you" not in found
    assert "What the second cost is not wholly known, so the costs are not compared." in differences(
        QUICK, unpriced, ([], [])
    )
