"""The app's client at Google: from the settings or an uploaded file, which must be Google's own."""

import json

import pytest

from core.errors import BadInput
from core.google.app_client import AppClient
from core.google.provider import Client, read_client
from core.google.vault import Vault, keys_of
from core.settings import Settings
from core.store.engine import open_database
from core.store.vaulted import Vaulted
from tests.google.workspaces import BOSS, CATALOGUE, ME, Bare

BACK = "http://127.0.0.1:8501/oauth/callback"
GOOD = {"client_id": "id", "client_secret": "GOCSPX-planted", "redirect_uris": [BACK]}


def uploaded(**changes):
    return json.dumps({"web": {**GOOD, **changes}}).encode()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff", "no JSON"),
        (b"[]", "no client_secret.json"),
        (b"{}", "lacks the client's id or secret"),
        (uploaded(client_secret=""), "lacks the client's id or secret"),
        (uploaded(token_uri="https://evil.example/token"), "another place than Google"),
        (uploaded(auth_uri="http://accounts.google.com/o/oauth2/auth"), "another place than Google"),
        (uploaded(token_uri="https://oauth2.googleapis.com.evil.example/token"), "another place than Google"),
        (uploaded(token_uri="https://oauth2.googleapis.com:99999/token"), "another place than Google"),
        (b'{"type": "service_account"}', "GLASSDESK_GOOGLE_SERVICE_ACCOUNT"),
        (b" " * 30_000, "too large"),
    ],
)
def test_a_file_that_is_no_client_says_which_is_needed(content, sentence):
    with pytest.raises(BadInput, match=sentence) as caught:
        read_client(content)
    assert "planted" not in caught.value.sentence


def test_a_client_that_google_would_not_send_back_here_is_said_before_anybody_leaves():
    read_client(uploaded()).takes(BACK)
    with pytest.raises(BadInput, match=f"add {BACK} to the client's authorised redirect URIs"):
        read_client(uploaded(redirect_uris=["http://localhost:1/x"])).takes(BACK)
    desktop = read_client(json.dumps({"installed": GOOD}).encode())
    desktop.takes(BACK)
    with pytest.raises(BadInput, match="Web application"):
        desktop.takes("https://desk.example/oauth/callback")


def test_a_secret_is_not_shown():
    assert "planted" not in repr(read_client(uploaded()))


def test_an_uploaded_client_is_sealed_and_makes_the_workspace_google_s_at_the_next_start(tmp_path):
    from core.google.workspace import open_workspace

    settings = Settings(_env_file=None, data_dir=tmp_path, zone="UTC")
    database, sandbox = open_database(settings.app_url), Bare(settings.sandbox_db, "UTC")
    first = open_workspace(settings, CATALOGUE, database, sandbox)
    with pytest.raises(BadInput, match="Only an administrator"):
        first.accounts.client.upload(ME, uploaded())
    first.accounts.client.upload(BOSS, uploaded())
    assert b"GOCSPX-planted" not in b"".join(path.read_bytes() for path in tmp_path.glob("app.db*"))
    second = open_workspace(settings, CATALOGUE, database, sandbox)
    assert (first.kind, second.kind) == ("sandbox", "google") and second.pages is None
    assert second.accounts.client.current() == read_client(uploaded())
    assert second.accounts.begin(ME, "gmail").startswith("https://accounts.google.com/o/oauth2/v2/auth?")
    assert second.accounts.list(ME) == [] and first.accounts.list(ME) != []
    second.accounts.client.remove(BOSS)
    with pytest.raises(BadInput, match="not registered at Google yet"):
        second.accounts.begin(ME, "gmail")
    sandbox.close()


def test_a_client_of_the_settings_is_not_replaced_by_a_page(tmp_path):
    kept = Vaulted(open_database(f"sqlite:///{tmp_path / 'app.db'}"))
    client = AppClient(Client("id", "secret"), "settings", Vault(keys_of("", tmp_path, None), kept), kept)
    with pytest.raises(BadInput, match="GLASSDESK_GOOGLE_CLIENT_ID"):
        client.upload(BOSS, uploaded())
    assert client.source == "settings"
