"""A call's fields: by the type of each parameter, what is given first."""

import pytest

from core.registry.manifests import load_catalogue
from core.runtime.forms import Kind, fields_of

CATALOGUE = load_catalogue()


def kinds(tool, arguments):
    return {field.name: field.kind for field in fields_of(CATALOGUE, tool, arguments)}


def test_a_mail_is_edited_by_its_parts_and_what_is_given_comes_first():
    given = {"to": "ana@lumenworks.example", "subject": "Hi", "body": "Yes.", "cc": "tom@lumenworks.example"}
    fields = fields_of(CATALOGUE, "send_gmail_message", given)
    assert [field.name for field in fields][:4] == ["to", "subject", "body", "cc"]
    found = {field.name: field.kind for field in fields}
    assert found["to"] is Kind.TEXT and found["body"] is Kind.LONG
    assert found["body_format"] is Kind.CHOICE and found["attachments"] is Kind.JSON


def test_an_event_is_edited_by_its_times_and_guests():
    found = kinds(
        "create_event", {"start_time": "2026-12-01T09:00", "end_time": "2026-12-01", "attendees": ["a@b.example"]}
    )
    assert found["start_time"] is Kind.MOMENT and found["end_time"] is Kind.TEXT
    assert found["attendees"] is Kind.LINES and found["add_google_meet"] is Kind.YES_NO


@pytest.mark.parametrize("value", ["2026-12-01T09:00+09:00", "tomorrow", "2026-12-01"])
def test_a_time_that_is_not_local_stays_as_it_is_written(value):
    assert kinds("create_event", {"start_time": value})["start_time"] is Kind.TEXT


def test_what_is_no_parameter_or_of_another_type_is_shown_to_the_letter():
    found = kinds("create_event", {"summary": 7, "attendees": "ana", "unknown": 1})
    assert found["summary"] is found["attendees"] is found["unknown"] is Kind.JSON
    assert kinds("no_such_tool", {"x": "y"}) == {"x": Kind.JSON}
