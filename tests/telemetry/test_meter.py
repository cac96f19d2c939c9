"""`/metrics` says how the app is doing, in the conventions' names, without users and without content."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.api import metrics
from core.api.access import AccessGuard
from core.store.tokens import Grant, Scope
from telemetry.meter import MEDIA_TYPE, MOST, Labels
from telemetry.otlp_out import Destination
from telemetry.setup import Telemetry
from tests.telemetry.test_otlp_out import turn

MODEL = {"gen_ai_provider_name": "openai", "gen_ai_request_model": "gpt-4o-mini"}


@pytest.fixture
def telemetry(telemetry_url: str) -> Iterator[Telemetry]:
    made = Telemetry(telemetry_url)
    yield made
    made.shutdown()


def samples(telemetry: Telemetry) -> dict[str, list[tuple[dict[str, str], float]]]:
    assert telemetry.meter is not None
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for family in text_string_to_metric_families(telemetry.meter.text().decode()):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def test_a_turn_is_counted_with_its_calls_tokens_and_cost(telemetry: Telemetry) -> None:
    turn(telemetry)
    turn(telemetry)
    found = samples(telemetry)
    call = {"gen_ai_operation_name": "chat", **MODEL}
    assert found["gen_ai_client_operation_duration_seconds_count"] == [({**call, "error_type": ""}, 2)]
    assert found["gen_ai_client_token_usage_sum"] == [
        ({**call, "gen_ai_token_type": "input"}, 2400),
        ({**call, "gen_ai_token_type": "output"}, 160),
    ]
    assert found["glassdesk_turn_duration_seconds_count"] == [({"route": "", "status": "done"}, 2)]
    assert found["glassdesk_cost_usd_total"] == [(MODEL, 0.000306)]
    assert found["glassdesk_spans_stored_total"][0][1] >= 10
    assert [found[name] for name in ("glassdesk_spans_lost_total", "glassdesk_span_queue_depth")] == [[({}, 0)]] * 2
    assert "glassdesk_otlp_pending" not in found


def test_whose_turns_they_are_and_what_was_said_is_not_in_it(telemetry: Telemetry) -> None:
    turn(telemetry)
    assert telemetry.meter is not None
    text = telemetry.meter.text().decode()
    for hidden in ("Rumpelstilz", "local", "c1"):
        assert hidden not in text


def test_an_error_is_counted_by_its_type(telemetry: Telemetry) -> None:
    make = telemetry.tracer_provider.get_tracer("test").start_as_current_span
    for kind in ({"error.type": "timeout"}, {}):
        with pytest.raises(ValueError), make("chat m", attributes={"gen_ai.operation.name": "chat", **kind}):
            raise ValueError
    counted = {labels["error_type"]: value for labels, value in
               samples(telemetry)["gen_ai_client_operation_duration_seconds_count"]}  # fmt: skip
    assert counted == {"timeout": 1, "_OTHER": 1}


def test_a_collector_is_counted_where_there_is_one(telemetry: Telemetry) -> None:
    telemetry.forward(Destination("http://127.0.0.1:9"))
    turn(telemetry)
    assert samples(telemetry)["glassdesk_otlp_pending"] == [({}, 5)]


def test_very_many_values_of_a_label_share_one() -> None:
    labels = Labels()
    assert [labels.value("model", number) for number in range(MOST + 2)][-3:] == [str(MOST - 1), "other", "other"]
    assert (labels.value("model", 5), labels.value("other label", 1_000)) == ("5", "1000")
    assert labels.value("name", None) == "" and len(labels.value("name", "x" * 1_000)) == 100


@pytest.mark.parametrize(
    ("token", "scope", "status"),
    [("root", Scope.READ_TRACES, 200), ("ana", Scope.READ_TRACES, 403), ("root", Scope.CHAT, 403), ("no", None, 401)],
)
def test_an_administrators_token_that_reads_traces_is_needed(
    telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch, token: str, scope: Scope | None, status: int
) -> None:
    tokens = SimpleNamespace(find=lambda text: Grant("1", text, frozenset({scope})) if scope else None)
    people = SimpleNamespace(user=lambda user_id: SimpleNamespace(id=user_id, administers=user_id == "root"))
    services = SimpleNamespace(telemetry=telemetry, tokens=tokens, people=people)
    monkeypatch.setattr("core.api.caller.host", lambda: SimpleNamespace(ready=lambda: services, front=lambda: services))
    guard = AccessGuard(Starlette(routes=metrics.ROUTES), services=lambda: services)
    client = TestClient(guard, base_url="http://127.0.0.1:8501", client=("127.0.0.1", 5000))
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    assert answer.status_code == status
    if status == 200:
        assert answer.headers["content-type"] == MEDIA_TYPE
        assert answer.text.endswith("# EOF\n")
