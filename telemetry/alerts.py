"""Rules that watch numbers: each minute they are read, and who wants to know is told when one becomes too large.

A state is told once, again after a while if that is wished, and when all is well again. What could not be told is
told at the next look. With several processes, one of them looks at a rule and tells of it.
"""

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection, delete, select, update

from telemetry import measures
from telemetry.alert_tables import AlertEvent, AlertRule
from telemetry.errors import TelemetryError
from telemetry.formats import SECOND
from telemetry.measures import MEASURES, MINUTE, Reading
from telemetry.store import Store
from telemetry.upsert import table_of
from telemetry.webhook import Webhook

log = logging.getLogger(__name__)

OK, WARN, ALERT, NO_DATA = "ok", "warn", "alert", "no data"
LOUD: Final = (WARN, ALERT)
MOST: Final = 50
"""Rules of one person."""
EVENTS: Final = 200
"""Changes that are remembered of a rule."""
LONGEST: Final = 7 * 24 * 60
APART: Final = 30 * SECOND
"""Two processes do not look at a rule within this time of each other."""
RULE, EVENT = table_of(AlertRule), table_of(AlertEvent)


@dataclass(frozen=True)
class Wish:
    """A rule as somebody wants it; thresholds in the measure's unit."""

    measure: str
    minutes: int
    warn: float | None = None
    alert: float | None = None
    tool: str | None = None
    least: int = 1
    again_minutes: int = 0
    everybody: bool = False


class Alerts:
    """The rules of a store.

    Args:
        webhook: who is told; None: the app's own pages alone say it.
    """

    def __init__(self, store: Store, webhook: Webhook | None = None) -> None:
        self._store, self.webhook = store, webhook
        self.problem: str | None = None

    def add(self, user_id: str, wish: Wish, now_ns: int) -> str:
        """Keep a rule; returns its id.

        Raises:
            TelemetryError: it would never say anything, or there are too many.
        """
        check(wish)
        if len(self.rules(user_id)) >= MOST:
            raise TelemetryError(f"{MOST} rules are enough. Remove one first.")
        made = AlertRule(rule_id=uuid.uuid4().hex, user_id=user_id, since_ns=now_ns, **vars(wish))
        with self._store.write() as connection:
            connection.execute(RULE.insert().values(made.model_dump()))
        return made.rule_id

    def remove(self, user_id: str, rule_id: str) -> None:
        """Drop a rule of the user's, with its history."""
        with self._store.write() as connection:
            for table in (EVENT, RULE):
                connection.execute(delete(table).where(table.c.rule_id == rule_id, table.c.user_id == user_id))

    def rules(self, user_id: str) -> list[AlertRule]:
        """The user's rules, the loudest first."""
        found = self._rules(RULE.c.user_id == user_id)
        return sorted(found, key=lambda rule: ((ALERT, WARN, NO_DATA, OK).index(rule.state), rule.since_ns))

    def events(self, user_id: str, limit: int = EVENTS) -> list[AlertEvent]:
        """What the user's rules said, the latest first."""
        query = select(EVENT).where(EVENT.c.user_id == user_id).order_by(EVENT.c.at_ns.desc(), EVENT.c.rule_id)
        with self._store.reader() as session:
            return [AlertEvent(**row) for row in session.connection().execute(query.limit(limit)).mappings()]

    def look(self, now_ns: int) -> None:
        """Read the number of every rule, note what changed, and tell it. A rule that cannot be read stays as it is."""
        for rule in self._rules(RULE.c.checked_ns <= now_ns - APART):
            try:
                reading = measures.read(self._store, rule, now_ns)
                message = self._note(rule.rule_id, reading, now_ns)
                if message is not None:
                    self._tell(rule.rule_id, message, now_ns)
            except Exception:
                log.exception("An alert's number could not be read.")

    def _rules(self, *conditions: Any) -> list[AlertRule]:
        with self._store.reader() as session:
            rows = session.connection().execute(select(RULE).where(*conditions)).mappings()
            return [AlertRule(**row) for row in rows]

    def _note(self, rule_id: str, reading: Reading, now_ns: int) -> dict[str, Any] | None:
        """Note a reading, unless another process was quicker; what is to be told, if anything is."""
        with self._store.write() as connection:
            row = connection.execute(select(RULE).where(RULE.c.rule_id == rule_id)).mappings().first()
            if row is None or row["checked_ns"] > now_ns - APART:
                return None
            rule = AlertRule(**row)
            state = state_of(rule, reading)
            changes: dict[str, Any] = {"checked_ns": now_ns, "value": reading.value}
            if state != rule.state:
                changes |= {"state": state, "since_ns": now_ns}
                event = {"rule_id": rule_id, "user_id": rule.user_id, "at_ns": now_ns, "state": state}
                connection.execute(EVENT.insert().values(**event, value=reading.value))
                trim(connection, rule_id)
            connection.execute(update(RULE).where(RULE.c.rule_id == rule_id).values(**changes))
        now = AlertRule(**{**row, **changes})
        return message_of(now, rule.told, now_ns) if is_to_tell(rule, state, now_ns) else None

    def _tell(self, rule_id: str, message: dict[str, Any], now_ns: int) -> None:
        """Tell it; what nobody took is told at the next look."""
        self.problem = None if self.webhook is None else self.webhook.tell(message)
        if self.problem is None:
            told = {"told": message["state"], "told_ns": now_ns}
            with self._store.write() as connection:
                connection.execute(update(RULE).where(RULE.c.rule_id == rule_id).values(**told))


def check(wish: Wish) -> None:
    """Look whether a rule makes sense.

    Raises:
        TelemetryError: it does not.
    """
    if wish.measure not in MEASURES:
        raise TelemetryError(f"Nothing is measured that is called {wish.measure!r}.")
    if not 1 <= wish.minutes <= LONGEST or wish.least < 1 or wish.again_minutes < 0:
        raise TelemetryError("Take the last minute up to the last week, at least one turn, and no time below zero.")
    if wish.measure == "silence":
        return
    given = [number for number in (wish.warn, wish.alert) if number is not None]
    if not given or min(given) <= 0:
        raise TelemetryError("Give a number above 0 at which it warns, alerts, or both.")
    if wish.warn is not None and wish.alert is not None and wish.warn >= wish.alert:
        raise TelemetryError("The number at which it warns must be below the one at which it alerts.")


def state_of(rule: AlertRule, reading: Reading) -> str:
    """What a reading means."""
    if rule.measure == "silence":
        return ALERT if reading.value else OK
    if reading.value is None or reading.number < rule.least:
        return NO_DATA
    if rule.alert is not None and reading.value >= rule.alert:
        return ALERT
    return WARN if rule.warn is not None and reading.value >= rule.warn else OK


def is_to_tell(rule: AlertRule, state: str, now_ns: int) -> bool:
    """Whether a state is news; that there is too little to judge by is none."""
    if state == NO_DATA:
        return False
    if state != rule.told:
        return True
    again = rule.again_minutes * MINUTE
    return state in LOUD and again > 0 and now_ns - rule.told_ns >= again


def message_of(rule: AlertRule, was: str, now_ns: int) -> dict[str, Any]:
    """What a webhook is told: numbers and the rule, nothing of what people wrote."""
    return {
        "app": "glassdesk",
        "text": sentence(rule),
        "rule": rule.rule_id,
        "measure": rule.measure,
        "tool": rule.tool,
        "state": rule.state,
        "was": was,
        "value": rule.value,
        "unit": MEASURES[rule.measure].unit,
        "warn": rule.warn,
        "alert": rule.alert,
        "minutes": rule.minutes,
        "everybody": rule.everybody,
        "since": datetime.fromtimestamp(rule.since_ns // SECOND, UTC).isoformat(),
        "at": datetime.fromtimestamp(now_ns // SECOND, UTC).isoformat(),
    }


def sentence(rule: AlertRule) -> str:
    """What a rule says, for people: `Alert: failed turns 12 % in the last 60 min`."""
    state = {OK: "All is well", WARN: "Warning", ALERT: "Alert", NO_DATA: "Too little to judge by"}[rule.state]
    return f"{state}: {number_of(rule)} in the last {rule.minutes} min"


def number_of(rule: AlertRule) -> str:
    """A rule's number with its name."""
    measure = MEASURES[rule.measure]
    if rule.measure == "silence":
        return "no turns" if rule.state == ALERT else "turns came"
    title = measure.title[0].lower() + measure.title[1:]
    named = f"{title} of {rule.tool}" if rule.tool else title
    return f"{named} unknown" if rule.value is None else f"{named} {measure.shown(rule.value)}"


def trim(connection: Connection, rule_id: str) -> None:
    """Forget the oldest changes of a rule that changes often."""
    mine = EVENT.c.rule_id == rule_id
    edge = select(EVENT.c.at_ns).where(mine).order_by(EVENT.c.at_ns.desc()).offset(EVENTS).limit(1)
    oldest = connection.execute(edge).scalar()
    if oldest is not None:
        connection.execute(delete(EVENT).where(mine, EVENT.c.at_ns <= oldest))


def loud(rules: Sequence[AlertRule]) -> list[AlertRule]:
    """Those that warn or alert."""
    return [rule for rule in rules if rule.state in LOUD]
