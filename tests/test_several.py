"""Processes that write and read at once find no lock and lose nothing; `benchmarks.several` does it for a minute."""

import sys
from pathlib import Path

import pytest

from benchmarks import several
from benchmarks.several import Place, losses, together


@pytest.mark.timeout(240)
def test_several_processes_write_and_read_at_once(
    app_url: str, telemetry_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "__main__", several)  # each process runs it, and a page's test leaves its page
    place = Place(app_url, telemetry_url, tmp_path)
    said = together(place, writers=4, readers=3, seconds=1)
    assert [one for one in said if one["errors"] or one.get("lost")] == []
    assert all(one.get("turns") or one.get("rounds") for one in said)
    assert set(losses(place, said).values()) == {0}
