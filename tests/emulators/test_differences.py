"""Each known difference between the sandbox and an emulator is in the documentation, and only those are."""

import re
from pathlib import Path

from tests.emulators import test_calendar, test_drive, test_gmail, test_sheets

TABLE = Path(__file__).resolve().parents[2] / "docs" / "emulators.md"


def test_the_table_of_differences_is_complete() -> None:
    known = [one.what for module in (test_gmail, test_calendar, test_drive, test_sheets) for one in module.DIFFERENT]
    told = re.findall(r"^\| ((?:Gmail|Calendar|Drive|Sheets): .+?) \|", TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    assert told == known
