"""The same calls of the Calendar tools have the same effects on the sandbox and on myworld."""

from collections.abc import Iterator

import pytest

from tests.emulators.others import ANA, MYWORLD, SAM, myworld
from tests.emulators.pair import Difference, Json, Pair, Scenario, World, named, pair_of

pytestmark = pytest.mark.skipif(MYWORLD is None, reason="myworld is not installed")
SEED = {
    "user": {"email": SAM, "name": "Sam Okafor"},
    "timeZone": "Europe/Berlin",
    "people": [{"email": ANA, "name": "Ana Ruiz"}],
}
WEEK = {"time_min": "2027-03-22", "time_max": "2027-03-29"}
"""The week that ends with the change to summer time."""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("calendar")
    with myworld({"calendar": SEED}, folder) as other, pair_of(lambda _: other, ["calendar"], folder) as both:
        yield both


async def made(world: World, **more: object) -> str:
    times = {"start_time": "2027-03-24T10:00", "end_time": "2027-03-24T11:00"}
    return str((await world("create_event", **{"summary": "Fair", **times, **more}))["event"]["event_id"])


async def shown(world: World, query: str, **more: str) -> list[Json]:
    page = await world("get_events", **{**WEEK, **more}, query=query)
    return [{key: one[key] for key in ("title", "start", "end", "all_day", "location")} for one in page["events"]]


def kept(world: World, event_id: str) -> Json:
    """What Google has of an event."""
    found = world.rest("calendar.events.get", calendarId="primary", eventId=event_id)
    return {
        key: found.get(key) for key in ("summary", "start", "end", "recurrence", "location", "description", "status")
    }


async def a_timed_event(world: World) -> object:
    event = await made(world, location="Hall 3", description="Bring *samples*")
    return kept(world, event)


async def an_event_in_another_zone(world: World) -> object:
    return kept(world, await made(world, timezone="Asia/Tokyo"))["start"]


async def an_all_day_event(world: World) -> object:
    event = await made(world, summary="Trip", start_time="2027-03-25", end_time="2027-03-27")
    return kept(world, event), await shown(world, "Trip")


async def a_series_over_the_change_to_summer_time(world: World) -> object:
    times = {"start_time": "2027-03-25T09:00", "end_time": "2027-03-25T09:30"}
    event = await made(world, summary="Daily", **times, recurrence=["RRULE:FREQ=DAILY;COUNT=5"])
    return kept(world, event), await shown(world, "Daily", time_max="2027-04-02")


async def a_series_every_other_tuesday_until_a_day(world: World) -> object:
    times = {"start_time": "2027-03-23T16:00", "end_time": "2027-03-23T16:30"}
    rule = ["RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;UNTIL=20270501T215959Z"]
    await made(world, summary="Biweekly", **times, recurrence=rule)
    return await shown(world, "Biweekly", time_max="2027-06-01")


async def a_series_on_the_last_friday(world: World) -> object:
    times = {"start_time": "2027-03-26T15:00", "end_time": "2027-03-26T15:45"}
    await made(world, summary="Lastfriday", **times, recurrence=["RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3"])
    return await shown(world, "Lastfriday", time_max="2027-07-01")


async def a_change_leaves_the_rest(world: World) -> object:
    event = await made(world, location="Hall 3", description="Long")
    await world("modify_event", event_id=event, summary="Exhibition", start_time="2027-03-24T12:00")
    return kept(world, event)


async def a_place_is_removed(world: World) -> object:
    event = await made(world, location="Hall 3")
    await world("modify_event", event_id=event, location="")
    return kept(world, event)["location"]


async def one_of_a_series_moves(world: World) -> object:
    event = await made(world, summary="Moves", recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    page = await world("get_events", **WEEK, query="Moves")
    times = {"start_time": "2027-03-25T13:00", "end_time": "2027-03-25T14:00"}
    await world("modify_event", event_id=page["events"][1]["event_id"], scope="this", **times)
    return await shown(world, "Moves"), kept(world, event)


async def one_of_a_series_goes(world: World) -> object:
    await made(world, summary="Skips", recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    page = await world("get_events", **WEEK, query="Skips")
    await world("delete_event", event_id=page["events"][1]["event_id"], scope="this")
    return await shown(world, "Skips")


async def the_instances_of_a_series(world: World) -> object:
    event = await made(world, summary="Instances", recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    page = world.rest("calendar.events.instances", calendarId="primary", eventId=event)
    return [
        (one["start"], one["originalStartTime"], one["recurringEventId"] == event, one["id"].removeprefix(event))
        for one in page["items"]
    ]


async def a_deleted_event(world: World) -> object:
    event = await made(world, summary="Gone")
    first = await world("delete_event", event_id=event)
    again = await world("delete_event", event_id=event)
    return first["action"], again["action"], kept(world, event)["status"], await shown(world, "Gone")


async def a_second_deletion_past_the_tools(world: World) -> object:
    event = await made(world)
    world.rest("calendar.events.delete", calendarId="primary", eventId=event)
    with pytest.raises(Exception) as caught:
        world.rest("calendar.events.delete", calendarId="primary", eventId=event)
    return str(caught.value)


async def guests(world: World) -> object:
    event = await made(world, attendees=[ANA, "marta@brightparts.example"])
    found = world.rest("calendar.events.get", calendarId="primary", eventId=event)
    return sorted(one["email"] for one in found["attendees"] if not one.get("organizer"))


async def busy_times(world: World) -> object:
    day = {"start_time": "2027-03-27T13:00", "end_time": "2027-03-27T14:30"}
    await made(world, summary="Busy", **day)
    await made(
        world,
        summary="Shown as free",
        transparency="transparent",
        start_time="2027-03-27T14:00",
        end_time="2027-03-27T15:00",
    )
    told = await world("query_freebusy", time_min="2027-03-27T12:30", time_max="2027-03-27T20:00")
    return told["calendars"][0]["busy"], told["free"]


async def pages(world: World) -> object:
    for hour in (8, 9, 10):
        await made(world, summary="Paged", start_time=f"2027-03-22T{hour:02}:00", end_time=f"2027-03-22T{hour:02}:30")
    first = await world("get_events", **WEEK, query="Paged", max_results=2)
    second = await world("get_events", **WEEK, query="Paged", max_results=2, page_token=first["next_page_token"])
    return [[one["start"] for one in page["events"]] for page in (first, second)], second["next_page_token"]


async def an_event_that_does_not_exist(world: World) -> object:
    return [
        await world.outcome("get_events", event_id="nothing0here"),
        await world.outcome("modify_event", event_id="nothing0here", summary="x"),
        await world.outcome("delete_event", event_id="nothing0here"),
    ]


async def a_calendar_that_does_not_exist(world: World) -> object:
    return await world.outcome("get_events", calendar_id="nobody@nowhere.example")


async def a_rule_that_is_none(world: World) -> object:
    times = {"start_time": "2027-03-24T10:00", "end_time": "2027-03-24T11:00"}
    return await world.outcome("create_event", summary="x", **times, recurrence=["RRULE:FREQ=SOMETIMES"])


SAME = [
    a_timed_event,
    an_all_day_event,
    a_series_over_the_change_to_summer_time,
    a_series_every_other_tuesday_until_a_day,
    a_series_on_the_last_friday,
    a_change_leaves_the_rest,
    one_of_a_series_moves,
    one_of_a_series_goes,
    the_instances_of_a_series,
    a_deleted_event,
    a_second_deletion_past_the_tools,
    guests,
    busy_times,
    pages,
    an_event_that_does_not_exist,
    a_calendar_that_does_not_exist,
]
DIFFERENT = [
    Difference(
        "Calendar: in which zone a time is told",
        an_event_in_another_zone,
        {"dateTime": "2027-03-24T02:00:00+01:00", "timeZone": "Asia/Tokyo"},
        {"dateTime": "2027-03-24T10:00:00+09:00", "timeZone": "Asia/Tokyo"},
    ),
    Difference("Calendar: a field that was emptied", a_place_is_removed, None, ""),
    Difference(
        "Calendar: the words for a rule that is none",
        a_rule_that_is_none,
        "Google did not accept the request: Invalid recurrence rule. Correct it and try again.",
        "Google did not accept the request: Invalid recurrence rule: RRULE:FREQ=SOMETIMES. Correct it and try again.",
    ),
]


@pytest.mark.parametrize("scenario", SAME, ids=named)
async def test_the_same_calls_have_the_same_effects(pair: Pair, scenario: Scenario) -> None:
    ours, theirs = await pair.seen(scenario)
    assert ours == theirs


@pytest.mark.parametrize("difference", DIFFERENT, ids=named)
async def test_where_they_differ_it_is_known(pair: Pair, difference: Difference) -> None:
    assert await pair.seen(difference.scenario) == (difference.ours, difference.theirs)
