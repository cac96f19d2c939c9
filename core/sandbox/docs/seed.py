"""The persona's documents at the start: read from data/sandbox/docs, dated around today."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict

from core.datafile import read_data
from core.sandbox.docs.apply import apply
from core.sandbox.docs.blocks import Block, Grid, Paragraph, Run, write
from core.sandbox.docs.imports import from_markdown
from core.sandbox.docs.model import Document, Tab, name_headings
from core.sandbox.docs.native import NATIVE, keep
from core.sandbox.docs.units import Json
from core.sandbox.drive import shelf
from core.sandbox.drive.kinds import DOCUMENT, SPREADSHEET, view_link
from core.sandbox.gmail.seed_mail import Setting
from core.sandbox.world import World
from core.settings import ROOT

FILES = ROOT / "data" / "sandbox" / "docs"
HOME = "lumenworks.example"
CHIPS = ("person:", "date:", "doc:", "sheet:")
"""Links of these kinds become chips: to somebody, to a day (days from today), to a seeded file."""


class PlannedTab(BaseModel):
    """A tab of a seeded document; its text is `<file>.md`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    file: str
    icon: str = ""
    tabs: list["PlannedTab"] = []


class Planned(BaseModel):
    """A seeded document.

    Attributes:
        key: of the seed; its text is `<key>.md` unless it has tabs.
        folder: seed key of its folder, empty for My Drive.
        owner: short name of who made it.
        days_ago: when it was last changed.
        share: short name, domain, address or `anyone` → role.
        requests: carried out at last, as batchUpdate would.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    key: str
    name: str
    folder: str = ""
    owner: str = "sam"
    days_ago: int
    share: dict[str, str] = {}
    starred: bool = False
    header: str = ""
    footer: str = ""
    tabs: list[PlannedTab] = []
    requests: list[dict[str, Any]] = []


def seed(world: World, today: date) -> None:
    """Bring the seeded documents up to a day; those that somebody has changed stay as they are."""
    setting = Setting({}, {}, today, ZoneInfo(world.zone))
    plans = read_data(FILES / "documents.yaml")
    with world.change() as session:
        for plan in map(Planned.model_validate, setting.filled(plans)):
            when = datetime.combine(today - timedelta(days=plan.days_ago), time(14, 20), UTC)
            file = shelf.add_native(
                session,
                address(plan.owner),
                plan.name,
                NATIVE.mime_type,
                parent=shelf.seed_id(plan.folder) if plan.folder else "root",
                seed_key=plan.key,
                when=when,
                created=when - timedelta(days=30),
                share={address(who): role for who, role in plan.share.items()},
                starred=plan.starred,
            )
            if not file.touched and not file.deleted:
                keep(session, file.id, document(plan, setting))


def address(who: str) -> str:
    """A colleague's address by their short name; domains, addresses and `anyone` are themselves."""
    return who if "." in who or who == "anyone" else f"{who}@{HOME}"


def document(plan: Planned, setting: Setting) -> Document:
    """What a planned document holds."""
    made = Document([])
    for number, tab in enumerate(plan.tabs or [PlannedTab(title="Tab 1", file=plan.key)]):
        add_tab(made, tab, "", f"t.{number}" if number == 0 else "", setting)
    if plan.header or plan.footer:
        for kind, text in (("Header", plan.header), ("Footer", plan.footer)):
            add_part(made, kind, text)
    if plan.requests:
        apply(made, plan.requests)
    name_headings(made)
    return made


def add_tab(made: Document, plan: PlannedTab, parent: str, tab_id: str, setting: Setting) -> None:
    """A tab, and those below it."""
    tab = Tab(tab_id or made.new_id("t."), plan.title, parent, plan.icon)
    made.tabs.append(tab)
    text = setting.fill((FILES / f"{plan.file}.md").read_text(encoding="utf-8"))
    write(made, tab, titled(with_chips(made, from_markdown(text.encode()), setting.today)))
    for below in plan.tabs:
        add_tab(made, below, tab.id, "", setting)


def titled(blocks: Sequence[Block]) -> list[Block]:
    """Blocks whose first heading is the document's title."""
    first, *rest = blocks
    if isinstance(first, Paragraph) and first.heading == 1:
        first = replace(first, named="TITLE")
    return [first, *rest]


def with_chips(made: Document, blocks: Sequence[Block], today: date) -> list[Block]:
    """Blocks with chips in the place of links to people, days and files."""
    found: list[Block] = []
    for block in blocks:
        if isinstance(block, Grid):
            found.append(Grid([[with_chips(made, cell, today) for cell in row] for row in block.rows]))
        else:
            found.append(replace(block, runs=list(chipped(made, block.runs, today))))
    return found


def chipped(made: Document, runs: Sequence[Run], today: date) -> Iterator[Run]:
    """Runs with chips."""
    for run in runs:
        url = str(run.style.get("link", {}).get("url", ""))
        if url.startswith(CHIPS):
            kind, target = url.split(":", 1)
            yield Run(run.text, {}, chip(made.new_id("kix."), kind, target, run.text, today))
        else:
            yield run


def chip(chip_id: str, kind: str, target: str, text: str, today: date) -> Json:
    """The element of a chip."""
    if kind == "person":
        properties = {"name": text, "email": target if "@" in target else address(target)}
        return {"person": {"personId": chip_id, "personProperties": properties}}
    if kind == "date":
        moment = f"{today + timedelta(days=int(target))}T12:00:00Z"
        shown = {"timestamp": moment, "locale": "en", "dateFormat": "DATE_FORMAT_MONTH_DAY_FULL", "displayText": text}
        return {"dateElement": {"dateId": chip_id, "dateElementProperties": shown}}
    mime_type = DOCUMENT if kind == "doc" else SPREADSHEET
    link = {"title": text, "uri": view_link(shelf.seed_id(target), mime_type), "mimeType": mime_type}
    return {"richLink": {"richLinkId": chip_id, "richLinkProperties": link}}


def add_part(made: Document, kind: str, text: str) -> None:
    """A header or footer with a text."""
    if not text:
        return
    ((reply),) = apply(made, [{f"create{kind}": {"type": "DEFAULT"}}])
    part = reply[f"create{kind}"][f"{kind.lower()}Id"]
    apply(made, [{"insertText": {"endOfSegmentLocation": {"segmentId": part}, "text": text}}])
