"""Partial responses."""

from typing import Any

import pytest
from googleapiclient.errors import HttpError
from hypothesis import given
from hypothesis import strategies as st

from core.sandbox.calls import ApiError
from core.sandbox.fields import parse, select

ANSWER = {
    "kind": "list",
    "next": "t",
    "items": [
        {"id": "1", "start": {"day": "x", "zone": "y"}, "tags": [{"a": 1, "b": 2}]},
        {"id": "2", "end": {"day": "z"}},
    ],
}


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ("next", {"next": "t"}),
        ("items/id, next", {"items": [{"id": "1"}, {"id": "2"}], "next": "t"}),
        ("items(id,start/day)", {"items": [{"id": "1", "start": {"day": "x"}}, {"id": "2"}]}),
        ("items(start(zone),tags/b)", {"items": [{"start": {"zone": "y"}, "tags": [{"b": 2}]}, {}]}),
        (
            "items/*/day",
            {"items": [{"start": {"day": "x"}, "tags": [{}], "id": "1"}, {"id": "2", "end": {"day": "z"}}]},
        ),
        ("items/start/day,items/start", {"items": [{"start": {"day": "x", "zone": "y"}}, {}]}),
        ("*", ANSWER),
        ("nothing", {}),
    ],
)
def test_a_mask_keeps_what_it_names(fields: str, kept: dict[str, Any]) -> None:
    assert select(ANSWER, parse(fields)) == kept


@pytest.mark.parametrize("fields", ["", "a,", "a(b", "a)b", "(a)", "a//b", "a b"])
def test_a_mask_that_cannot_be_read_is_a_400(fields: str) -> None:
    with pytest.raises(ApiError, match="Invalid field selection") as caught:
        parse(fields)
    assert caught.value.status == 400


@given(st.text(alphabet="ab/(),* ", max_size=12))
def test_any_text_is_a_mask_or_a_400(fields: str) -> None:
    try:
        select(ANSWER, parse(fields))
    except ApiError as error:
        assert error.status == 400


def test_the_fields_parameter_trims_the_answer_and_not_an_error(calendar: Any) -> None:
    answer = calendar.calendarList().list(fields="items(id,primary)").execute()
    assert answer["items"][0] == {"id": "sam@lumenworks.example", "primary": True}
    with pytest.raises(HttpError) as caught:
        calendar.calendarList().get(calendarId="nobody", fields="id").execute()
    assert caught.value.error_details[0]["reason"] == "notFound"
    with pytest.raises(HttpError, match="Invalid field selection"):
        calendar.calendarList().list(fields="items(id").execute()


def test_a_dot_is_a_slash() -> None:
    assert parse("sheets.properties(title,grid.rows)") == {"sheets": {"properties": {"title": {}, "grid": {"rows": {}}}}}
