"""The audit of dependencies tells a hole from what it could not look up."""

from scripts.audit import verdict

GOOD = {"name": "a", "version": "1", "vulns": []}
HOLE = {"name": "b", "version": "2", "vulns": [{"id": "GHSA-1", "fix_versions": ["2.1"]}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


def test_a_known_hole_is_said_with_its_repair():
    sentence, bad = verdict([GOOD, HOLE, UNKNOWN])
    assert (
        bad
        and "2 dependencies, 1 known holes, 1 not known there" in sentence
        and "b 2: GHSA-1, repaired in 2.1" in sentence
    )


def test_what_could_not_be_looked_up_is_not_called_good():
    assert verdict([UNKNOWN]) == ("pip-audit: skipped, none of the 1 dependencies is known where it asked", False)
    assert verdict([GOOD])[1] is False
