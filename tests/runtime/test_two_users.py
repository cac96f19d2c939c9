"""Two people in one process: neither sees or touches what is the other's."""

import pytest

from core.errors import NotFound
from core.store.uploads import Upload
from tests.runtime.toy import EVE, SAM, toy

SECRET = Upload("secret.txt", "text/plain", b"the lamp is late")


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with toy(tmp_path_factory.mktemp("two"), 100) as made:
        yield made


@pytest.fixture(scope="module")
def sams(app):
    """A turn of Sam's that was answered from files and tools, rated, and one that waits."""
    answered = app.ask("look_mail budget", files=[SECRET])
    app.runtime.rate(SAM, answered["turn_id"], "up", "budget")
    app.ask("look_mail plain")
    return answered, app.ask("send one")


def test_conversations_search_feedback_and_exports_are_ones_own(app, sams):
    answered, _ = sams
    assert app.conversations.list(EVE.id) == []
    assert app.stores.search.find(EVE.id, "budget") == []
    assert len(app.stores.search.find(SAM.id, "budget")) == 1
    assert app.stores.feedbacks.of_conversation(EVE.id, answered["conversation_id"]) == {}
    with pytest.raises(NotFound):
        app.stores.record(EVE.id, answered["conversation_id"], {})


@pytest.mark.parametrize("how", ["turn", "regenerate", "rate", "edit", "delete", "ask", "rename", "restore"])
def test_no_id_of_anothers_opens_anything(app, sams, how):
    answered, _ = sams
    turn_id, conversation_id = answered["turn_id"], answered["conversation_id"]
    tries = {
        "turn": lambda: app.runtime.turn(EVE, turn_id),
        "regenerate": lambda: app.runtime.regenerate(EVE, turn_id),
        "rate": lambda: app.runtime.rate(EVE, turn_id, "down"),
        "edit": lambda: app.runtime.edit(EVE, turn_id, "mine"),
        "delete": lambda: app.runtime.delete(EVE, conversation_id),
        "ask": lambda: app.ask("more", conversation_id, EVE),
        "rename": lambda: app.conversations.rename(EVE.id, conversation_id, "mine"),
        "restore": lambda: app.conversations.restore(EVE.id, conversation_id),
    }
    with pytest.raises(NotFound):
        tries[how]()
    assert app.conversations.get(SAM.id, conversation_id).title == "look_mail budget"


def test_nobody_decides_for_another(app, sams):
    _, waiting = sams
    with pytest.raises(NotFound):
        app.runtime.decide(EVE, waiting["approvals"][0]["approval_id"], "approve")
    assert app.runtime.live(EVE, waiting["conversation_id"]) is None
    assert app.tools.calls == [("look_mail", {"text": "budget"}), ("look_mail", {"text": "plain"})]


def test_the_same_file_of_two_people_is_kept_apart(app, sams):
    hers = app.ask("read this", user=EVE, files=[SECRET])
    (one,) = app.conversations.exchange(SAM.id, sams[0]["turn_id"]).files
    (two,) = app.conversations.exchange(EVE.id, hers["turn_id"]).files
    assert one["sha256"] == two["sha256"]
    assert one["path"].split("/")[:2] == [SAM.account, SAM.id]
    assert two["path"].split("/")[:2] == [EVE.account, EVE.id]


def test_answers_are_remembered_for_the_one_who_asked(app, sams):
    assert app.ask("look_mail plain")["cached"] is True
    assert app.ask("look_mail plain", user=EVE)["cached"] is False
