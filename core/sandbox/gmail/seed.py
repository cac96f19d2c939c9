"""The seed world's mail: written once, moved along with the days, and left alone where the user changed it."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import yaml
from pydantic import Field, TypeAdapter
from sqlmodel import Session, col, select

from core.sandbox.gmail import mailbox
from core.sandbox.gmail.index import columns
from core.sandbox.gmail.seed_mail import SeedMail, Setting, Strict, build
from core.sandbox.gmail.tables import DraftRow, FilterRow, LabelRow, MessageRow, PlantedRow
from core.sandbox.transport import utc_now
from core.sandbox.world import World
from core.settings import ROOT
from core.users import SANDBOX_ACCOUNT

FOLDER = ROOT / "data" / "sandbox" / "mail"
LATEST, GAP = timedelta(minutes=2), timedelta(minutes=4)
MARK = "*"


class Person(Strict):
    """Somebody who writes: name and address, and the zone that they write in."""

    address: str
    zone: str | None = None


class SeedLabel(Strict):
    """A label of the persona's own."""

    name: str
    color: dict[str, str] | None = None


class SeedFilter(Strict):
    """A filter; labels in its action are named, not numbered."""

    key: str
    criteria: dict[str, Any]
    action: dict[str, list[str]]


class SeedAccount(Strict):
    """`account.yaml`."""

    people: dict[str, Person]
    labels: list[SeedLabel]
    filters: list[SeedFilter] = Field(default=[])


@dataclass(frozen=True)
class Box:
    """All that the seed files say."""

    account: SeedAccount
    mails: dict[str, SeedMail]

    def chain(self, mail: SeedMail) -> list[SeedMail]:
        """What a mail answers, the thread's first mail first."""
        return [*self.chain(parent), parent] if (parent := self.mails.get(mail.reply_to or "")) else []


def seed(world: World, today: date, now: Callable[[], datetime] = utc_now) -> None:
    """Bring the persona's mailbox up to a day; doing it again, or in two processes at once, changes nothing.

    A mail that the user or another mail of its thread touched stays as it is; one that was deleted stays away.
    """
    texts = {path.name: path.read_bytes() for path in sorted(FOLDER.glob("*.yaml"))}
    mark = f"{today} {hashlib.sha256(b''.join(texts.values())).hexdigest()[:16]}"
    if marked(world, mark):
        return
    box = read(texts)
    zone = ZoneInfo(world.zone)
    times = schedule(box.mails.values(), today, zone, now())
    complete = all(times[mail.key] == planned(mail, today, zone) for mail in box.mails.values())
    with world.change() as session:
        Sower(session, box, times, setting(box, today, world.zone)).sow()
        session.merge(PlantedRow(account=SANDBOX_ACCOUNT, key=MARK, day=mark if complete else str(today)))


def marked(world: World, mark: str) -> bool:
    """Whether the mailbox stands at this day already."""
    with world.session() as session:
        row = session.get(PlantedRow, (SANDBOX_ACCOUNT, MARK))
    return row is not None and row.day == mark


def read(texts: dict[str, bytes]) -> Box:
    """The seed files' content, checked."""
    loaded = {name: yaml.load(text, Loader=yaml.CSafeLoader) for name, text in texts.items()}
    account = SeedAccount.model_validate(loaded.pop("account.yaml"))
    mails = TypeAdapter(list[SeedMail]).validate_python([mail for mails in loaded.values() for mail in mails])
    return Box(account, {mail.key: mail for mail in mails})


def setting(box: Box, today: date, zone: str) -> Setting:
    """What the mails are built with."""
    people = box.account.people
    zones = {name: person.zone for name, person in people.items() if person.zone}
    return Setting({name: person.address for name, person in people.items()}, zones, today, ZoneInfo(zone))


def schedule(mails: Iterable[SeedMail], today: date, zone: ZoneInfo, now: datetime) -> dict[str, datetime]:
    """When each mail came: none in the future, and in the order written whatever the time of day is."""
    wanted = [(planned(mail, today, zone), mail.key) for mail in mails]
    times, limit = {}, now - LATEST
    for moment, key in sorted(wanted, reverse=True):
        times[key] = min(moment, limit)
        limit = times[key] - GAP if moment > limit else limit
    return times


def planned(mail: SeedMail, today: date, zone: ZoneInfo) -> datetime:
    """When a mail is meant to have come."""
    return datetime.combine(today - timedelta(days=mail.when.days_ago), mail.when.time, zone)


def stable_id(*parts: str) -> str:
    """A Gmail-like id that follows from a name."""
    return "19" + hashlib.sha256("/".join(parts).encode()).hexdigest()[:14]


@dataclass(frozen=True)
class Sower:
    """Writes a box into the mailbox, within one change of the world."""

    session: Session
    box: Box
    times: dict[str, datetime]
    setting: Setting

    def sow(self) -> None:
        """Write everything that is new, and move what nobody touched."""
        wanted = select(PlantedRow.key).where(col(PlantedRow.account) == SANDBOX_ACCOUNT)
        had = set(self.session.exec(wanted))
        self.labels(had)
        self.filters(had)
        for thread in self.threads():
            self.thread(thread, had)

    def remember(self, key: str) -> None:
        """Note that a seed was planted, so that it is not planted again after it was deleted."""
        self.session.add(PlantedRow(account=SANDBOX_ACCOUNT, key=key, day=str(self.setting.today)))

    def labels(self, had: set[str]) -> None:
        """The user's labels."""
        for number, label in enumerate(self.box.account.labels, 1):
            if f"label:{label.name}" not in had:
                row = LabelRow(account=SANDBOX_ACCOUNT, id=f"Label_{number}", name=label.name, color=label.color)
                self.session.merge(row)
                self.remember(f"label:{label.name}")

    def filters(self, had: set[str]) -> None:
        """The user's filters."""
        for rule in self.box.account.filters:
            if f"filter:{rule.key}" not in had:
                action = {name: self.label_ids(labels) for name, labels in rule.action.items()}
                own = f"ANe1Bm{stable_id('filter', rule.key)}"
                self.session.add(FilterRow(id=own, account=SANDBOX_ACCOUNT, criteria=rule.criteria, action=action))
                self.remember(f"filter:{rule.key}")

    def label_ids(self, names: Sequence[str]) -> list[str]:
        """Label ids by name; system labels in any case."""
        own = {name: label_id for label_id, name in mailbox.label_names(self.session, SANDBOX_ACCOUNT).items()}
        known = [name.upper() if name.upper() in mailbox.SYSTEM_LABELS else own.get(name) for name in names]
        return [label_id for label_id in known if label_id]

    def threads(self) -> list[list[SeedMail]]:
        """The mails by thread, each in order."""
        found: dict[str, list[SeedMail]] = {}
        for mail in sorted(self.box.mails.values(), key=lambda mail: self.times[mail.key]):
            found.setdefault([*self.box.chain(mail), mail][0].key, []).append(mail)
        return list(found.values())

    def thread(self, mails: list[SeedMail], had: set[str]) -> None:
        """Plant what is new of a thread; move the rest unless somebody touched any of it."""
        thread_id = stable_id(mails[0].key)
        present = select(MessageRow).where(col(MessageRow.thread_id) == thread_id)
        rows = {row.seed_key or row.id: row for row in self.session.exec(present)}
        untouched = not any(row.touched or row.seed_key is None for row in rows.values())
        for mail in mails:
            row = rows.get(mail.key)
            if mail.key not in had:
                self.plant(mail, thread_id)
            elif row is not None and untouched:
                self.move(mail, row)

    def raw(self, mail: SeedMail) -> bytes:
        """A mail's bytes for today."""
        return build(mail, self.box.chain(mail), self.times[mail.key], self.setting, SANDBOX_ACCOUNT)

    def milliseconds(self, mail: SeedMail) -> int:
        """When a mail came, in milliseconds since 1970."""
        return int(self.times[mail.key].timestamp() * 1000)

    def plant(self, mail: SeedMail, thread_id: str) -> None:
        """Store a mail that is new."""
        category = mail.category or ("" if {"sent", "draft"} & {*mail.labels} else "personal")
        names = [*mail.labels, f"CATEGORY_{category}"] if category else mail.labels
        own = stable_id(mail.key)
        mailbox.add(
            self.session,
            SANDBOX_ACCOUNT,
            self.raw(mail),
            self.label_ids(names),
            self.milliseconds(mail),
            message_id=own,
            thread_id=thread_id,
            seed_key=mail.key,
        )
        if "draft" in mail.labels:
            self.session.add(DraftRow(id=f"r{int(own, 16)}", account=SANDBOX_ACCOUNT, message_id=own))
        self.remember(mail.key)

    def move(self, mail: SeedMail, row: MessageRow) -> None:
        """Date a mail anew."""
        for name, value in columns(self.raw(mail)).items():
            setattr(row, name, value)
        row.internal_ms = self.milliseconds(mail)
