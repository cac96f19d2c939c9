"""The whole app over PostgreSQL: a turn asks, the app is started again, a yes sends one mail, and every page reads."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from benchmarks.several import look
from tests.postgres import Cluster
from tests.runtime.desk import SECONDS, sam, start, tree
from tests.runtime.script import direct, mail, scripted, sent


@pytest.fixture
def databases(cluster: Cluster) -> dict[str, Any]:
    """One database for both, by the URL that people write."""
    url = SecretStr(cluster.url(cluster.create()).replace("postgresql+psycopg:", "postgresql:"))
    return {"app_db": url, "telemetry_db": url}


@pytest.mark.timeout(180)
def test_a_turn_outlives_a_restart_and_is_on_every_page(tmp_path: Path, databases: dict[str, Any]) -> None:
    with scripted(tmp_path, **databases) as app:
        turn = start(app, direct([mail("Zeppelin")]))
        (approval,) = turn.pause(SECONDS)["approvals"]
    with scripted(tmp_path, **databases) as app:
        again = app.runtime.turn(sam(app), turn.id)
        assert again.pause(SECONDS)["status"] == "waiting_approval"
        app.runtime.decide(sam(app), approval["approval_id"], "approve")
        done = again.wait(SECONDS)
        assert (done["status"], len(sent(app, "Zeppelin"))) == ("done", 1)
        assert sum(phase["ns"] for phase in done["phases"]) == done["wall_ns"]
        ((name, children),) = tree(app, turn.id)
        assert name == "turn" and "approval.wait" in children
        look(app.stores, app.telemetry.store)
        assert [one.turn_id for one in app.glass.turns(sam(app).id)] == [turn.id]
        assert [hit.turn_id for hit in app.stores.search.find(sam(app).id, "ZEPPELIN")] == [turn.id]
        app.forget(sam(app).id)
        assert app.glass.turns(sam(app).id) == []
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(("app.db", "telemetry"))]
