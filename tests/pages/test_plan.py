"""A plan in words: who does what, after what, and how far it has come."""

from pages.components.plan import heading, lines


def step(name, agent="Gmail", state="done", *before, **more):
    plain = {"id": name, "agent": agent, "task": "find it", "state": state, "depends_on": list(before), "note": ""}
    return {**plain, "ns": 50_000_000, **more}


def test_each_step_says_who_does_what_after_what_and_how_far_it_is():
    steps = [
        step("a"),
        step("b", "Calendar", "running", "a", ns=None),
        step("c", "Docs", "waiting", "a", "b", ns=12),
        step("d", "Docs", "pending", "c", ns=None),
        step("e", "Docs", "failed", note="The network is away."),
        step("f", "Docs", "skipped", "e", note="It needed another step that was not done.", ns=None),
    ]
    assert heading(steps) == "Plan of 6 steps for Gmail, Calendar and Docs"
    assert lines(steps).split("  \n") == [
        ":material/check: 1. **Gmail** find it · 50 ms",
        ":material/progress_activity: 2. **Calendar** find it · after 1 · at work",
        ":material/front_hand: 3. **Docs** find it · after 1 and 2 · waits for you",
        ":material/schedule: 4. **Docs** find it · after 3 · to do",
        ":material/error: 5. **Docs** find it · failed",
        r"The network is away\.",
        ":material/remove: 6. **Docs** find it · after 5 · left out",
        r"It needed another step that was not done\.",
    ]


def test_what_a_step_was_asked_is_shown_to_the_letter():
    (line,) = lines([step("a", task="![x](https://evil.example) <b>now</b> $1")]).splitlines()
    assert "![x]" not in line and "<b>" not in line.replace(r"\<b", "")


def test_a_step_that_waits_for_one_of_an_earlier_plan_says_nothing_of_it():
    assert "after" not in lines([step("a", "Gmail", "done", "gone")])
