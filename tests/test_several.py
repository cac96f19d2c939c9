"""Processes that write and read at once find no lock and lose nothing; `benchmarks.several` does it for a minute."""

from pathlib import Path

import pytest

from benchmarks.several import Place, losses, together


@pytest.mark.timeout(240)
def test_several_processes_write_and_read_at_once(app_url: str, telemetry_url: str, tmp_path: Path) -> None:
    place = Place(app_url, telemetry_url, tmp_path)
    said = together(place, writers=4, readers=8, seconds=2)
    assert [one for one in said if one["errors"] or one.get("lost")] == []
    assert all(one.get("turns") or one.get("rounds") for one in said)
    assert set(losses(place, said).values()) == {0}
