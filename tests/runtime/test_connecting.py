"""A question that needs what is not connected: nobody is asked for a yes, and the turn says what to connect."""

import pytest

from tests.runtime.desk import sam
from tests.runtime.script import direct, mail, scripted, sent

SAM, ANA = "sam@lumenworks.example", "ana@lumenworks.example"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with scripted(tmp_path_factory.mktemp("connecting")) as built:
        yield built


def asked(app, question, **how):
    turn = app.runtime.start(sam(app), question, **how)
    return turn.pause(), [event.data for event in turn.log.after() if event.type == "tool_finished"]


READ = direct([("get_events", {})], domain="calendar")


def test_a_read_offers_to_connect_and_works_once_that_is_done(app):
    _, (step,) = asked(app, READ)
    assert step["status"] == "ok" and "connect" not in step
    app.accounts.disconnect(sam(app), SAM)
    _, (step,) = asked(app, READ)
    assert step["status"] == "error"
    assert step["connect"]["service"] == "calendar" and step["connect"]["access"] == "read"
    assert "Connect" in step["connect"]["message"]


def test_a_remembered_answer_is_not_told_once_its_account_or_its_tool_is_gone(tmp_path):
    with scripted(tmp_path, cache_entries=10) as app:
        assert [asked(app, READ)[0]["cached"] for _ in range(2)] == [False, True]
        app.switchboard.switch(sam(app).changed(account="another"), "tool", "get_events", False)
        assert asked(app, READ)[0]["cached"] is False
        app.switchboard.switch(sam(app), "tool", "get_events", True)
        assert [asked(app, READ)[0]["cached"] for _ in range(2)] == [False, True]
        app.accounts.disconnect(sam(app), SAM)
        ended, (step,) = asked(app, READ)
        assert not ended["cached"] and step["connect"]["service"] == "calendar"


def test_a_write_that_cannot_be_made_asks_nobody_for_a_yes(app):
    ended, (step,) = asked(app, direct([mail("Never")]))
    assert ended["status"] == "done" and ended["approvals"] == []
    assert (step["connect"]["service"], step["connect"]["access"]) == ("gmail", "write")
    assert sent(app, "Never") == []


def test_a_conversation_keeps_the_account_that_it_was_begun_with(app):
    connect(app, SAM)
    connect(app, ANA)
    mine, theirs = asked(app, READ)[0], asked(app, READ, account=ANA)[0]
    stored = [app.conversations.get(sam(app).id, one["conversation_id"]).account for one in (mine, theirs)]
    assert stored == [SAM, ANA]
    app.accounts.set_default(sam(app), ANA)
    assert app.accounts.acting(sam(app), mine["conversation_id"]) == SAM
    app.accounts.choose(sam(app), mine["conversation_id"], ANA)
    assert app.accounts.acting(sam(app), mine["conversation_id"]) == ANA
    assert app.accounts.acting(sam(app)) == ANA


def connect(app, email):
    from core.google.oauth import Tokens
    from core.google.workspace import SANDBOX_CLIENT

    scopes = app.accounts.scopes
    lent = app.sandbox.office.lend(SANDBOX_CLIENT.id, email, scopes.urls(scopes.all()))
    tokens = Tokens(lent.access, 3600, lent.refresh, lent.scopes)
    app.accounts.connecting.store(sam(app).id, email, SANDBOX_CLIENT, tokens, ())
