"""Arize Phoenix reads our spans as agent, model and tool spans with our tokens.

It takes long to start, so it is asked only where it is installed and by
`PHOENIX=1 pytest tests/telemetry/test_phoenix.py`.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchmarks.phoenix import executable, phoenix_served
from telemetry.otlp_out import Destination
from telemetry.setup import Telemetry
from tests.telemetry.reading import until
from tests.telemetry.test_otlp_out import turn

pytestmark = [
    pytest.mark.skipif("PHOENIX" not in os.environ, reason="PHOENIX=1 asks for it"),
    pytest.mark.skipif(not executable().exists(), reason="python -m benchmarks.phoenix --install has not been run"),
    pytest.mark.timeout(300),
]


@pytest.fixture(scope="module")
def phoenix(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with phoenix_served(tmp_path_factory.mktemp("phoenix")) as app:
        yield app.url


def shown(url: str) -> list[dict[str, Any]]:
    answer = httpx2.get(f"{url}/v1/projects/glassdesk/spans?limit=100", timeout=60)
    return answer.json()["data"] if answer.is_success else []


def test_phoenix_reads_our_spans_as_agent_model_and_tool_with_the_same_tokens(phoenix: str, tmp_path: Path) -> None:
    telemetry = Telemetry(f"sqlite:///{tmp_path / 'telemetry.db'}")
    telemetry.forward(Destination(phoenix, content=True, openinference=True))
    turn(telemetry)
    until(lambda: len(shown(phoenix)) == 5, 60)
    by_name = {span["name"]: span for span in shown(phoenix)}
    assert {name: span["span_kind"] for name, span in by_name.items()} == {
        "turn": "CHAIN",
        "invoke_agent Gmail": "AGENT",
        "chat gpt-4o-mini": "LLM",
        "execute_tool read": "TOOL",
        "tools/call read": "CHAIN",
    }
    chat = by_name["chat gpt-4o-mini"]
    assert chat["parent_id"] == by_name["invoke_agent Gmail"]["context"]["span_id"]
    tokens = [chat["attributes"][f"llm.token_count.{name}"] for name in ("prompt", "completion", "total")]
    assert (tokens, chat["attributes"]["llm.model_name"]) == ([1200, 80, 1280], "gpt-4o-mini")
    assert by_name["tools/call read"]["status_code"] == "ERROR"
    with telemetry.store.reader() as session:
        stored = session.connection().exec_driver_sql("SELECT span_id FROM span").scalars().all()
    assert {span["context"]["span_id"] for span in by_name.values()} == set(stored)
    telemetry.shutdown()
