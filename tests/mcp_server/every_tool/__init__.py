"""One case for each tool, in a function of the tool's name: the call, and its effect read back through REST."""

import pytest

pytest.register_assert_rewrite(
    *(f"{__name__}.{module}" for module in ("office", "gmail", "calendar", "drive", "docs", "sheets", "slides"))
)
