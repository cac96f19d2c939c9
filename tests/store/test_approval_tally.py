from datetime import UTC, datetime, timedelta

from core.store.approvals import Approvals, Asked, Tally

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def test_what_was_asked_is_counted_by_tool_and_by_what_became_of_it(engine):
    approvals = Approvals(engine)

    def asked(tool: str, call: str, user: str = "sam") -> Asked:
        return Asked(f"t-{user}", "c1", user, "sam@lumenworks.example", call, "Gmail", tool, {}, "Sends.")

    ids = [approvals.ask(asked("send_gmail_message", call)).id for call in "abcd"]
    approvals.decide("sam", ids[0], "approve")
    approvals.claim("sam", "t-sam", "a", {})
    approvals.finish(ids[0], "failed", "No room.")
    approvals.decide("sam", ids[1], "approve")
    approvals.decide("sam", ids[2], "reject")
    approvals.allow(asked("manage_gmail_label", "e"))
    approvals.ask(asked("send_gmail_message", "f", "lena"))
    assert approvals.tally("sam", NOW - DAY, NOW + DAY) == {
        "send_gmail_message": Tally(asked=4, approved=2, rejected=1, pending=1),
        "manage_gmail_label": Tally(allowed=1),
    }
    assert approvals.tally("sam", NOW + DAY, NOW + 2 * DAY) == {}
