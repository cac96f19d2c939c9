"""Content on its way to and from Drive: what is sent again, what never is, and that each request is a span."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from googleapiclient.http import MediaInMemoryUpload
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from core.google.clients import Google, GoogleClients
from core.google.errors import GoogleError
from core.google.patience import Patience
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from tests.google.conftest import ACCOUNT
from tests.google.test_clients import UNKNOWN

CHUNK = 256 * 1024
DATA = bytes(range(256)) * 2560  # two and a half chunks
BEGIN, PART = "POST /upload/drive/v3/files", "PUT /upload/drive/v3/files"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    sandbox = Sandbox(tmp_path_factory.mktemp("drive") / "sandbox.db", "UTC")
    sandbox.open()
    yield sandbox
    sandbox.close()


@pytest.fixture
def google(world: Sandbox) -> Google:
    world.faults.clear()
    return GoogleClients(world.http, Patience(sleep=lambda _: None, clock=lambda: 0.0)).for_account(ACCOUNT)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What is recorded, without touching the process's own provider."""
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    return exporter


def create(google: Google, name: str, data: bytes = DATA, **how: Any) -> Any:
    media = MediaInMemoryUpload(data, "application/zip", **{"chunksize": CHUNK, "resumable": True, **how})
    return google.resource("drive.files").create(body={"name": name}, media_body=media, fields="id,size")


def named(google: Google, name: str) -> list[dict[str, Any]]:
    """The files of a name."""
    found = google.resource("drive.files").list(q=f"name = '{name}'", fields="files(id,size)")
    return google.execute(found)["files"]


def sent(spans: InMemorySpanExporter) -> list[str]:
    """The requests: name, method, status or error."""
    known = [(one.name, one.attributes or {}) for one in spans.get_finished_spans()]
    return [
        f"{name} {has['http.request.method']} {has.get('http.response.status_code', has.get('error.type'))}"
        for name, has in known
    ]


def test_each_request_of_an_upload_a_download_and_an_export_is_a_span(
    google: Google, spans: InMemorySpanExporter
) -> None:
    files = google.resource("drive.files")
    made = google.execute(create(google, "spans.zip"))
    assert google.download(files.get_media(fileId=made["id"])) == DATA
    document = google.execute(
        files.create(
            body={"name": "Note", "mimeType": "application/vnd.google-apps.document"},
            media_body=MediaInMemoryUpload(b"Hello", "text/plain"),
        )
    )
    assert google.download(files.export_media(fileId=document["id"], mimeType="application/pdf")).startswith(b"%PDF")
    assert sent(spans) == [
        "drive.files.create POST 200",
        "drive.files.create PUT 308",
        "drive.files.create PUT 308",
        "drive.files.create PUT 200",
        "drive.files.get GET 200",
        "drive.files.create POST 200",
        "drive.files.export GET 200",
    ]


@pytest.mark.parametrize(
    "kind",
    [{"status": 503}, {"status": 429}, {"kind": "lost_reply"}, {"kind": "drop"}],
    ids=["503", "429", "lost", "drop"],
)
def test_an_upload_goes_on_where_it_broke(
    google: Google, world: Sandbox, spans: InMemorySpanExporter, kind: dict[str, Any]
) -> None:
    name = f"broken-{'-'.join(map(str, kind.values()))}.zip"
    world.faults.add(Fault(PART, remaining=1, **kind))
    made = google.execute(create(google, name))
    assert google.download(google.resource("drive.files").get_media(fileId=made["id"])) == DATA
    assert [one["id"] for one in named(google, name)] == [made["id"]]
    assert [one.split()[1] for one in sent(spans)].count("POST") == 1


def test_an_upload_whose_last_answer_is_lost_makes_one_file_and_is_confirmed(google: Google, world: Sandbox) -> None:
    world.faults.add(Fault(PART, kind="lost_reply", remaining=1))
    made = google.execute(create(google, "last.zip", b"small"))
    assert named(google, "last.zip") == [{"id": made["id"], "size": "5"}]


@pytest.mark.parametrize("kind", [{"status": 503}, {"kind": "lost_reply"}], ids=["503", "lost"])
@pytest.mark.parametrize("resumable", [True, False])
def test_the_beginning_of_an_upload_is_sent_once(
    google: Google, world: Sandbox, spans: InMemorySpanExporter, kind: dict[str, Any], resumable: bool
) -> None:
    world.faults.add(Fault(BEGIN, remaining=1, **kind))
    with pytest.raises(GoogleError) as caught:
        google.execute(create(google, "begun.zip", b"small", resumable=resumable))
    assert caught.value.sentence == UNKNOWN
    assert len(sent(spans)) == 1


@pytest.mark.parametrize(("kind", "sentence"), [({"status": 503}, UNKNOWN), ({"kind": "drop"}, "Google cannot be rea")])
def test_an_upload_that_stays_broken_is_given_up_after_three_tries(
    google: Google, world: Sandbox, spans: InMemorySpanExporter, kind: dict[str, Any], sentence: str
) -> None:
    world.faults.add(Fault(PART, **kind))
    with pytest.raises(GoogleError) as caught:
        google.execute(create(google, "never.zip", b"small"))
    assert caught.value.sentence.startswith(sentence)
    assert [one.split()[1] for one in sent(spans)] == ["POST", "PUT", "PUT", "PUT"]


def test_a_part_that_may_have_arrived_keeps_the_outcome_unknown_whatever_fails_next(
    google: Google, world: Sandbox
) -> None:
    world.faults.add(Fault(PART, kind="lost_reply", remaining=1))
    world.faults.add(Fault(PART, status=404))
    with pytest.raises(GoogleError) as caught:
        google.execute(create(google, "doubt.zip", b"small"))
    assert caught.value.sentence == UNKNOWN and caught.value.outcome_unknown


def test_a_download_is_repeated_as_any_read_is(
    google: Google, world: Sandbox, spans: InMemorySpanExporter, tmp_path: Path
) -> None:
    made = google.execute(create(google, "again.zip", b"small"))
    world.faults.add(Fault(f"GET .*/files/{made['id']}", kind="lost_reply", remaining=1))
    assert google.download(google.resource("drive.files").get_media(fileId=made["id"])) == b"small"
    assert sent(spans)[-2:] == ["drive.files.get GET RemoteDisconnected", "drive.files.get GET 200"]
