"""The Calendar tools over the seeded world; it is Tuesday 1 December 2026, 09:00 in Berlin."""

from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from core.mcp_server.server import ZONE
from tests.mcp_server.conftest import Caller


async def test_calendars_are_all_there(call: Caller) -> None:
    calendars = {one["calendar_id"]: one for one in (await call("list_calendars"))["calendars"]}
    assert calendars["sam@lumenworks.example"]["primary"]
    assert calendars["ana@lumenworks.example"]["role"] == "freeBusyReader"


async def test_events_begin_now_and_are_in_order(call: Caller) -> None:
    page = await call("get_events", max_results=10)
    assert page["time_min"] == "2026-12-01T09:00:00+01:00" and page["time_max"] is None
    timed = [datetime.fromisoformat(one["start"]) for one in page["events"] if not one["all_day"]]
    assert len(page["events"]) == 10 and timed == sorted(timed)
    assert page["next_page_token"]


@pytest.mark.parametrize(
    ("time_min", "time_max", "begin", "end"),
    [
        ("2026-12-02", "2026-12-02", "2026-12-02T00:00:00+01:00", "2026-12-03T00:00:00+01:00"),
        ("2026-12-02", "2026-12-03", "2026-12-02T00:00:00+01:00", "2026-12-03T00:00:00+01:00"),
        ("2026-12-02T14:00", "2026-12-02T18:00", "2026-12-02T14:00:00+01:00", "2026-12-02T18:00:00+01:00"),
        ("2026-12-02T08:00:00-05:00", "2026-12-02T23:30Z", "2026-12-02T14:00:00+01:00", "2026-12-03T00:30:00+01:00"),
        ("2026-10-25", "2026-10-25", "2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"),
        ("2026-03-29T02:30", "2026-03-30", "2026-03-29T03:30:00+02:00", "2026-03-30T00:00:00+02:00"),
    ],
)
async def test_times_are_meant_in_the_persons_zone(
    call: Caller, time_min: str, time_max: str, begin: str, end: str
) -> None:
    page = await call("get_events", time_min=time_min, time_max=time_max)
    assert (page["time_min"], page["time_max"], page["zone"]) == (begin, end, "Europe/Berlin")


async def test_a_day_has_its_events_and_no_others(call: Caller) -> None:
    page = await call("get_events", time_min="2026-12-02", time_max="2026-12-02")
    starts = [one["start"] for one in page["events"] if not one["all_day"]]
    assert starts and all(start.startswith("2026-12-02T") for start in starts)


async def test_the_same_moment_is_shown_in_another_persons_zone(call: Caller) -> None:
    here = await call("get_events", query="Stand-up", max_results=1)
    there = await call.result("get_events", {"query": "Stand-up", "max_results": 1}, {ZONE: "Asia/Tokyo"})
    (ours,), (theirs,) = here["events"], there.structured_content["events"]
    assert ours["start"].endswith("+01:00") and theirs["start"].endswith("+09:00")
    assert datetime.fromisoformat(ours["start"]) == datetime.fromisoformat(theirs["start"])


async def test_all_day_events_keep_their_dates(call: Caller) -> None:
    page = await call("get_events", time_min="2026-11-01", time_max="2027-01-31", max_results=250)
    whole = [one for one in page["events"] if one["all_day"]]
    assert whole and all(len(one["start"]) == len(one["end"]) == 10 and one["start"] < one["end"] for one in whole)


async def test_one_event_is_had_by_its_id(call: Caller) -> None:
    (found,) = (await call("get_events", query="Board meeting", max_results=1))["events"]
    page = await call("get_events", event_id=found["event_id"], detailed=True)
    (event,) = page["events"]
    assert (event["title"], page["time_min"]) == ("Board meeting", None)
    assert {"accepted", "needsAction", "declined", "tentative"} >= {one["response"] for one in event["guests"]}
    assert event["series_id"] and any(one["me"] for one in event["guests"])


async def test_pages_follow_one_another(call: Caller) -> None:
    span = {"time_min": "2026-12-01", "time_max": "2026-12-20"}
    first = await call("get_events", **span, max_results=5)
    second = await call("get_events", **span, max_results=5, page_token=first["next_page_token"])
    whole = await call("get_events", **span, max_results=10)
    assert first["events"] + second["events"] == whole["events"]


async def test_an_event_that_is_not_there_is_said(call: Caller) -> None:
    assert (await call.refusal("get_events", event_id="nope")).startswith("There is no such event")


async def free_busy(call: Caller, **more: Any) -> dict[str, Any]:
    return await call("query_freebusy", time_min="2026-12-02T08:00", time_max="2026-12-02T18:00", **more)


async def test_busy_and_free_times_fill_the_range_exactly(call: Caller) -> None:
    result = await free_busy(call)
    (mine,) = result["calendars"]
    whole = sorted([*mine["busy"], *result["free"]], key=lambda one: one["start"])
    assert (whole[0]["start"], whole[-1]["end"]) == (result["time_min"], result["time_max"])
    assert all(before["end"] == after["start"] for before, after in pairwise(whole))
    assert sum(one["minutes"] for one in whole) == 600


async def test_free_times_are_common_to_all_calendars(call: Caller) -> None:
    people = ["primary", "ana@lumenworks.example", "kenji@lumenworks.example"]
    result = await free_busy(call, calendar_ids=people)
    assert [one["calendar_id"] for one in result["calendars"]] == people
    for gap in result["free"]:
        for calendar in result["calendars"]:
            assert not [one for one in calendar["busy"] if one["start"] < gap["end"] and gap["start"] < one["end"]]


async def test_a_calendar_that_cannot_be_asked_says_so(call: Caller) -> None:
    result = await free_busy(call, calendar_ids=["primary", "nobody@elsewhere.example"])
    errors = {one["calendar_id"]: one["error"] for one in result["calendars"]}
    assert errors == {
        "primary": None,
        "nobody@elsewhere.example": "nobody@elsewhere.example could not be asked: notFound.",
    }
