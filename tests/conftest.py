"""What the run of the tests says at its end."""

import pytest

SIGN = "tests/mcp_server/test_all_tools.py"
"""With its tests the tally of tools is shown."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show how many cases tried each tool, and what else the tests of all tools noted."""
    passed = terminalreporter.stats.get("passed", [])
    noted = [note for report in passed if report.nodeid.startswith(SIGN) for note in report.user_properties]
    if not noted:
        return
    from tests.mcp_server.tally import table, tally

    terminalreporter.section("tools × tested cases")
    for line in (*table(tally(report.nodeid for report in passed)), *(f"{name}: {value}" for name, value in noted)):
        terminalreporter.write_line(line)
