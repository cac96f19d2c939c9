"""A service account acts for a user's own address, within what the domain's administrator has allowed."""

import json

import pytest
from cryptography.hazmat.primitives import serialization

from core.errors import BadInput
from core.google.needs import ConnectNeeded
from core.google.robot import RobotError, read_robot
from core.google.scopes import load_scopes
from tests.google.workspaces import ANA, CATALOGUE, ME, SAM, Place, signing_key

ROBOT = "desk@project.iam.gserviceaccount.example"
PUBLIC = (
    serialization.load_pem_private_key(signing_key().encode(), None)
    .public_key()
    .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    .decode()
)


def key_file(path, **changes):
    content = {
        "type": "service_account",
        "client_email": ROBOT,
        "client_id": "1234",
        "private_key_id": "k1",
        "private_key": signing_key(),
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    path.write_text(json.dumps({**content, **changes}))
    return str(path)


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path, workspace="sandbox", google_service_account=key_file(tmp_path / "key.json"))
    made.accounts.connections.welcome(ME.id)
    made.accounts.connections.welcome("local")
    yield made
    made.close()


def employ(place):
    scopes = load_scopes(CATALOGUE)
    place.sandbox.office.employ(ROBOT, PUBLIC, scopes.urls(scopes.all()))


def test_nobody_consents_and_everything_works(place):
    employ(place)
    account = place.accounts.delegate(ME)
    assert (account.email, account.delegated, account.state) == (SAM, True, "connected")
    assert place.profile(ME)["emailAddress"] == SAM
    place.sandbox.office.expire(SAM)
    assert place.profile(ME)["emailAddress"] == SAM
    assert "service account may still act" in place.accounts.disconnect(ME, SAM).sentence


def test_what_the_domain_has_not_allowed_is_said_with_what_to_enter(place):
    with pytest.raises(ConnectNeeded):
        place.accounts.delegate(ME)
    place.sandbox.office.employ(ROBOT, PUBLIC, ["openid"])
    with pytest.raises(ConnectNeeded, match=r"Domain-wide delegation, add its client id 1234"):
        place.accounts.delegate(ME)
    assert place.accounts.list(ME) == []


def test_it_acts_for_one_s_own_address_alone(place):
    employ(place)
    with pytest.raises(BadInput, match="your own address only"):
        place.accounts.delegate(ME, ANA)
    nameless = ME.changed(id="local", email="")
    with pytest.raises(BadInput, match="not known here"):
        place.accounts.delegate(nameless, SAM)


@pytest.mark.parametrize("bad", ["{", "{}", '{"private_key": "x"}'])
def test_a_file_that_is_no_key_is_said(tmp_path, bad):
    path = tmp_path / "key.json"
    path.write_text(bad)
    with pytest.raises(RobotError, match="no key file"):
        read_robot(path, lambda: None)
    with pytest.raises(RobotError, match="another place than Google"):
        read_robot(tmp_path / key_file(path, token_uri="https://evil.example/token"), lambda: None)
