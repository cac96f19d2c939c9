"""Content that comes to the sandbox's Drive in every way that there is."""

import hashlib
import os

import pytest
from googleapiclient.http import MediaInMemoryUpload

from core.sandbox.drive.kinds import DOCUMENT, DOCX, seed_id
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.drive_world import Drive, drive_of, media, refused


@pytest.fixture
def drive(sandbox: Sandbox) -> Drive:
    return drive_of(sandbox)


BYTES = os.urandom(700_000)
ENDINGS = [b"", b"\n", b"\r\n", b"--", b"a\r", b"\n\n--x\n", "Prüfung 😀".encode()]


@pytest.mark.parametrize("data", ENDINGS, ids=repr)
@pytest.mark.parametrize("resumable", [False, True], ids=["multipart", "resumable"])
def test_content_arrives_byte_for_byte(drive: Drive, data: bytes, resumable: bool):
    made = drive.create({"name": "x.bin"}, media(data, "application/octet-stream", resumable=resumable))
    assert (made["size"], made["mimeType"], drive.data(made["id"])) == (
        str(len(data)),
        "application/octet-stream",
        data,
    )
    assert made["md5Checksum"] == hashlib.md5(data).hexdigest()


def test_content_alone_makes_an_untitled_file(drive: Drive):
    made = drive.api.files().create(media_body=MediaInMemoryUpload(b"hello", "text/plain")).execute()
    assert (made["name"], drive.data(made["id"])) == ("Untitled", b"hello")


def test_metadata_alone_make_an_empty_file_or_document(drive: Drive):
    assert drive.create({"name": "empty.txt", "mimeType": "text/plain"})["size"] == "0"
    file = drive.create({"name": "Plan", "mimeType": DOCUMENT})
    text = drive.api.files().export(fileId=file["id"], mimeType="text/plain").execute()
    assert ("size" not in file, text.decode().strip("\ufeff\r\n")) == (True, "")


def test_a_large_file_comes_in_chunks(drive: Drive):
    upload = media(BYTES, "application/zip", resumable=True, chunksize=256 * 1024)
    request = drive.api.files().create(body={"name": "big.zip"}, media_body=upload)
    progress, made = [], None
    while made is None:
        status, made = request.next_chunk()
        progress += [status.resumable_progress] if status else []
    assert progress == [262144, 524288]
    assert drive.data(made["id"]) == BYTES


def test_a_broken_upload_goes_on_where_it_stopped(sandbox: Sandbox):
    http = sandbox.http(SANDBOX_ACCOUNT)
    url = "https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable&fields=size"
    start, _ = http.request(url, "POST", '{"name": "a"}', {"x-upload-content-type": "text/plain"})
    place = start["location"]
    first, _ = http.request(place, "PUT", b"abc", {"content-range": "bytes 0-2/6"})
    asked, _ = http.request(place, "PUT", b"", {"content-range": "bytes */6"})
    assert [(one.status, one["range"]) for one in (first, asked)] == [(308, "bytes=0-2")] * 2
    done, body = http.request(place, "PUT", b"def", {"content-range": "bytes 3-5/6"})
    assert (done.status, body) == (200, b'{"size": "6"}')
    again, same = http.request(place, "PUT", b"", {"content-range": "bytes */6"})
    assert (again.status, same) == (200, body)
    gone, _ = http.request(f"{place}0", "PUT", b"def", {"content-range": "bytes 3-5/6"})
    assert gone.status == 404


def test_new_content_replaces_the_old_and_keeps_it_as_a_revision(drive: Drive):
    file = seed_id("scratch")
    before = drive.get(file)["headRevisionId"]
    changed = drive.update(file, media=media(b"new words"))
    assert (drive.data(file), changed["headRevisionId"] != before) == (b"new words", True)
    assert drive.find("fullText contains 'new words' and name = 'scratch.txt'") == ["scratch.txt"]
    assert drive.update(file, media=media(b"x" * 10, resumable=True))["size"] == "10"
    assert len(drive.api.revisions().list(fileId=file).execute()["revisions"]) == 3


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("text/plain", b"Hello there"),
        ("text/markdown", b"# Hello\n\nthere"),
        ("text/html", b"<p>Hello</p><p>there</p>"),
    ],
)
def test_text_becomes_a_document(drive: Drive, kind: str, data: bytes):
    file = drive.create({"name": "Imported", "mimeType": DOCUMENT}, media(data, kind, resumable=True))
    text = drive.api.files().export(fileId=file["id"], mimeType="text/plain").execute().decode()
    assert (file["mimeType"], text.strip("\ufeff").split()) == (DOCUMENT, ["Hello", "there"])


def test_a_word_file_becomes_a_document(drive: Drive):
    word = drive.data(seed_id("spec-halo-2"))
    file = drive.create({"name": "Spec", "mimeType": DOCUMENT}, media(word, DOCX))
    text = drive.api.files().export(fileId=file["id"], mimeType="text/plain").execute().decode()
    assert "800 lumens" in text


def test_what_cannot_become_a_document_is_refused(drive: Drive):
    refusal = refused(lambda: drive.create({"name": "x", "mimeType": DOCUMENT}, media(b"\x89PNG", "image/png")))
    assert refusal == (400, "badRequest", "The requested conversion is not supported.")
    assert drive.find("name = 'x'") == []
