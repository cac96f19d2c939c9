"""Rules say what a page would say, tell it once, again when that is wished, and when all is well."""

import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest

from telemetry import hourly
from telemetry.alerts import ALERT, EVENTS, NO_DATA, OK, WARN, Alerts, Wish, loud
from telemetry.errors import TelemetryError
from telemetry.forget import forget
from telemetry.measures import MINUTE
from telemetry.store import Store
from telemetry.webhook import Webhook
from tests.telemetry.hook import Hook, hook
from tests.telemetry.worlds import NOON, World, direct, failed

ERRORS = Wish("errors", 60, warn=20, alert=50)


@pytest.fixture
def store(telemetry_url: str) -> Iterator[Store]:
    opened = Store(telemetry_url)
    yield opened
    opened.close()


@pytest.fixture
def receiver() -> Iterator[Hook]:
    with hook() as one:
        yield one


def states(alerts: Alerts, user: str = "local") -> list[str]:
    return [rule.state for rule in alerts.rules(user)]


def turns(store: Store, good: int, bad: int, at: int = NOON, user: str = "local") -> None:
    world = World(store)
    world._ids = at % 10**12 + good * 1_000 + bad * 100_000 + len(user) * 10**7
    for number in range(good + bad):
        world.add(failed() if number < bad else direct(), at - 5 * MINUTE, user_id=user)
    hourly.recount(store)


def test_a_rule_warns_alerts_and_is_well_again_and_each_is_told_once(store: Store, receiver: Hook) -> None:
    alerts = Alerts(store, Webhook(receiver.url))
    alerts.add("local", ERRORS, NOON - MINUTE)
    alerts.look(NOON)
    assert states(alerts) == [NO_DATA] and receiver.messages == []
    turns(store, 3, 1)
    alerts.look(NOON + MINUTE)
    assert states(alerts) == [WARN]
    alerts.look(NOON + 2 * MINUTE)
    turns(store, 0, 4, NOON + 3 * MINUTE)
    alerts.look(NOON + 3 * MINUTE)
    assert states(alerts) == [ALERT]
    turns(store, 4, 0, NOON + 100 * MINUTE)
    alerts.look(NOON + 100 * MINUTE)
    alerts.look(NOON + 101 * MINUTE)
    assert states(alerts) == [OK]
    told = [(one["was"], one["state"], one["value"]) for one in receiver.messages]
    assert told == [(OK, WARN, 25), (WARN, ALERT, 62.5), (ALERT, OK, 0)]
    assert receiver.messages[0]["text"] == "Warning: failed turns 25 % in the last 60 min"
    assert [(event.state, event.value) for event in alerts.events("local")] == [
        (OK, 0),
        (ALERT, 62.5),
        (WARN, 25),
        (NO_DATA, None),
    ]


def test_it_is_told_again_after_a_while_only_where_that_is_wished(store: Store, receiver: Hook) -> None:
    alerts = Alerts(store, Webhook(receiver.url))
    alerts.add("local", replace(ERRORS, again_minutes=10), NOON)
    alerts.add("local", ERRORS, NOON)
    turns(store, 0, 2)
    for minute in range(0, 24, 3):
        alerts.look(NOON + minute * MINUTE)
    assert [message["state"] for message in receiver.messages] == [ALERT] * 3


def test_too_few_turns_are_no_news_and_no_recovery(store: Store, receiver: Hook) -> None:
    alerts = Alerts(store, Webhook(receiver.url))
    alerts.add("local", replace(ERRORS, least=3), NOON)
    turns(store, 0, 3)
    alerts.look(NOON)
    alerts.look(NOON + 120 * MINUTE)
    assert states(alerts) == [NO_DATA] and [one["state"] for one in receiver.messages] == [ALERT]
    turns(store, 3, 0, NOON + 150 * MINUTE)
    alerts.look(NOON + 150 * MINUTE)
    assert [one["state"] for one in receiver.messages] == [ALERT, OK]


@pytest.mark.parametrize(
    ("wish", "value", "text"),
    [
        (Wish("p95", 60, alert=1), 1.626, "time of 95 % of turns 1.6"),
        (Wish("cost", 60, alert=0.0001), 0.000306, "spent $0.0003"),
        (Wish("tools", 60, alert=50), 0, ""),
        (Wish("tools", 60, alert=50, tool="search_gmail_messages"), 0, ""),
        (Wish("unpriced", 60, alert=1), 0, ""),
        (Wish("silence", 1), 1, "no turns"),
    ],
)
def test_each_measure_reads_what_its_page_shows(
    store: Store, receiver: Hook, wish: Wish, value: float, text: str
) -> None:
    alerts = Alerts(store, Webhook(receiver.url))
    alerts.add("local", wish, NOON)
    turns(store, 1, 0)
    alerts.look(NOON)
    [rule] = alerts.rules("local")
    assert rule.value == pytest.approx(value)
    assert (rule.state == ALERT) == bool(text)
    assert all(text in message["text"] for message in receiver.messages) and len(receiver.messages) == bool(text)


def test_a_rule_is_about_its_owner_or_about_everybody(store: Store) -> None:
    alerts = Alerts(store)
    alerts.add("local", ERRORS, NOON)
    alerts.add("lena", ERRORS, NOON)
    alerts.add("local", replace(ERRORS, everybody=True), NOON)
    turns(store, 1, 0, user="local")
    turns(store, 0, 1, user="lena")
    alerts.look(NOON)
    assert sorted(states(alerts)) == [ALERT, OK] and states(alerts, "lena") == [ALERT]
    assert [rule.everybody for rule in loud(alerts.rules("local"))] == [True]


def test_what_nobody_took_is_told_at_the_next_look_and_a_secret_address_is_nowhere(
    store: Store, receiver: Hook, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "telemetry")
    receiver.answers = [500, 302]
    alerts = Alerts(store, Webhook(receiver.url))
    alerts.add("local", ERRORS, NOON)
    turns(store, 0, 1)
    alerts.look(NOON)
    assert alerts.problem and receiver.messages == [] and receiver.asked == 2
    alerts.look(NOON + MINUTE)
    assert alerts.problem is None and [one["state"] for one in receiver.messages] == [ALERT]
    assert "s3cret-path" not in caplog.text + repr(alerts.webhook)
    gone = Webhook("http://127.0.0.1:9/s3cret-path")
    assert "cannot be reached" in str(gone.tell({})) and gone.host == "127.0.0.1:9"
    assert "s3cret-path" not in caplog.text


def test_two_processes_look_once(store: Store, receiver: Hook) -> None:
    one, two = (Alerts(store, Webhook(receiver.url)) for _ in range(2))
    one.add("local", ERRORS, NOON)
    turns(store, 0, 1)
    for alerts in (one, two):
        alerts.look(NOON)
    assert len(receiver.messages) == 1


def test_a_rule_that_cannot_be_read_costs_the_others_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    alerts = Alerts(store)
    for measure in ("tools", "errors"):
        alerts.add("local", replace(ERRORS, measure=measure), NOON)
    monkeypatch.setattr("telemetry.toolstats.ToolStats.all_tools", lambda *_: 1 / 0)
    turns(store, 0, 1)
    alerts.look(NOON)
    assert {rule.measure: rule.state for rule in alerts.rules("local")} == {"tools": OK, "errors": ALERT}


@pytest.mark.parametrize(
    "wrong",
    [
        Wish("weather", 60, alert=1),
        Wish("errors", 60),
        Wish("errors", 0, alert=1),
        Wish("errors", 60, warn=5, alert=5),
        Wish("errors", 60, alert=-1),
        Wish("errors", 60, alert=1, least=0),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(store: Store, wrong: Wish) -> None:
    with pytest.raises(TelemetryError):
        Alerts(store).add("local", wrong, NOON)


def test_rules_are_their_owners_to_remove_and_go_with_them(store: Store) -> None:
    alerts = Alerts(store)
    rule_id = alerts.add("local", ERRORS, NOON)
    alerts.add("lena", ERRORS, NOON)
    alerts.look(NOON)
    alerts.remove("lena", rule_id)
    assert len(alerts.rules("local")) == 1 and len(alerts.events("local")) == 1
    alerts.remove("local", rule_id)
    assert alerts.rules("local") == [] and alerts.events("local") == []
    forget(store, "lena")
    assert alerts.rules("lena") == [] and alerts.events("lena") == []


def test_the_history_of_a_rule_that_changes_often_stays_short(store: Store) -> None:
    alerts = Alerts(store)
    alerts.add("local", Wish("silence", 1), NOON)
    world = World(store)
    for number in range(0, 6, 2):
        at = NOON + number * 10 * MINUTE
        alerts.look(at)
        world.add(direct(), at + 10 * MINUTE - 1)
        alerts.look(at + 10 * MINUTE)
    assert len(alerts.events("local")) <= EVENTS and len(alerts.events("local", 2)) == 2
