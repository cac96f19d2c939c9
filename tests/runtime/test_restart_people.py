"""After a restart, everybody's turns that wait go on waiting, and each person's decision takes theirs up."""

from pathlib import Path

import pytest

from core.errors import NotFound
from tests.people import claims
from tests.runtime.desk import services

SEND = 'Send a mail to ana@lumenworks.example with the subject "Lamp" saying "It is here"'


def test_everybodys_waiting_turns_survive_a_restart(tmp_path: Path) -> None:
    cards = {}
    with services(tmp_path, allowed="lumenworks.example") as built:
        for name in ("ana", "eve"):
            person = built.people.signed_in(claims(f"{name}@lumenworks.example"))
            cards[person.id] = built.runtime.start(person, SEND).pause(30)
    with services(tmp_path, allowed="lumenworks.example") as built:
        assert built.runtime.running() == 2
        (ana, hers), (eve, others) = cards.items()
        with pytest.raises(NotFound):
            built.runtime.decide(built.people.user(eve), hers["approvals"][0]["approval_id"], "approve")
        for user_id, turn in ((ana, hers), (eve, others)):
            user = built.people.user(user_id)
            running = built.runtime.turn(user, turn["turn_id"])
            built.runtime.decide(user, turn["approvals"][0]["approval_id"], "approve")
            assert running.wait(30)["status"] == "done"
            assert [row.state for row in built.approvals.of_turn(user_id, turn["turn_id"])] == ["done"]
