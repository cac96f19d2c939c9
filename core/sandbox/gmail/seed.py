"""The seed world's mail: written once, moved along with the days, and left alone where the user changed it."""

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, select

from core.sandbox.gmail import mailbox
from core.sandbox.gmail.index import columns
from core.sandbox.gmail.labels import free_id
from core.sandbox.gmail.seed_box import Box, planned, read, schedule, seed_texts, setting
from core.sandbox.gmail.seed_mail import SeedMail, Setting
from core.sandbox.gmail.seed_mime import build
from core.sandbox.gmail.tables import DraftRow, FilterRow, LabelRow, MessageRow, PlantedRow
from core.sandbox.transport import utc_now
from core.sandbox.world import World
from core.users import SANDBOX_ACCOUNT

MARK = "*"


def seed(world: World, today: date, now: Callable[[], datetime] = utc_now) -> None:
    """Bring the persona's mailbox up to a day; doing it again, or in two processes at once, changes nothing.

    A mail that the user or another mail of its thread touched stays as it is; one that was deleted stays away.
    """
    texts = seed_texts()
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
        threads = self.threads()
        rows = self.planted(threads)
        for thread_id, mails in threads.items():
            self.thread(thread_id, mails, rows[thread_id], had)

    def planted(self, thread_ids: Collection[str]) -> dict[str, dict[str, MessageRow]]:
        """What stands in the mailbox of the seeds' threads: by thread, then by seed or own id."""
        present = select(MessageRow).where(col(MessageRow.thread_id).in_(thread_ids))
        found: dict[str, dict[str, MessageRow]] = {thread_id: {} for thread_id in thread_ids}
        for row in self.session.exec(present):
            found[row.thread_id][row.seed_key or row.id] = row
        return found

    def remember(self, key: str) -> None:
        """Note that a seed was planted, so that it is not planted again after it was deleted."""
        self.session.add(PlantedRow(account=SANDBOX_ACCOUNT, key=key, day=str(self.setting.today)))

    def labels(self, had: set[str]) -> None:
        """The user's labels."""
        taken = {*mailbox.label_names(self.session, SANDBOX_ACCOUNT).values()}
        for label in self.box.account.labels:
            if f"label:{label.name}" not in had:
                self.remember(f"label:{label.name}")
            if f"label:{label.name}" not in had and label.name not in taken:
                own = free_id(self.session, SANDBOX_ACCOUNT)
                self.session.add(LabelRow(account=SANDBOX_ACCOUNT, id=own, name=label.name, color=label.color))

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
        known = [name.upper() if name.upper() in mailbox.SYSTEM_LABELS else self.own_labels.get(name) for name in names]
        return [label_id for label_id in known if label_id]

    @cached_property
    def own_labels(self) -> dict[str, str]:
        """The ids of the user's labels by name, once the seed's are there."""
        return {name: label_id for label_id, name in mailbox.label_names(self.session, SANDBOX_ACCOUNT).items()}

    def threads(self) -> dict[str, list[SeedMail]]:
        """The mails by thread id, each in order."""
        found: dict[str, list[SeedMail]] = {}
        for mail in sorted(self.box.mails.values(), key=lambda mail: self.times[mail.key]):
            found.setdefault(stable_id([*self.box.chain(mail), mail][0].key), []).append(mail)
        return found

    def thread(self, thread_id: str, mails: list[SeedMail], rows: dict[str, MessageRow], had: set[str]) -> None:
        """Plant what is new of a thread; move the rest unless somebody touched any of it."""
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
