"""An agent gets at what it is not shown, and the gate at what was switched off meanwhile."""

from core.registry.display import MORE
from core.registry.router import Decision
from tests.runtime.desk import ask, sam, services
from tests.runtime.toy import toy


def test_a_write_that_was_approved_is_not_made_once_its_tool_is_off(tmp_path):
    with toy(tmp_path) as app:
        waiting = app.ask("send hello")
        assert waiting["status"] == "waiting_approval"
        app.switch_off("tool", "send")
        turn = app.approve(waiting)
        assert app.tools.calls == []
        assert "The person has switched off this tool" in turn["response"]
        assert [call["state"] for call in turn["approvals"]] == ["failed"]


def test_what_is_hidden_is_one_call_away(tmp_path):
    """With a single tool shown for its score, nothing is lost: the assistant asks for the others first."""
    with services(tmp_path, tools_shown=1) as built:
        hidden = built.display.hidden("gmail", {"list_gmail_filters": 0.9})
        assert "list_gmail_labels" in hidden
        built.router.route = lambda text, last=None: unsure(built)  # as if it had thought of another tool
        turn = ask(built, "which labels do I have")
        assert [call["tool"] for call in turn["tool_calls"]] == ["list_gmail_labels"]
        names = [span.name for span in built.glass.spans(sam(built).id, turn["turn_id"])]
        assert f"execute_tool {MORE}" in names


def unsure(built):
    return Decision("direct", ("gmail",), {"gmail": 0.5}, {"list_gmail_filters": 0.9}, "It is a test.")
