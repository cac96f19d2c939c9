"""The persona's presentations at the start: read from data/sandbox/slides, dated around today."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict

from core.datafile import read_data
from core.sandbox.docs.seed import address
from core.sandbox.drive import shelf
from core.sandbox.gmail.seed_mail import Setting
from core.sandbox.slides.native import NATIVE, keep
from core.sandbox.slides.outline import Outline, written
from core.sandbox.world import World
from core.settings import ROOT

FILE = ROOT / "data" / "sandbox" / "slides" / "decks.yaml"


class Planned(BaseModel):
    """A seeded presentation.

    Attributes:
        key: of the seed.
        folder: seed key of its folder, empty for My Drive.
        owner: short name of who made it.
        days_ago: when it was last changed.
        share: short name, domain, address or `anyone` → role.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    name: str
    folder: str = ""
    owner: str = "sam"
    days_ago: int
    share: dict[str, str] = {}
    starred: bool = False
    slides: list[Outline]


def seed(world: World, today: date) -> None:
    """Bring the seeded presentations up to a day; those that somebody has changed stay as they are."""
    setting = Setting({}, {}, today, ZoneInfo(world.zone))
    plans = read_data(FILE)
    with world.change() as session:
        for plan in map(Planned.model_validate, setting.filled(plans)):
            when = datetime.combine(today - timedelta(days=plan.days_ago), time(15, 5), UTC)
            file = shelf.add_native(
                session,
                address(plan.owner),
                plan.name,
                NATIVE.mime_type,
                parent=shelf.seed_id(plan.folder) if plan.folder else "root",
                seed_key=plan.key,
                when=when,
                created=when - timedelta(days=21),
                share={address(who): role for who, role in plan.share.items()},
                starred=plan.starred,
            )
            if not file.touched and not file.deleted:
                keep(session, file.id, written(plan.slides))
