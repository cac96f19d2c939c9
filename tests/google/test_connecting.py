"""A person's way to Google and back, through the sandbox's sign-in: once, in time, by whom it was begun."""

import time
from urllib.parse import parse_qs, urlsplit

import pytest

from core.errors import BadInput, StorageError
from core.google.connecting import RESULTS, local
from core.google.needs import ConnectNeeded
from core.google.oauth import SignInError
from core.google.scopes import names_of
from core.sandbox.faults import Fault
from tests.google.workspaces import ANA, ME, OTHER, SAM, Place, said


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    for user in (ME, OTHER):
        made.accounts.connections.welcome(user.id)  # nobody is given the sandbox's account here
    yield made
    made.close()


def tool(place, name):
    return place.accounts.scopes.tool(name)


@pytest.mark.sqlite
def test_the_url_asks_for_no_more_than_the_service_needs_and_keeps_its_secrets_here(place):
    url = place.accounts.begin(ME, "gmail", return_to="/connect?tab=2")
    asked = said(url)
    assert names_of(asked["scope"].split()) == ("gmail.readonly",)
    assert {name: asked[name] for name in ("access_type", "include_granted_scopes", "prompt", "response_type")} == {
        "access_type": "offline",
        "include_granted_scopes": "true",
        "prompt": "consent select_account",
        "response_type": "code",
    }
    assert asked["code_challenge_method"] == "S256" and "code_verifier" not in url
    content = (place.settings.data_dir / "app.db").read_bytes() + (place.settings.data_dir / "app.db-wal").read_bytes()
    assert asked["state"].encode() not in content


def test_a_connected_service_works_and_the_others_say_what_they_lack(place):
    back = place.connect(ME, "gmail")
    assert (back.location, back.result, back.email) == ("/connect?connect=ok&service=gmail&access=read", "ok", SAM)
    assert place.profile(ME)["emailAddress"] == SAM
    place.accounts.require(ME.id, SAM, tool(place, "search_gmail_messages"))
    with pytest.raises(ConnectNeeded) as caught:
        place.accounts.require(ME.id, SAM, tool(place, "get_events"))
    assert caught.value.offer() == {
        "service": "calendar",
        "access": "read",
        "account": SAM,
        "missing": ["calendar.readonly"],
        "message": f"Google Calendar is not connected for {SAM}. Connect it on the Connect page, then repeat the "
        "question.",
    }
    states = {one.name: (one.state, one.reads, one.writes) for one in place.accounts.services(ME)}
    assert states["gmail"] == ("connected", True, False)
    assert states["calendar"] == ("available", False, False)


def test_a_second_service_is_added_without_asking_for_the_first_again(place):
    place.connect(ME, "gmail")
    url = place.accounts.begin(ME, "calendar", email=SAM)
    assert said(url)["login_hint"] == SAM and "prompt" not in said(url)
    assert names_of(said(url)["scope"].split()) == ("calendar.readonly",)
    place.accounts.finish(ME, place.visit(url))
    (account,) = place.accounts.list(ME)
    assert account.granted == ("calendar.readonly", "gmail.readonly")
    assert place.accounts.test(ME, SAM, "gmail").ok


def test_a_second_consent_without_a_refresh_token_keeps_the_first_one(place):
    place.connect(ME, "gmail")
    before = place.accounts.signins.kept(place.accounts.connections.get(ME.id, SAM))
    place.connect(ME, "calendar", email=SAM)
    after = place.accounts.signins.kept(place.accounts.connections.get(ME.id, SAM))
    assert after["refresh_token"] == before["refresh_token"] and after["token"] != before["token"]


def test_who_unticks_one_permission_keeps_the_rest_and_exactly_its_tools_say_so(place):
    back = place.connect(ME, "gmail", "gmail.settings.basic", write=True)
    assert back.result == "some" and RESULTS["some"].startswith("Connected, without")
    lacking = {name: lacks for name, lacks in place.accounts.missing(ME, SAM).items() if "gmail" in name}
    assert lacking == dict.fromkeys(("create_gmail_filter", "delete_gmail_filter"), ("gmail.settings.basic",))
    with pytest.raises(ConnectNeeded, match=r"Make and delete your mail filters\. Connect Gmail") as caught:
        place.accounts.require(ME.id, SAM, tool(place, "create_gmail_filter"))
    assert (caught.value.write, caught.value.missing) == (True, ("gmail.settings.basic",))
    place.accounts.require(ME.id, SAM, tool(place, "send_gmail_message"))


def test_the_callback_works_in_another_process_and_after_a_restart(place, tmp_path):
    back = place.visit(place.accounts.begin(ME, "gmail"))
    place.close()
    other = Place(tmp_path)
    assert other.accounts.finish(ME, back).result == "ok"
    other.close()


def test_the_first_callback_works_and_the_second_is_an_error(place):
    back = place.visit(place.accounts.begin(ME, "gmail"))
    assert place.accounts.finish(ME, back).result == "ok"
    with pytest.raises(SignInError, match="finished before"):
        place.accounts.finish(ME, back)
    assert place.profile(ME)["emailAddress"] == SAM


@pytest.mark.parametrize("change", [{"state": "forged"}, {"state": ""}, {}])
def test_an_unknown_state_or_another_person_gets_nowhere(place, change):
    back = place.visit(place.accounts.begin(ME, "gmail"))
    with pytest.raises(SignInError, match="not begun here"):
        place.accounts.finish(ME if change else OTHER, {**back, **change})
    assert place.accounts.list(ME) == place.accounts.list(OTHER) == []
    assert place.accounts.finish(ME, back).result == "ok"


def test_a_sign_in_takes_ten_minutes_at_most(place, monkeypatch):
    back = place.visit(place.accounts.begin(ME, "gmail"))
    late = time.time() + 601
    object.__setattr__(place.accounts.connecting, "clock", lambda: late)
    with pytest.raises(SignInError, match="longer than ten minutes"):
        place.accounts.finish(ME, back)


def test_no_is_said_and_changes_nothing(place):
    place.connect(ME, "gmail")
    before = place.accounts.list(ME)
    assert place.connect(ME, "calendar", email=SAM, answer="deny").result == "denied"
    assert place.accounts.list(ME) == before


def test_another_account_than_the_one_to_connect_is_not_taken(place):
    place.connect(ME, "gmail")
    before = place.accounts.list(ME)
    assert place.connect(ME, "gmail", write=True, email=SAM, account=ANA).result == "other"
    assert place.accounts.list(ME) == before
    assert place.sandbox.office.granted("glassdesk.sandbox.example", ANA) == frozenset()


def test_two_accounts_of_one_user_act_apart_and_one_is_the_default(place):
    place.connect(ME, "gmail")
    place.connect(ME, "gmail", account=ANA)
    assert [(one.email, one.default) for one in place.accounts.list(ME)] == [(SAM, True), (ANA, False)]
    assert [place.profile(ME, one)["emailAddress"] for one in (SAM, ANA)] == [SAM, ANA]
    place.accounts.set_default(ME, ANA)
    assert place.accounts.acting(ME) == ANA
    place.accounts.disconnect(ME, ANA)
    assert place.accounts.acting(ME) == SAM


def test_two_users_with_one_google_account_have_tokens_of_their_own(place):
    place.connect(ME, "gmail")
    place.connect(OTHER, "gmail")
    mine, theirs = (place.accounts.signins.token(user.id, SAM) for user in (ME, OTHER))
    assert mine != theirs
    told = place.accounts.disconnect(ME, SAM)
    assert "Somebody else uses the same Google account here" in told.sentence
    assert place.profile(OTHER)["emailAddress"] == SAM
    with pytest.raises(ConnectNeeded):
        place.profile(ME)


def test_disconnecting_takes_everything_back_and_deletes_it(place):
    place.connect(ME, "gmail")
    token = place.accounts.signins.token(ME.id, SAM)
    told = place.accounts.disconnect(ME, SAM)
    assert told.url == "" and "taken back all permissions" in told.sentence
    assert place.accounts.list(ME) == [] and place.sandbox.office.visitor(token) is None
    with pytest.raises(ConnectNeeded, match="not connected any more"):
        place.profile(ME)


def test_disconnecting_one_service_asks_for_the_others_again(place):
    place.connect(ME, "gmail")
    place.connect(ME, "calendar", email=SAM)
    told = place.accounts.disconnect(ME, SAM, "gmail")
    assert "allow the others again" in told.sentence
    assert names_of(said(told.url)["scope"].split()) == ("calendar.readonly",)
    assert {one.name: one.state for one in place.accounts.services(ME)}["calendar"] == "needs_attention"
    assert place.accounts.finish(ME, place.visit(told.url)).result == "ok"
    states = {one.name: one.state for one in place.accounts.services(ME)}
    assert (states["gmail"], states["calendar"]) == ("available", "connected")


def test_what_google_cannot_be_told_is_kept_unless_the_person_insists(place):
    place.connect(ME, "gmail")
    place.sandbox.faults.add(Fault("POST /revoke", "drop"))
    with pytest.raises(Exception, match="You may also remove the account here only"):
        place.accounts.disconnect(ME, SAM)
    assert place.profile(ME)["emailAddress"] == SAM
    assert "Google could not be told" in place.accounts.disconnect(ME, SAM, anyway=True).sentence
    assert place.accounts.list(ME) == []


@pytest.mark.parametrize(
    ("fault", "result"),
    [
        (Fault("POST /token", "lost_reply"), "lost"),
        (Fault("POST /token", "status", status=503), "strange"),
        (Fault("/certs", "drop"), "lost"),
    ],
)
def test_trouble_on_the_way_back_changes_nothing(place, fault, result):
    place.connect(ME, "calendar")
    before = place.accounts.list(ME)
    place.sandbox.faults.add(fault)
    back = place.connect(ME, "gmail", email=SAM)
    assert back.result == result and parse_qs(urlsplit(back.location).query)["connect"] == [result]
    place.sandbox.faults.clear()
    assert place.accounts.list(ME) == before
    assert place.accounts.test(ME, SAM, "calendar").ok


def test_a_full_disk_loses_neither_the_old_connection_nor_the_sign_in(place, monkeypatch):
    place.connect(ME, "calendar")
    before = place.accounts.list(ME)
    back = place.visit(place.accounts.begin(ME, "gmail", email=SAM))
    refuse = StorageError("The disk is full.")
    with monkeypatch.context() as full:
        full.setattr(type(place.accounts.connecting.consents), "take", lambda *_: (_ for _ in ()).throw(refuse))
        with pytest.raises(StorageError):
            place.accounts.finish(ME, back)
    assert place.accounts.list(ME) == before
    with monkeypatch.context() as full:
        full.setattr(type(place.accounts.connections), "keep", lambda *_: (_ for _ in ()).throw(refuse))
        assert place.accounts.finish(ME, back).result == "disk"
    assert place.accounts.list(ME) == before and place.accounts.test(ME, SAM, "calendar").ok


@pytest.mark.parametrize(
    "path", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "x", "/a\r\nb", ""]
)
def test_nobody_is_sent_to_another_site(place, path):
    assert local(path) == "/connect"
    back = place.visit(place.accounts.begin(ME, "gmail", return_to=path))
    assert place.accounts.finish(ME, back).location.startswith("/connect?connect=ok")


def test_a_service_that_is_none_is_refused(place):
    with pytest.raises(BadInput, match="There is no service"):
        place.accounts.begin(ME, "photos")
    with pytest.raises(BadInput, match="Choose a Google service"):
        place.accounts.begin(ME)


def test_deleting_a_user_takes_back_and_forgets_all(place):
    place.connect(ME, "gmail")
    place.accounts.begin(ME, "calendar")
    token = place.accounts.signins.token(ME.id, SAM)
    place.accounts.forget(ME.id)
    assert place.sandbox.office.visitor(token) is None and place.accounts.list(OTHER) == []
    content = b"".join(path.read_bytes() for path in place.settings.data_dir.glob("app.db*"))
    assert token.encode() not in content
