"""What the seed of Drive says: people, shared drives, folders and files."""

from datetime import date, datetime, time, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from core.datafile import read_data
from core.settings import ROOT

HOUR = time(9, 20)
FILES = ROOT / "data" / "sandbox" / "drive"


class Person(BaseModel):
    """Somebody, or a group with its members' keys."""

    model_config = ConfigDict(extra="forbid")

    email: str
    name: str
    members: list[str] = []


class Drive(BaseModel):
    """A shared drive, with the role of each member."""

    model_config = ConfigDict(extra="forbid")

    name: str
    members: dict[str, str]


class People(BaseModel):
    """Everybody, the groups, and the shared drives."""

    model_config = ConfigDict(extra="forbid")

    people: dict[str, Person]
    groups: dict[str, Person]
    drives: dict[str, Drive]

    def address(self, key: str) -> str:
        """An address by its key; `anyone` and domains stay."""
        known = self.people.get(key) or self.groups.get(key)
        return known.email if known else key


class Planned(BaseModel):
    """A file or folder of the seed."""

    model_config = ConfigDict(extra="forbid")

    key: str
    name: str
    kind: Literal["folder", "shortcut", "pdf", "text", "markdown", "csv", "png", "zip", "docx", "xlsx"]
    place: str = Field(alias="in")
    ago: int
    owner: str = "sam"
    share: dict[str, str] = {}
    starred: bool = False
    viewed: int | None = None
    trashed: int | None = None
    description: str = ""
    to: str = ""
    text: str = ""
    color: str = "#ffffff"
    rows: dict[str, list[list[str | float]]] = {}
    files: dict[str, str] = {}

    def searchable(self) -> str:
        """What a search finds in it: its text, or its tables; a picture's words are none."""
        cells = [str(cell) for rows in self.rows.values() for row in rows for cell in row]
        return "" if self.kind == "png" else " ".join([self.text, *self.rows, *cells])


def read(name: str) -> Any:
    """A seed file."""
    return read_data(FILES / f"{name}.yaml")


def moment(today: date, ago: int, zone: ZoneInfo) -> datetime:
    """A time so many days ago; today's is early, so that it has passed."""
    at = HOUR if ago else time(6, 58)
    return datetime.combine(today - timedelta(days=ago), at, zone)
