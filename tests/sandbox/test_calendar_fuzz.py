"""Whatever JSON arrives: an answer or an error of Google's kind, never a crash, and never a broken list."""

import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.sandbox.calendar.drafts import CHOICES, WRITABLE
from core.sandbox.sandbox import Sandbox
from core.sandbox.transport import SandboxHttp
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.conftest import berlin

EVENTS = "https://www.googleapis.com/calendar/v3/calendars/primary/events"
NAMES = sorted(WRITABLE)
TEXTS = st.sampled_from(
    ["", "x", "2026-11-20", "2026-11-20T10:00:00Z", "UTC", "RRULE:FREQ=DAILY", "EXDATE:20261120T100000Z", "a@b.example"]
    + [choice for choices in CHOICES.values() for choice in choices]
)
KEYS = st.sampled_from(
    [*NAMES, "date", "dateTime", "timeZone", "email", "overrides", "useDefault", "private", "entryPoints"]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 50000) | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
VALID = {
    "start": {"dateTime": "2026-11-20T10:00:00Z", "timeZone": "UTC"},
    "end": {"dateTime": "2026-11-20T11:00:00Z", "timeZone": "UTC"},
}
BODIES = st.dictionaries(st.sampled_from(NAMES), JSON, max_size=5)


@pytest.fixture(scope="module")
def http(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxHttp]:
    path = tmp_path_factory.mktemp("fuzz") / "sandbox.db"
    copyfile(seeded, path)
    world: Sandbox = berlin(path)
    yield world.http(SANDBOX_ACCOUNT)
    world.close()


def send(http: SandboxHttp, method: str, uri: str, body: Any = None) -> tuple[int, Any]:
    response, content = http.request(uri, method, json.dumps(body) if body is not None else None)
    return response.status, json.loads(content) if content else None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(first=BODIES, second=BODIES, valid=st.booleans(), version=st.sampled_from(["", "?conferenceDataVersion=1"]))
def test_any_event_is_stored_or_refused(
    http: SandboxHttp, first: dict[str, Any], second: dict[str, Any], valid: bool, version: str
) -> None:
    status, event = send(http, "POST", EVENTS + version, {**(VALID if valid else {}), **first})
    assert status in (200, 400)
    if status == 200:
        uri = f"{EVENTS}/{event['id']}"
        assert send(http, "PATCH", uri + version, second)[0] in (200, 400)
        assert send(http, "GET", f"{EVENTS}?q=x&singleEvents=true&timeMin=2026-11-20T00:00:00Z&maxResults=5")[0] == 200
        assert send(http, "GET", f"{EVENTS}?privateExtendedProperty=a%3Db")[0] == 200
        assert send(http, "DELETE", uri)[0] in (204, 410)


@settings(max_examples=25, deadline=None)
@given(body=st.dictionaries(st.sampled_from(["timeMin", "timeMax", "items", "timeZone", "calendarExpansionMax"]), JSON))
def test_any_free_busy_question_is_answered_or_refused(http: SandboxHttp, body: dict[str, Any]) -> None:
    assert send(http, "POST", "https://www.googleapis.com/calendar/v3/freeBusy", body)[0] in (200, 400)


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(
        ["maxResults", "pageToken", "timeMin", "timeZone", "updatedMin", "syncToken", "orderBy", "fields"]
    ),
    value=st.text(max_size=8) | TEXTS,
)
def test_any_list_parameter_is_understood_or_refused(http: SandboxHttp, name: str, value: str) -> None:
    assert send(http, "GET", f"{EVENTS}?{urlencode({name: value})}")[0] in (200, 400, 410)
