"""The vault: what is sealed opens with its key alone, and nothing is lost when the key changes or is wrong."""

import stat
import threading
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import delete

from core.google.vault import FileKeys, GivenKeys, RingKeys, Vault, VaultError, keys_of
from core.store.account_tables import GoogleConnection, VaultMark
from core.store.connections import Connections
from core.store.engine import open_database
from core.store.sessions import writing
from core.store.vaulted import Vaulted

SECRET = "1//refresh-of-sam"


class Drawer:
    """A keyring."""

    def __init__(self, broken: bool = False) -> None:
        self.held: dict[str, str] = {}
        self._broken = broken

    def get(self, name: str) -> str | None:
        if self._broken:
            raise RuntimeError("locked")
        return self.held.get(name)

    def set(self, name: str, secret: str) -> None:
        if self._broken:
            raise RuntimeError("locked")
        self.held[name] = secret


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return open_database(f"sqlite:///{tmp_path_factory.mktemp('vault') / 'app.db'}")


@pytest.fixture
def kept(engine):
    with writing(engine) as session:
        for table in (VaultMark, GoogleConnection):
            session.execute(delete(table))
    return Vaulted(engine)


def key() -> str:
    return Fernet.generate_key().decode()


def test_the_first_start_makes_a_key_that_only_its_owner_may_read(kept, tmp_path: Path):
    vault = Vault(keys_of("", tmp_path, None), kept)
    file = tmp_path / "vault.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    sealed = vault.seal(SECRET)
    assert SECRET not in sealed
    assert Vault(keys_of("", tmp_path, None), kept).open(sealed) == SECRET
    assert [path.name for path in tmp_path.iterdir()] == ["vault.key"]


def test_processes_that_start_together_share_the_key_of_one(kept, tmp_path: Path):
    keys = [FileKeys(tmp_path / "vault.key") for _ in range(8)]
    threads = [threading.Thread(target=one.write, args=([key()],)) for one in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(one.read()) for one in keys}) == 1


def test_a_wrong_key_is_said_and_nothing_is_overwritten(kept, tmp_path: Path):
    Vault(GivenKeys(key()), kept)
    before = kept.mark()
    with pytest.raises(VaultError, match="does not open the Google sign-ins"):
        Vault(GivenKeys(key()), kept)
    with pytest.raises(VaultError, match="is missing"):
        Vault(keys_of("", tmp_path, None), kept)
    assert kept.mark() == before and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", ["short", "ä" * 44, "x" * 43 + "!"])
def test_what_is_no_key_is_said_without_showing_it(kept, bad: str):
    with pytest.raises(VaultError, match="is no key") as caught:
        Vault(GivenKeys(bad), kept)
    assert bad not in caught.value.sentence


def test_changing_the_key_seals_everything_anew_and_a_running_app_goes_on(engine, kept, tmp_path: Path):
    running, file = Vault(keys_of("", tmp_path, None), kept), tmp_path / "vault.key"
    Connections(engine).keep(connection(running.seal(SECRET)))
    old = file.read_text()
    assert Vault(keys_of("", tmp_path, None), kept).rotate() == 2
    assert file.read_text() != old and len(file.read_text().split()) == 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert running.open(Connections(engine).get("sam", "s@x.example").sealed) == SECRET
    with pytest.raises(VaultError):
        Vault(GivenKeys(old), kept)


def test_a_key_from_outside_is_changed_by_putting_the_new_one_first(engine, kept):
    old, new = key(), key()
    Connections(engine).keep(connection(Vault(GivenKeys(old), kept).seal(SECRET)))
    with pytest.raises(VaultError, match="put the new key before the old one"):
        Vault(GivenKeys(old), kept).rotate()
    assert Vault(GivenKeys(f"{new}, {old}"), kept).rotate() == 2
    assert Vault(GivenKeys(new), kept).open(Connections(engine).get("sam", "s@x.example").sealed) == SECRET


def test_an_interrupted_change_keeps_both_keys(kept, tmp_path: Path, monkeypatch):
    vault = Vault(keys_of("", tmp_path, None), kept)
    sealed = vault.seal(SECRET)
    monkeypatch.setattr(Vaulted, "reseal", lambda *_: (_ for _ in ()).throw(OSError("killed")))
    with pytest.raises(OSError):
        vault.rotate()
    assert len((tmp_path / "vault.key").read_text().split()) == 2
    assert Vault(keys_of("", tmp_path, None), kept).open(sealed) == SECRET


def test_the_keyring_is_used_before_a_new_file_and_after_an_old_one(kept, tmp_path: Path):
    ring = Drawer()
    Vault(keys_of("", tmp_path, ring), kept)
    assert list(ring.held) == [str(tmp_path.resolve())] and list(tmp_path.iterdir()) == []
    FileKeys(tmp_path / "vault.key").write([key()])
    assert isinstance(keys_of("", tmp_path, ring), FileKeys)
    assert isinstance(keys_of(key(), tmp_path, ring), GivenKeys)


def test_a_keyring_that_is_locked_is_an_error_and_not_a_wait(kept, tmp_path: Path):
    with pytest.raises(VaultError, match="does not take"):
        Vault(RingKeys(Drawer(broken=True), "here"), kept)


def connection(sealed: str) -> GoogleConnection:
    return GoogleConnection(
        user_id="sam",
        email="s@x.example",
        kind="consent",
        sealed=sealed,
        scopes=["gmail.readonly"],
        wanted=[],
        state="connected",
        connected=1,
    )
