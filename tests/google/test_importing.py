"""Sign-ins of the public Workspace MCP server: taken over where they work, and left alone where they do not."""

import json

import pytest

from core.errors import BadInput
from core.google import __main__ as command
from core.google.importing import import_folder
from tests.google.workspaces import ANA, ME, SAM, Place

URL = "https://www.googleapis.com/auth/"
ALL = ["openid", f"{URL}userinfo.email", f"{URL}gmail.readonly"]


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path / "data")
    made.accounts.connections.welcome(ME.id)
    made.sandbox.office.register("theirs", "their-secret", [])
    (tmp_path / "credentials").mkdir()
    yield made
    made.close()


@pytest.fixture
def file(place, tmp_path):
    """Writes a file as that server does."""

    def write(name=SAM, account=SAM, **changes):
        lent = place.sandbox.office.lend("theirs", account, ALL)
        content = {
            "token": "ya29.old",
            "refresh_token": lent.refresh,
            "token_uri": "https://oauth2.googleapis.com/token",
            "client_id": "theirs",
            "client_secret": "their-secret",
            "scopes": ALL,
            "expiry": "2025-01-01T00:00:00",
        }
        path = tmp_path / "credentials" / f"{name}.json"
        path.write_text(json.dumps({**content, **changes}))
        return path

    return write


def test_a_sign_in_is_taken_over_with_its_own_client_and_goes_on_working(place, file):
    folder = file().parent
    (one,) = import_folder(place.accounts, ME, folder)
    assert (one.email, one.ok) == (SAM, True)
    (account,) = place.accounts.list(ME)
    assert account.granted == ("gmail.readonly",)
    place.sandbox.office.expire(SAM)
    assert place.profile(ME)["emailAddress"] == SAM
    content = b"".join(path.read_bytes() for path in place.settings.data_dir.glob("app.db*"))
    assert b"their-secret" not in content


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"refresh_token": None}, "lacks its refresh token"),
        ({"refresh_token": "1//taken-back"}, "no longer accepts"),
        ({"client_secret": "wrong"}, "client id and secret"),
        ({"token_uri": "https://evil.example/token"}, "another place than Google"),
        ({"account": ANA}, "another account than its name says"),
    ],
)
def test_what_does_not_work_is_said_and_left_out(place, file, changes, sentence):
    folder = file(**changes).parent
    (one,) = import_folder(place.accounts, ME, folder)
    assert not one.ok and sentence in one.sentence
    assert place.accounts.list(ME) == []


def test_one_bad_file_does_not_keep_the_others_out(place, file):
    folder = file().parent
    file(ANA).write_text("{")
    assert [(one.email, one.ok) for one in import_folder(place.accounts, ME, folder)] == [(ANA, False), (SAM, True)]


def test_a_folder_without_files_is_said(place, tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(BadInput, match="There is no credential file"):
            import_folder(place.accounts, ME, folder)


def test_the_command_changes_the_key_and_forgets(place, monkeypatch, capsys):
    monkeypatch.setattr(command, "load_settings", lambda: place.settings)
    place.connect(ME, "gmail")
    assert command.main(["rotate-key"]) == 0 and "Sealed 2 things" in capsys.readouterr().out
    assert place.profile(ME)["emailAddress"] == SAM
    (place.settings.data_dir / "vault.key").unlink()
    assert command.main(["rotate-key"]) == 1 and "is missing" in capsys.readouterr().err
    assert command.main(["forget"]) == 0
    assert command.main(["rotate-key"]) == 0
    assert place.accounts.connections.of_user(ME.id) == []
