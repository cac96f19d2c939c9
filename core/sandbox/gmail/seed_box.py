"""The seed files read and checked, and when each of their mails came."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import Field, TypeAdapter

from core.datafile import data_of
from core.sandbox.gmail.seed_mail import SeedMail, Setting, Strict
from core.settings import ROOT

FOLDER = ROOT / "data" / "sandbox" / "mail"
LATEST, GAP = timedelta(minutes=2), timedelta(minutes=4)


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


def seed_texts() -> dict[str, bytes]:
    """The seed files by name."""
    return {path.name: path.read_bytes() for path in sorted(FOLDER.glob("*.yaml"))}


def read(texts: dict[str, bytes]) -> Box:
    """The seed files' content, checked."""
    loaded = {name: data_of(text) for name, text in texts.items()}
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
