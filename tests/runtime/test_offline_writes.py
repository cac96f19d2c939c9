"""The built-in assistant writes: asked in words, approved by a person, done in the sandbox, told as it was."""

import base64
from datetime import datetime, timedelta

import pytest

from core.google.clients import GoogleClients
from core.users import SANDBOX_ACCOUNT
from tests.runtime.desk import SECONDS, ask, sam, services, start
from tests.runtime.script import sent


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with services(tmp_path_factory.mktemp("writes")) as built:
        yield built


@pytest.fixture(scope="module")
def google(app):
    return GoogleClients(app.sandbox.http).for_account(SANDBOX_ACCOUNT)


def waiting(app, question, conversation_id=None):
    turn = start(app, question, conversation_id)
    data = turn.pause(SECONDS)
    assert data["status"] == "waiting_approval", data["response"]
    return turn, data["approvals"]


def decide(app, approval, word, **more):
    return app.runtime.decide(sam(app), approval["approval_id"], word, **more)


def approved(app, question, conversation_id=None):
    """The finished turn after a yes to all that it asks."""
    turn, approvals = waiting(app, question, conversation_id)
    for approval in approvals:
        decide(app, approval, "approve")
    return turn.wait(SECONDS)


def message(google, message_id):
    messages = google.resource("gmail.users.messages")
    return google.execute(messages.get(userId="me", id=message_id))


def events(google, words):
    """Events of the next weeks."""
    now = datetime.now().astimezone()
    range_ = {"timeMin": (now - timedelta(days=2)).isoformat(), "timeMax": (now + timedelta(days=60)).isoformat()}
    listed = google.resource("calendar.events").list(calendarId="primary", q=words, singleEvents=True, **range_)
    return google.execute(listed)["items"]


def header(mail, name):
    return next(one["value"] for one in mail["payload"]["headers"] if one["name"].lower() == name.lower())


def body(mail):
    part = mail["payload"]
    while part.get("parts"):
        part = part["parts"][0]
    return base64.urlsafe_b64decode(part["body"]["data"]).decode().strip()


def ids(google, query):
    listed = google.resource("gmail.users.messages").list(userId="me", q=query, maxResults=100)
    return [one["id"] for one in google.execute(listed).get("messages", [])]


def test_a_mail_to_somebody_finds_the_address_and_says_what_was_asked(app, google):
    done = approved(app, "send Ana a mail that the parcel has arrived")
    assert done["response"].startswith("✓ The mail “The parcel has arrived” was sent to ana@lumenworks.example.")
    (mail,) = sent(app, "The parcel has arrived")
    assert header(mail, "To") == "ana@lumenworks.example"
    assert body(mail) == "The parcel has arrived."


def test_a_reply_stays_in_its_conversation(app, google):
    listed = ask(app, "show my unread mail from Ana")
    before = ids(google, 'subject:"Invoice 2041"')
    done = approved(app, "reply to the first one: yes, please pay it", listed["conversation_id"])
    assert done["response"].startswith("✓ Your reply “Re: Invoice 2041 from BrightParts is due on Friday” was sent")
    (new,) = set(ids(google, 'subject:"Invoice 2041"')) - set(before)
    mail = message(google, new)
    assert body(mail).startswith("Yes, please pay it.")
    assert mail["threadId"] in {message(google, one)["threadId"] for one in before}


def test_what_was_edited_is_what_is_told(app):
    turn, (approval,) = waiting(app, "tell Tom that the crate is here")
    decide(app, approval, "approve", arguments={**approval["arguments"], "body": "The crate is HERE."})
    assert "You changed it before it was done." in turn.wait(SECONDS)["response"]
    (mail,) = sent(app, "The crate is here")
    assert body(mail) == "The crate is HERE."


def test_what_was_rejected_is_not_done_and_not_claimed(app):
    turn, (approval,) = waiting(app, "tell Tom that the barrel is empty")
    decide(app, approval, "reject", reason="Too blunt.")
    response = turn.wait(SECONDS)["response"]
    assert response.startswith("It was not done, as you decided.") and "✓" not in response
    assert sent(app, "The barrel is empty") == []


def test_mails_are_put_in_order(app, google):
    listed = ask(app, "show my mail from the Build bot")
    first = ids(google, "from:builds")[0]
    conversation = listed["conversation_id"]
    assert "starred" in approved(app, "star the first one", conversation)["response"]
    assert "marked as read" in approved(app, "mark it as read", conversation)["response"]
    labels = message(google, first)["labelIds"]
    assert "STARRED" in labels and "UNREAD" not in labels


def test_all_newsletters_go_to_the_bin_at_once(app, google):
    before = ids(google, "in:inbox category:promotions")
    assert before
    turn, (approval,) = waiting(app, "delete the newsletter mails")
    assert approval["tool"] == "batch_modify_gmail_message_labels"
    decide(app, approval, "approve")
    assert "in the bin" in turn.wait(SECONDS)["response"]
    assert ids(google, "in:inbox category:promotions") == []


def test_an_event_is_made_moved_renamed_and_cancelled(app, google):
    done = approved(app, "put tasting with Zora on Friday at 18:30 for 45 minutes in my calendar")
    conversation = done["conversation_id"]
    assert done["response"].startswith("✓ “Tasting with Zora” is in your calendar, ")
    (made,) = events(google, "Zora")
    assert made["start"]["dateTime"][11:16] == "18:30" and made["end"]["dateTime"][11:16] == "19:15"
    done = approved(app, "move that to 7 pm", conversation)
    assert "“Tasting with Zora” was moved from" in done["response"]
    (after,) = events(google, "Zora")
    assert after["start"]["dateTime"] == made["start"]["dateTime"].replace("18:30", "19:00")
    assert after["end"]["dateTime"][11:16] == "19:45"
    approved(app, "rename it to Supper with Zora", conversation)
    assert [one["summary"] for one in events(google, "Zora")] == ["Supper with Zora"]
    assert "was cancelled" in approved(app, "cancel it", conversation)["response"]
    assert events(google, "Zora") == []


def test_a_call_with_somebody_invites_them(app, google):
    turn, (approval,) = waiting(app, "schedule a 30 minute call with Lena tomorrow at 18:00")
    assert approval["arguments"]["attendees"] == ["lena@lumenworks.example"]
    decide(app, approval, "approve")
    assert turn.wait(SECONDS)["status"] == "done"
    made = [one for one in events(google, "Call with Lena") if one["summary"] == "Call with Lena"]
    assert [one["attendees"][0]["email"] for one in made] == ["lena@lumenworks.example"]


def test_a_guest_is_added_to_those_that_are_there(app):
    made = approved(app, "schedule a 30 minute review with Tom tomorrow at 19:00")
    turn, (approval,) = waiting(app, "invite Kenji to it", made["conversation_id"])
    assert approval["arguments"]["attendees"] == ["tom@lumenworks.example", "kenji@lumenworks.example"]
    decide(app, approval, "approve")
    assert turn.wait(SECONDS)["status"] == "done"


def test_a_reply_and_the_calendar_in_one_request(app, google):
    listed = ask(app, "show my unread mail from Kenji")
    question = "Reply to the first one that I'll be there at ten, and put it in my calendar"
    turn, approvals = waiting(app, question, listed["conversation_id"])
    reply = next(one for one in approvals if one["tool"] == "send_gmail_message")
    entry = next(one for one in approvals if one["tool"] == "create_event")
    assert reply["arguments"]["body"] == "I'll be there at ten." and reply["arguments"]["thread_id"]
    assert entry["arguments"]["summary"].endswith("Product roadmap review")
    start = datetime.fromisoformat(entry["arguments"]["start_time"])
    assert (start.hour, start.minute, start.weekday()) == (10, 0, 3)
    decide(app, entry, "approve", arguments={**entry["arguments"], "summary": "Roadmap with Kenji"})
    decide(app, reply, "approve")
    done = turn.wait(SECONDS)
    assert [one["state"] for one in done["approvals"]] == ["done", "done"]
    assert done["response"].count("✓") == 2
    (made,) = events(google, "Roadmap with Kenji")
    assert made["start"]["dateTime"].startswith(f"{start:%Y-%m-%dT10:00:00}")


def test_who_is_told_of_a_move_hears_both_times(app):
    approved(app, "put rehearsal on Wednesday at 20:00 in my calendar")
    turn, (move,) = waiting(app, "Move the rehearsal to 9 pm and tell Ana")
    assert move["tool"] == "modify_event"
    decide(app, move, "approve")
    mail = second(turn, "send_gmail_message")
    assert mail["arguments"]["to"] == "ana@lumenworks.example"
    assert "“Rehearsal” was moved from" in mail["arguments"]["body"]
    assert "20:00" in mail["arguments"]["body"] and "21:00" in mail["arguments"]["body"]
    decide(app, mail, "approve")
    assert turn.wait(SECONDS)["status"] == "done"


def test_nobody_is_told_of_a_move_that_was_rejected(app):
    approved(app, "put audition on Wednesday at 20:00 in my calendar")
    turn, (move,) = waiting(app, "Move the audition to 9 pm and tell Ana")
    decide(app, move, "reject")
    done = turn.wait(SECONDS)
    assert [one["tool"] for one in done["approvals"]] == ["modify_event"]
    assert "It was not done, as you decided." in done["response"]


def test_what_was_asked_back_is_answered_in_the_next_question(app):
    asked = ask(app, "send Ana a mail")
    assert asked["response"].startswith("What shall the mail say?")
    turn, (approval,) = waiting(app, "that the kettle is on", asked["conversation_id"])
    assert approval["arguments"]["body"] == "The kettle is on."
    decide(app, approval, "reject")
    turn.wait(SECONDS)


def second(turn, tool):
    """The approval that a turn asks for after its first one."""
    for event in turn.log.read(wait=SECONDS):
        for approval in (event.data.get("approvals") or []) if event else []:
            if approval["tool"] == tool and approval.get("state", "pending") == "pending":
                return approval
    raise AssertionError("It does not ask.")
