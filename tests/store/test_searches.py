import pytest
from sqlalchemy import Engine

from core.errors import BadInput
from core.store import searches
from core.store.searches import Searches


@pytest.fixture
def kept(engine: Engine) -> Searches:
    return Searches(engine)


def test_searches_are_kept_by_name_for_their_user_alone(kept: Searches) -> None:
    kept.save("ana", "  slow   mail ", " latency:>2s agent:Gmail ")
    kept.save("ana", "Errors", "level:error")
    kept.save("ana", "Errors", "level:error -conv:x")
    kept.save("ben", "Errors", "status:failed")
    found = [(row.name, row.line) for row in kept.of_user("ana")]
    assert found == [("Errors", "level:error -conv:x"), ("slow mail", "latency:>2s agent:Gmail")]
    kept.remove("ana", "Errors")
    assert [row.name for row in kept.of_user("ana")] == ["slow mail"]
    assert [row.line for row in kept.of_user("ben")] == ["status:failed"]


@pytest.mark.parametrize(("name", "line"), [("", "a"), (" ", "a"), ("x" * 61, "a"), ("a", " "), ("a", "x" * 1001)])
def test_a_search_needs_a_name_and_a_line(kept: Searches, name: str, line: str) -> None:
    with pytest.raises(BadInput):
        kept.save("ana", name, line)


def test_there_is_an_end_to_searches(kept: Searches, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "MOST", 1)
    kept.save("ana", "one", "a")
    kept.save("ana", "one", "b")
    with pytest.raises(BadInput, match="Delete one first"):
        kept.save("ana", "two", "c")
