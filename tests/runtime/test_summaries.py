"""What stands on an approval card: one plain sentence about the call, whatever the arguments are."""

import pytest

from core.registry.manifests import load_catalogue
from core.runtime.summaries import honest, summary_of

CATALOGUE = load_catalogue()
WRITES = [tool.name for _, tool in CATALOGUE.tools() if not tool.reads]
MAIL = {"to": "Ana Ruiz <ana@lumenworks.example>", "subject": "Invoice 2041", "body": "x"}

CASES = [
    ("send_gmail_message", MAIL, "Send this mail to Ana Ruiz <ana@lumenworks.example>: “Invoice 2041”"),
    (
        "send_gmail_message",
        {**MAIL, "cc": "c@x.example", "bcc": "b@x.example", "thread_id": "t", "subject": "", "attachments": [{}, {}]},
        "Send this mail as a reply to Ana Ruiz <ana@lumenworks.example>, copy to c@x.example, "
        "hidden copy to b@x.example with 2 files",
    ),
    ("draft_gmail_message", {"subject": "Plan", "body": "x"}, "Keep a draft: “Plan”. Nothing is sent"),
    (
        "modify_gmail_message_labels",
        {"message_id": "m", "remove_label_ids": ["INBOX"], "add_label_ids": ["TRASH", "STARRED"]},
        "Change one mail: add TRASH, STARRED, remove INBOX. It goes to the bin",
    ),
    (
        "batch_modify_gmail_message_labels",
        {"message_ids": ["a", "b"], "remove_label_ids": ["UNREAD"], "add_label_ids": None},
        "Change 2 mails: remove UNREAD",
    ),
    ("manage_gmail_label", {"action": "create", "name": "Trips"}, "Create the label “Trips”"),
    (
        "manage_gmail_label",
        {"action": "delete", "label_id": "Label_3"},
        "Delete the label “Label_3” and take it off all its mails",
    ),
    (
        "manage_gmail_label",
        {"action": "update", "label_id": "Label_3", "name": "Journeys"},
        "Change the label “Label_3”: its name becomes “Journeys”",
    ),
    (
        "create_gmail_filter",
        {"criteria": {"from": "a@x.example", "hasAttachment": True}, "action": {"forward": "b@x.example"}},
        "Make a filter: all new mail with from “a@x.example”, hasAttachment “True” is forwarded to b@x.example",
    ),
    ("delete_gmail_filter", {"filter_id": "f1"}, "Delete the mail filter f1"),
    (
        "create_event",
        {
            "summary": "Review",
            "start_time": "2026-12-04T10:00",
            "end_time": "2026-12-04T11:00",
            "attendees": ["ana@lumenworks.example", "kenji@lumenworks.example"],
        },
        "Put “Review” into the calendar, 2026-12-04T10:00 to 2026-12-04T11:00, "
        "with ana@lumenworks.example, kenji@lumenworks.example (they are invited by mail)",
    ),
    (
        "modify_event",
        {"event_id": "e1", "scope": "all", "start_time": "2026-12-04T15:00", "send_updates": "none"},
        "Change the whole series of the event e1: it begins 2026-12-04T15:00. Guests are not told",
    ),
    ("modify_event", {"event_id": "e1", "attendees": []}, "Change the event e1: its guests become nobody"),
    ("delete_event", {"event_id": "e1"}, "Delete the event e1. Guests are told by mail"),
]


@pytest.mark.parametrize(("tool", "arguments", "sentence"), CASES)
def test_it_says_what_will_happen(tool, arguments, sentence):
    assert summary_of(CATALOGUE, tool, arguments) == sentence


def test_every_write_of_mail_and_calendar_has_a_case():
    own = {tool.name for domain, tool in CATALOGUE.tools() if domain in ("gmail", "calendar") and not tool.reads}
    assert {tool for tool, *_ in CASES} >= own


@pytest.mark.parametrize("tool", WRITES)
def test_arguments_that_are_missing_or_wrong_break_nothing(tool):
    for arguments in ({}, dict.fromkeys(("attachments", "criteria", "action", "message_ids", "attendees"), "odd")):
        assert summary_of(CATALOGUE, tool, arguments)


def test_an_argument_is_text_and_never_a_template():
    said = summary_of(CATALOGUE, "send_gmail_message", {**MAIL, "subject": "{{ 7 * 7 }}{% for x in y %}"})
    assert said.endswith("“{{ 7 * 7 }}{% for x in y %}”")


def test_nothing_invisible_turns_the_sentence_round():
    said = summary_of(CATALOGUE, "send_gmail_message", {**MAIL, "to": "ana\u202e@x.example\u2066\n\nto nobody"})
    assert said == "Send this mail to ana\ufffd@x.example\ufffd to nobody: “Invoice 2041”"


def test_a_host_of_other_letters_is_told_by_its_ascii_form():
    said = summary_of(CATALOGUE, "send_gmail_message", {**MAIL, "to": "ana@lumenw\u043erks.example, kenji@ok.example"})
    told = "ana@lumenw\u043erks.example (xn--lumenwrks-52h.example), kenji@ok.example"
    assert said == f"Send this mail to {told}: “Invoice 2041”"
    assert honest(said) == said


def test_a_tool_without_a_sentence_is_named_with_its_arguments():
    assert summary_of(CATALOGUE, "fly", {"to": "Rome"}) == "fly: to = Rome"


def test_what_each_tool_of_documents_will_do_is_one_sentence() -> None:
    arguments: dict[str, dict[str, object]] = {
        "modify_doc_text": {"document_id": "d", "start_index": 4, "end_index": 9, "bold": True},
        "batch_update_doc": {"document_id": "d", "operations": [{"type": "insert_text"}, {"type": "find_replace"}]},
        "create_table_with_data": {"document_id": "d", "table_data": [["a", "b"], ["c"]]},
    }
    writes = [tool.name for tool in CATALOGUE.domains["docs"].tools if not tool.reads]
    said = {name: summary_of(CATALOGUE, name, arguments.get(name, {"text": "x"})) for name in writes}
    assert said["modify_doc_text"] == "Format characters 4 to 9 of the document d."
    assert said["batch_update_doc"] == "Make 2 changes in the document d: insert text, find replace."
    assert said["create_table_with_data"] == "Insert a table of 2 rows and 2 columns into the document d."
    assert all(text.endswith(".") and "{" not in text for text in said.values())
