"""`POST /v1/traces` as OpenTelemetry's exporters call it."""

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from sqlmodel import select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from core.api import exchange, otlp
from core.api.access import AccessGuard
from core.store.tokens import Grant, Scope
from telemetry.otlp_in import LARGEST_BODY, PROTOBUF
from telemetry.otlp_wire import to_json
from telemetry.setup import Telemetry
from telemetry.store import Store
from telemetry.tables import Span, Turn
from tests.telemetry.otlp import TRACE, body, request, sent

ONE = sent(1, None, "plan")


class Tokens:
    """Ana and Ben may write traces, Cleo may only read them, and `ana-reads` may read Ana's."""

    def find(self, token: str) -> Grant | None:
        scope = Scope.READ_TRACES if token in ("cleo", "ana-reads") else Scope.WRITE_TRACES
        known = token in ("ana", "ben", "cleo", "ana-reads")
        return Grant(token, token.removesuffix("-reads"), frozenset({scope})) if known else None


class People:
    """Whoever has a token."""

    def user(self, user_id: str) -> SimpleNamespace:
        return SimpleNamespace(id=user_id, administers=False)


@pytest.fixture
def telemetry(tmp_path: Path) -> Iterator[Telemetry]:
    made = Telemetry(f"sqlite:///{tmp_path / 'telemetry.db'}")
    yield made
    made.shutdown()


@pytest.fixture
def client(telemetry: Telemetry, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    services = SimpleNamespace(telemetry=telemetry, tokens=Tokens(), people=People())
    monkeypatch.setattr("core.api.caller.host", lambda: SimpleNamespace(ready=lambda: services, front=lambda: services))
    guard = AccessGuard(Starlette(routes=[*otlp.ROUTES, *exchange.ROUTES]), services=lambda: services)
    return TestClient(guard, base_url="http://127.0.0.1:8501", client=("127.0.0.1", 5000))


def headers(kind: str = PROTOBUF, token: str = "ana", **more: str) -> dict[str, str]:
    return {"Content-Type": kind, "Authorization": f"Bearer {token}", **more}


def owners(telemetry: Telemetry) -> set[tuple[str, str]]:
    with telemetry.store.reader() as session:
        return {(turn.turn_id, turn.user_id) for turn in session.exec(select(Turn))}


def test_traces_become_the_turns_of_whoever_sends_them(client: TestClient, telemetry: Telemetry) -> None:
    answer = client.post("/v1/traces", content=body(ONE), headers=headers())
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, PROTOBUF, b"")
    packed = gzip.compress(json.dumps(to_json(request(sent(1, None, trace_id="ab" * 16)))).encode())
    sent_packed = {"Content-Encoding": "gzip"} | headers("application/json", "ben")
    answer = client.post("/v1/traces", content=packed, headers=sent_packed)
    assert (answer.status_code, answer.json()) == (200, {})
    assert owners(telemetry) == {(TRACE, "ana"), ("ab" * 16, "ben")}


def test_what_is_taken_in_part_says_what_is_not(client: TestClient) -> None:
    client.post("/v1/traces", content=body(ONE), headers=headers())
    answer = client.post("/v1/traces", content=body(ONE), headers=headers(token="ben"))
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, partial.rejected_spans) == (200, 1)


@pytest.mark.parametrize(("token", "status"), [("cleo", 403), ("nobody", 401)])
def test_a_right_is_needed(client: TestClient, telemetry: Telemetry, token: str, status: int) -> None:
    assert client.post("/v1/traces", content=body(ONE), headers=headers(token=token)).status_code == status
    assert owners(telemetry) == set()


@pytest.mark.parametrize(
    ("content", "kind", "encoding", "status"),
    [
        (b"\xff", PROTOBUF, "identity", 400),
        (b"{", "application/json", "identity", 400),
        (b"", "text/plain", "identity", 415),
        (b"", PROTOBUF, "zstd", 415),
        (gzip.compress(bytes(80_000_000), 1), PROTOBUF, "gzip", 413),
        (bytes(LARGEST_BODY + 1), PROTOBUF, "identity", 413),
    ],
)
def test_a_body_that_cannot_be_taken_is_answered_in_its_own_form(
    client: TestClient, content: bytes, kind: str, encoding: str, status: int
) -> None:
    answer = client.post("/v1/traces", content=content, headers=headers(kind) | {"Content-Encoding": encoding})
    message = Status.FromString(answer.content).message if kind == PROTOBUF else answer.json()["message"]
    assert (answer.status_code, message[-1]) == (status, ".")


def test_a_database_that_is_busy_asks_to_come_again(client: TestClient, telemetry: Telemetry) -> None:
    with telemetry.store.write() as connection:
        connection.exec_driver_sql("DROP TABLE turn")
    answer = client.post("/v1/traces", content=body(ONE), headers=headers())
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "again" in Status.FromString(answer.content).message


def test_turns_leave_as_files_and_come_back_as_the_callers(client: TestClient, telemetry: Telemetry) -> None:
    client.post("/v1/traces", content=body(ONE), headers=headers())
    lines = client.get("/api/export", headers=headers(token="ana-reads"))
    assert (lines.headers["content-type"], len(lines.content.splitlines())) == ("application/x-ndjson", 1)
    table = client.get("/api/export?format=csv&q=status:failed", headers=headers(token="ana-reads"))
    assert table.content.startswith(b"\xef\xbb\xbfturn_id,") and len(table.content.splitlines()) == 1
    assert client.get("/api/export", headers=headers(token="cleo")).content == b""
    again = client.post("/api/import", content=lines.content, headers=headers())
    assert again.json() == {"turns": 0, "spans": 0, "known": 1, "refused": 0, "rejected": 0}
    assert client.post("/api/import", content=lines.content, headers=headers(token="ben")).json()["refused"] == 1
    moved = lines.content.replace(TRACE.encode(), b"ab" * 16)
    assert client.post("/api/import", content=moved, headers=headers(token="ben")).json()["turns"] == 1
    assert owners(telemetry) == {(TRACE, "ana"), ("ab" * 16, "ben")}


@pytest.mark.parametrize(
    ("method", "path", "token", "status", "words"),
    [
        ("GET", "/api/export?format=xml", "ana-reads", 400, "format:"),
        ("GET", "/api/export?q=nothing:x", "ana-reads", 400, "q:"),
        ("GET", "/api/export", "ana", 403, "read_traces"),
        ("POST", "/api/import", "ana-reads", 403, "write_traces"),
        ("POST", "/api/import", "ana", 400, "Line 1"),
    ],
)
def test_a_wrong_exchange_is_refused_with_the_reason(
    client: TestClient, method: str, path: str, token: str, status: int, words: str
) -> None:
    answer = client.request(method, path, content=b"{" if method == "POST" else None, headers=headers(token=token))
    assert answer.status_code == status
    assert words in answer.json()["error"]["message"]


KILLED = """
import os, signal, sys
from telemetry.setup import Telemetry
from tests.telemetry.otlp import body, sent
taken = Telemetry(sys.argv[1]).receiver.receive("ana", body(*[sent(n, None if n == 1 else 1) for n in range(1, 501)]),
                                                "application/x-protobuf")
assert taken.body == b""
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_right_after_the_answer_loses_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'telemetry.db'}"
    ended = subprocess.run([sys.executable, "-c", KILLED, url], env={**os.environ, "PYTHONPATH": "."}, check=False)
    assert ended.returncode == -signal.SIGKILL
    store = Store(url)
    with store.reader() as session:
        assert len(session.exec(select(Span)).all()) == 500
        assert [turn.status for turn in session.exec(select(Turn))] == ["done"]
    store.close()
