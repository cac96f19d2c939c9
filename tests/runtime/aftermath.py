"""What must hold when a process that was killed around an approved write is started again."""

from pathlib import Path

from tests.runtime.desk import SECONDS, sam
from tests.runtime.script import direct, mail, orchestrated, scripted, sent

QUESTIONS = {
    "direct": direct([mail("Zeppelin")]),
    "orchestrated": orchestrated([("gmail_task", {"query": orchestrated([mail("Zeppelin")])})]),
}
"""A mail to send, by either route."""
ENDED = {"done", "interrupted"}
FINAL = {"done", "failed", "unknown", "rejected"}


def aftermath(folder: Path) -> str:
    """Start again, say yes to what still waits; what became of the write.

    Raises:
        AssertionError: two mails, a lost record, a false one, or a turn that goes on for ever.
    """
    noted = folder / "approval"
    with scripted(folder) as app:
        before, rows = len(sent(app, "Zeppelin")), app.approvals.audit(sam(app).id)
        assert not noted.exists() or [row.id for row in rows] == [noted.read_text()]
        for row in rows:
            if row.state == "pending":
                assert before == 0
                turn = app.runtime.turn(sam(app), row.turn_id)
                app.runtime.decide(sam(app), row.id, "approve")
                assert turn.wait(SECONDS)["status"] == "done"
        after, count = app.approvals.audit(sam(app).id), len(sent(app, "Zeppelin"))
        assert {row.state for row in after} <= FINAL and len(after) == len(rows)
        assert count <= 1
        assert count == 1 or all(row.state != "done" for row in after)
        assert count == 0 or all(row.state in ("done", "unknown") for row in after)
        assert app.runtime.running() == 0
        for turn in app.glass.turns(sam(app).id):
            assert app.conversations.exchange(sam(app).id, turn.turn_id).status in ENDED
        was = "waiting" if any(row.state == "pending" for row in rows) else ", ".join(row.state for row in rows)
        return f"{was or 'not asked'} at the restart, {before} sent; then {count} sent"
