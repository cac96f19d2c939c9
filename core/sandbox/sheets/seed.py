"""The persona's spreadsheets at the start: read from data/sandbox/sheets, dated around today."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from itertools import product
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict
from sqlmodel import Session

from core.a1 import read_area
from core.datafile import read_data
from core.sandbox.drive import shelf
from core.sandbox.drive.kinds import SPREADSHEET
from core.sandbox.drive.tables import DriveFile
from core.sandbox.gmail.seed_mail import Setting
from core.sandbox.sheets.book import COLUMNS, ROWS, Book, Sheet
from core.sandbox.sheets.looks import color_of
from core.sandbox.sheets.native import keep
from core.sandbox.sheets.numbers import kind
from core.sandbox.sheets.resource import grid_range
from core.sandbox.sheets.tables import BookRow
from core.sandbox.sheets.writer import Writer
from core.sandbox.world import World
from core.settings import ROOT

FILES = ROOT / "data" / "sandbox" / "sheets"
HOME = "lumenworks.example"
STEPS = (25, 50, 75, 100)
FULL = 824
"""Lux of a lamp at full power."""


Row = list[str | int | float | bool | None]


class Strict(BaseModel):
    """Base of what is read from the seed files."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Look(Strict):
    """How an area looks: a range, and what somebody chose for it."""

    range: str
    bold: bool = False
    fill: str = ""
    pattern: str = ""


class Rule(Strict):
    """A conditional format: a condition with its values and the fill where it holds, or a gradient of two fills."""

    range: str
    condition: str = ""
    values: list[str] = []
    fill: str = ""
    gradient: tuple[str, str] | None = None


class PlannedSheet(Strict):
    """A sheet: its rows as a person would type them, or `measured`: that many rows of measurements below them."""

    title: str
    rows: list[Row] = []
    measured: int = 0
    frozen: int = 0
    looks: list[Look] = []
    rules: list[Rule] = []


class Planned(Strict):
    """A seeded spreadsheet; owner and shares are short names, addresses, domains or `anyone`."""

    key: str
    name: str
    folder: str = ""
    owner: str = "sam"
    days_ago: int
    share: dict[str, str] = {}
    starred: bool = False
    sheets: list[PlannedSheet]


def seed(world: World, today: date) -> None:
    """Bring the seeded spreadsheets up to a day; those that somebody has changed stay as they are."""
    setting = Setting({}, {}, today, ZoneInfo(world.zone))
    plans = setting.filled(read_data(FILES / "spreadsheets.yaml"))
    with world.change() as session:
        for plan in map(Planned.model_validate, plans):
            file = filed(session, plan, today)
            mark = sha256(plan.model_dump_json().encode()).hexdigest()
            known = session.get(BookRow, file.id)
            if file.touched or file.deleted or (known is not None and known.mark == mark):
                continue
            keep(session, file.id, laid_out(plan, today), mark)


def filed(session: Session, plan: Planned, today: date) -> DriveFile:
    """The Drive file of a planned spreadsheet."""
    when = datetime.combine(today - timedelta(days=plan.days_ago), time(13, 5), UTC)
    return shelf.add_native(
        session,
        address(plan.owner),
        plan.name,
        SPREADSHEET,
        parent=shelf.seed_id(plan.folder) if plan.folder else "root",
        seed_key=plan.key,
        when=when,
        created=when - timedelta(days=40),
        share={address(who): role for who, role in plan.share.items()},
        starred=plan.starred,
    )


def address(who: str) -> str:
    """A colleague's address by their short name; domains, addresses and `anyone` are themselves."""
    return who if "." in who or who == "anyone" else f"{who}@{HOME}"


def laid_out(plan: Planned, today: date) -> Book:
    """What a planned spreadsheet holds; sheets are made first, so that formulas may name any."""
    book = Book.empty()
    book.rename(book.sheets[0], plan.sheets[0].title)
    for number, planned in enumerate(plan.sheets[1:], 1):
        book.add(planned.title, 1000 + number)
    for planned, sheet in zip(plan.sheets, book.sheets, strict=True):
        fill(book, sheet, planned, today)
    book.engine.evaluate()
    return book


def fill(book: Book, sheet: Sheet, plan: PlannedSheet, today: date) -> None:
    """Lay out one sheet."""
    rows: list[Row] = [*plan.rows, *measurements(plan.measured, today)]
    sheet.rows, sheet.columns = max(ROWS, len(rows)), COLUMNS
    sheet.more = {"gridProperties": {"frozenRowCount": plan.frozen}} if plan.frozen else {}
    writer = Writer.on(book, sheet, today)
    for number, row in enumerate(rows):
        for column, value in enumerate(row):
            writer.put(number, column, value, typed=True)
    for look in plan.looks:
        area = read_area(look.range).within(len(rows), sheet.columns)
        for at in product(range(area.top, area.bottom or 0), range(area.left, area.right or 0)):
            writer.dress(*at, {**writer.look(*at), **worn(look)})
    sheet.rules = [rule(sheet, one) for one in plan.rules]


def worn(look: Look) -> dict[str, Any]:
    """A look as CellFormat."""
    chosen: dict[str, Any] = {}
    if look.bold:
        chosen["textFormat"] = {"bold": True}
    if look.fill:
        chosen["backgroundColor"] = color_of(look.fill)
    if look.pattern:
        chosen["numberFormat"] = {"type": kind(look.pattern), "pattern": look.pattern}
    return chosen


def rule(sheet: Sheet, plan: Rule) -> dict[str, Any]:
    """A conditional format as the API keeps it."""
    ranges = [grid_range(sheet, read_area(plan.range).within(sheet.rows, sheet.columns))]
    if plan.gradient:
        low, high = ({"color": color_of(text), "colorStyle": {"rgbColor": color_of(text)}} for text in plan.gradient)
        return {
            "ranges": ranges,
            "gradientRule": {"minpoint": {**low, "type": "MIN"}, "maxpoint": {**high, "type": "MAX"}},
        }
    condition: dict[str, Any] = {"type": plan.condition}
    if plan.values:
        condition["values"] = [{"userEnteredValue": value} for value in plan.values]
    color = color_of(plan.fill)
    shade = {"backgroundColor": color, "backgroundColorStyle": {"rgbColor": color}}
    return {"ranges": ranges, "booleanRule": {"condition": condition, "format": shade}}


def measurements(count: int, today: date) -> Iterator[Row]:
    """Measured light of the pilot's lamps, the same each time: time, lamp, step in %, expected and measured lux."""
    chance, began = Random("northgrid"), datetime.combine(today - timedelta(days=20), time(8))
    for number in range(count):
        step = STEPS[number % len(STEPS)]
        expected = FULL * step // 100
        moment = began + timedelta(minutes=10 * number)
        drop = 0.91 if step == 50 and number % 5 == 0 else 1.0
        lux = round(expected * drop * chance.uniform(0.985, 1.01), 1)
        yield [
            f"{moment:%Y-%m-%d %H:%M}",
            f"NG-{number % 160 + 1:03d}",
            step,
            expected,
            lux,
            f"=E{number + 2}/D{number + 2}",
        ]
