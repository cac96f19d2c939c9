from pathlib import Path

import pytest

from core.errors import BadInput, StorageError
from core.store.uploads import MOST_BYTES, MOST_FILES, Upload, Uploads

ACCOUNT = "sam@lumenworks.example"


@pytest.fixture
def uploads(tmp_path: Path) -> Uploads:
    return Uploads(tmp_path / "uploads")


def text(name="notes.txt", content=b"hello", mime="text/plain"):
    return Upload(name, mime, content)


def stored(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "uploads").rglob("*") if path.is_file())


def test_a_file_is_kept_under_its_hash_and_read_back(uploads, tmp_path):
    (kept,) = uploads.keep("sam", ACCOUNT, [text("製品 ロードマップ.txt", "内容".encode())])
    assert kept["path"] == f"{ACCOUNT}/sam/{kept['sha256'][:16]}/製品 ロードマップ.txt"
    assert (kept["name"], kept["mime"], kept["size"]) == ("製品 ロードマップ.txt", "text/plain", 6)
    assert uploads.read(kept) == "内容".encode()
    assert uploads.keep("sam", ACCOUNT, [text("製品 ロードマップ.txt", "内容".encode())]) == (kept,)
    assert len(stored(tmp_path)) == 1


@pytest.mark.parametrize(
    "name", ["../../etc/passwd.txt", "/etc/passwd.txt", "..\\x.txt", "a\0b.txt", "con.txt", ".txt"]
)
def test_no_name_leads_out_of_the_folder(uploads, tmp_path, name):
    (kept,) = uploads.keep("../eve", "../../root", [text(name)])
    place = (tmp_path / "uploads" / kept["path"]).resolve()
    assert place.is_relative_to(tmp_path / "uploads") and place.is_file()
    assert len(Path(kept["path"]).parts) == 4


def test_users_and_accounts_never_share_a_folder(uploads):
    places = {
        uploads.keep(user, account, [text()])[0]["path"]
        for user in ("a/b", "a_b", "a:b")
        for account in ("x@y.example", "x@y.example.", "x@y/example")
    }
    assert len(places) == 9


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.csv", "text/csv"),
        ("a.csv", ""),
        ("a.json", "application/json"),
        ("a.pdf", "application/octet-stream"),
        ("a.png", "image/png"),
        ("a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("a.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("a.odp", "application/vnd.oasis.opendocument.presentation"),
        ("README", "text/markdown; charset=utf-8"),
    ],
)
def test_everyday_kinds_are_taken(uploads, name, mime):
    assert uploads.keep("sam", ACCOUNT, [text(name, mime=mime)])


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.exe", "application/x-msdownload"),
        ("a.exe", "text/plain"),
        ("a.zip", "application/zip"),
        ("a.svg", "image/svg+xml"),
        ("a", ""),
        ("a.pdf", "application/x-sh"),
    ],
)
def test_other_kinds_are_refused_in_a_sentence(uploads, tmp_path, name, mime):
    with pytest.raises(BadInput, match=r"is of a kind that cannot be attached\. Possible are text, CSV"):
        uploads.keep("sam", ACCOUNT, [text("fine.txt"), text(name, mime=mime)])
    assert stored(tmp_path) == []


def test_what_is_too_much_is_refused_in_a_sentence(uploads, tmp_path):
    with pytest.raises(BadInput, match=r"big.txt has 10.0 MB; a file may have 10.0 MB"):
        uploads.keep("sam", ACCOUNT, [text("big.txt", bytes(MOST_BYTES + 1))])
    with pytest.raises(BadInput, match="6 files are too many: a question takes 5"):
        uploads.keep("sam", ACCOUNT, [text()] * (MOST_FILES + 1))
    with pytest.raises(BadInput, match=r"notes\.txt is empty"):
        uploads.keep("sam", ACCOUNT, [text(content=b"")])
    assert stored(tmp_path) == []


def test_a_disk_that_refuses_is_a_sentence(tmp_path):
    (tmp_path / "uploads").write_text("in the way")
    with pytest.raises(StorageError, match="could not be kept"):
        Uploads(tmp_path / "uploads").keep("sam", ACCOUNT, [text()])


def test_a_sweep_discards_what_no_question_has(uploads, tmp_path):
    kept = uploads.keep("sam", ACCOUNT, [text("a.txt"), text("b.txt", b"other")])
    outside = tmp_path / "outside.txt"
    outside.write_text("stays")
    (tmp_path / "uploads" / "link").symlink_to(outside)
    assert uploads.sweep({kept[0]["path"]}) == 2
    assert (stored(tmp_path), outside.read_text()) == (["a.txt"], "stays")
    assert uploads.read(kept[1]) is None
    assert uploads.sweep(set()) == 1
    assert list((tmp_path / "uploads").iterdir()) == []
