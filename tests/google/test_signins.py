"""Sign-ins in use: renewed in silence, by one at a time, stored before use, and never lost to a bad line."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httplib2
import pytest

from core.errors import StorageError
from core.google import signins as module
from core.google.errors import GoogleError
from core.google.needs import ConnectNeeded
from core.google.oauth import Unreached
from core.google.patience import Patience
from core.sandbox.faults import Fault
from tests.google.workspaces import ANA, ME, SAM, Place

OFF = "glassdesk.sandbox.example"


@pytest.fixture
def place(tmp_path):
    made = Place(tmp_path)
    made.accounts.connections.welcome(ME.id)
    made.connect(ME, "gmail")
    made.accounts.clients._patience = Patience(sleep=lambda _: None)
    yield made
    made.close()


def expire(place):
    """An hour later: the token has ended at Google and, by its own clock, here."""
    place.sandbox.office.expire(SAM)
    place.accounts.connections.change(ME.id, SAM, expires=0, version=99)
    place.accounts.signins.drop(ME.id, SAM)


def renewals(place):
    """How often a token was asked for from here on."""
    asked, kept = [], place.sandbox.office.renew

    def renew(app, refresh):
        asked.append(threading.current_thread().name)
        time.sleep(0.05)
        return kept(app, refresh)

    place.sandbox.office.renew = renew
    return asked


def test_an_expired_token_is_renewed_and_stored_in_silence(place):
    expire(place)
    assert place.profile(ME)["emailAddress"] == SAM
    row = place.accounts.connections.get(ME.id, SAM)
    assert row.expires > time.time() + 3000 and row.state == "connected" and row.lease is None
    assert place.accounts.signins.kept(row)["token"] == place.accounts.signins.token(ME.id, SAM)


def test_a_token_that_ended_early_is_renewed_once_and_the_request_goes_through(place):
    place.profile(ME)
    asked = renewals(place)
    place.sandbox.office.expire(SAM)  # by Google's clock it is over, by ours it is not
    assert place.profile(ME)["emailAddress"] == SAM
    assert len(asked) == 1


def test_a_clock_that_is_ahead_renews_early_and_one_that_is_behind_late(place):
    kit = place.accounts.signins._kit
    for hours in (2, -2):
        object.__setattr__(kit, "clock", lambda hours=hours: time.time() + 3600 * hours)
        assert place.profile(ME)["emailAddress"] == SAM


def test_threads_that_need_a_token_at_once_ask_for_one(place):
    expire(place)
    asked = renewals(place)
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: place.accounts.signins.token(ME.id, SAM), range(8)))
    assert len(asked) == len(tokens) == 1


def test_processes_that_need_a_token_at_once_ask_for_one(place, tmp_path):
    expire(place)
    other = Place(tmp_path)
    asked, more = renewals(place), renewals(other)
    with ThreadPoolExecutor(2) as pool:
        tokens = set(pool.map(lambda one: one.accounts.signins.token(ME.id, SAM), (place, other)))
    assert len(asked) + len(more) == len(tokens) == 1
    other.close()


def test_a_process_that_died_while_it_asked_holds_nobody_for_long(place):
    expire(place)
    row = place.accounts.connections.get(ME.id, SAM)
    assert place.accounts.connections.lease(ME.id, SAM, row.version, "dead", int(time.time()) - 46, 45)
    assert place.profile(ME)["emailAddress"] == SAM


def test_what_google_has_taken_back_needs_attention_and_connecting_again_helps(place):
    place.sandbox.office.revoke(place.accounts.signins.token(ME.id, SAM))
    with pytest.raises(ConnectNeeded, match="was taken back, or has expired"):
        place.profile(ME)
    (account,) = place.accounts.list(ME)
    assert account.state == "needs_attention" and "Connect the account again" in account.reason
    gmail = place.accounts.services(ME)[0]
    assert (gmail.name, gmail.state) == ("gmail", "needs_attention")
    with pytest.raises(ConnectNeeded) as caught:
        place.accounts.require(ME.id, SAM, place.accounts.scopes.tool("search_gmail_messages"))
    assert (caught.value.service, caught.value.account) == ("gmail", SAM)
    assert place.accounts.finish(ME, place.visit(place.accounts.begin(ME, email=SAM))).result == "ok"
    assert place.profile(ME)["emailAddress"] == SAM


@pytest.mark.parametrize(
    "fault",
    [
        Fault("POST /token", "drop"),
        Fault("POST /token", "status", status=503),
        Fault("POST /token", "status", status=429),
        Fault("POST /token", "lost_reply"),
    ],
    ids=lambda fault: f"{fault.kind}{fault.status}",
)
def test_a_bad_line_is_not_a_refusal_and_changes_nothing(place, fault):
    expire(place)
    before = place.accounts.list(ME)
    place.sandbox.faults.add(fault)
    with pytest.raises(GoogleError, match="Google cannot be reached, and nothing was changed") as caught:
        place.profile(ME)
    assert caught.value.transient and not caught.value.outcome_unknown
    place.sandbox.faults.clear()
    assert place.accounts.list(ME) == before
    assert place.profile(ME)["emailAddress"] == SAM


def test_a_lost_reply_is_asked_for_again_within_the_same_question(place):
    expire(place)
    place.sandbox.faults.add(Fault("POST /token", "lost_reply", remaining=1))
    assert place.profile(ME)["emailAddress"] == SAM


def test_a_page_that_is_not_google_s_is_no_refusal_either(place, monkeypatch):
    expire(place)

    class Hotel:
        def request(self, *_: object, **__: object):
            return httplib2.Response({"status": "403"}), b"<html>Welcome to the hotel</html>"

    object.__setattr__(place.accounts.signins._kit.oauth, "line", Hotel)
    with pytest.raises(GoogleError, match="What answered was not Google"):
        place.profile(ME)
    assert place.accounts.list(ME)[0].state == "connected"


def test_a_full_disk_means_no_new_token_and_nothing_lost(place, monkeypatch):
    expire(place)
    kept = place.accounts.connections.release
    refuse = StorageError("This could not be saved: the disk may be full.")
    monkeypatch.setattr(type(place.accounts.connections), "release", lambda *_, **__: (_ for _ in ()).throw(refuse))
    with pytest.raises(StorageError, match="disk may be full"):
        place.profile(ME)
    monkeypatch.setattr(type(place.accounts.connections), "release", lambda self, *a, **k: kept(*a, **k))
    assert place.profile(ME)["emailAddress"] == SAM


def test_a_client_whose_secret_was_changed_is_said_and_no_account_is_lost(place):
    expire(place)
    place.sandbox.office.register(OFF, "another", [])
    with pytest.raises(ConnectNeeded, match="client id and secret"):
        place.profile(ME)
    assert place.accounts.list(ME)[0].state == "connected"


def test_what_another_process_has_disconnected_stops_here(place, tmp_path, monkeypatch):
    place.profile(ME)
    other = Place(tmp_path)
    other.accounts.disconnect(ME, SAM)
    other.close()
    with pytest.raises(ConnectNeeded):
        place.profile(ME)
    monkeypatch.setattr(module, "SEEN", 0.0)
    with pytest.raises(ConnectNeeded, match="not connected any more"):
        place.accounts.require(ME.id, SAM, place.accounts.scopes.tool("search_gmail_messages"))


def test_what_another_process_has_allowed_is_noticed_at_once(place, tmp_path):
    events = place.accounts.scopes.tool("get_events")
    with pytest.raises(ConnectNeeded):
        place.accounts.require(ME.id, SAM, events)
    other = Place(tmp_path)
    other.connect(ME, "calendar", email=SAM)
    other.close()
    place.accounts.require(ME.id, SAM, events)


def test_nobody_s_account_opens_by_its_name_alone(place):
    for user_id, email in (("eve", SAM), (ME.id, ANA), ("", SAM)):
        with pytest.raises(ConnectNeeded):
            place.accounts.clients.for_account(email, user_id).execute(
                place.accounts.clients.resource("gmail.users").getProfile(userId="me")
            )


def test_a_write_is_sent_once_though_its_token_was_over(place):
    place.connect(ME, "gmail", write=True, email=SAM)
    place.sandbox.office.expire(SAM)
    google = place.accounts.clients.for_account(SAM, ME.id)
    label = google.execute(google.resource("gmail.users.labels").create(userId="me", body={"name": "Once"}))
    found = google.execute(google.resource("gmail.users.labels").list(userId="me"))["labels"]
    assert [one["id"] for one in found if one["name"] == "Once"] == [label["id"]]


def test_revoking_while_google_is_away_says_so(place):
    place.sandbox.faults.add(Fault("POST /revoke", "drop"))
    with pytest.raises(Unreached):
        place.accounts.disconnect(ME, SAM)


def test_the_sandbox_s_account_is_given_once_and_given_again_only_to_an_emptied_world(tmp_path):
    first = Place(tmp_path)
    assert first.accounts.acting(OTHER_USER) == SAM and first.accounts.services(OTHER_USER)[0].writes
    first.accounts.disconnect(OTHER_USER, SAM)
    assert first.accounts.acting(OTHER_USER) == ""
    first.close()
    again = Place(tmp_path)
    assert again.accounts.acting(OTHER_USER) == ""
    again.connect(OTHER_USER, "gmail")
    again.close()
    for path in tmp_path.glob("sandbox.db*"):
        path.unlink()
    emptied = Place(tmp_path)
    assert emptied.accounts.list(OTHER_USER)[0].state == "connected"
    assert emptied.profile(OTHER_USER)["emailAddress"] == SAM
    emptied.close()


OTHER_USER = ME.changed(id="late")
