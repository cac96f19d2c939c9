"""Names in the place of the ids in a call: of files, folders, people who have access, events and labels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from googleapiclient.http import HttpRequest

from core.errors import GlassdeskError
from core.google.clients import Google, GoogleClients
from core.google.errors import GoogleError
from core.registry.manifests import Catalogue
from core.runtime.summaries import summary_of

Json = Mapping[str, Any]
MY_DRIVE = "root"
NO_NAME = "“without a name”"


@dataclass(frozen=True)
class Thing:
    """What an argument may name.

    Attributes:
        api: where it is looked up; one batch an API.
        request: asks for one, by the call's arguments and its id.
        words: says it, of Google's answer.
    """

    api: str
    request: Callable[[Google, Json, str], HttpRequest]
    words: Callable[[Json], str | None]


def quoted(key: str) -> Callable[[Json], str | None]:
    """The value of a field, in quotation marks."""
    return lambda found: f"“{found[key]}”" if found.get(key) else NO_NAME


def file(google: Google, _: Json, file_id: str) -> HttpRequest:
    """A file or folder, or a shared drive by its root."""
    return google.resource("drive.files").get(fileId=file_id, fields="name", supportsAllDrives=True)


def access(google: Google, given: Json, permission_id: str) -> HttpRequest:
    """Who has access to a file."""
    permissions, fields = google.resource("drive.permissions"), "emailAddress,domain,type"
    return permissions.get(fileId=given["file_id"], permissionId=permission_id, fields=fields, supportsAllDrives=True)


def holder(found: Json) -> str | None:
    """Whoever has that access."""
    return found.get("emailAddress") or found.get("domain") or ("anybody with the link" if found else None)


def event(google: Google, given: Json, event_id: str) -> HttpRequest:
    """An event."""
    return google.resource("calendar.events").get(calendarId=given.get("calendar_id") or "primary", eventId=event_id)


def label(google: Google, _: Json, label_id: str) -> HttpRequest:
    """A label of mails."""
    return google.resource("gmail.users.labels").get(userId="me", id=label_id)


FILE = Thing("drive", file, quoted("name"))
FILE_IDS = ("file_id", "document_id", "spreadsheet_id", "presentation_id")
THINGS: Mapping[str, Thing] = {
    **dict.fromkeys((*FILE_IDS, "folder_id", "parent_folder_id", "add_parents", "remove_parents"), FILE),
    "permission_id": Thing("drive", access, holder),
    "event_id": Thing("calendar", event, quoted("summary")),
    "label_id": Thing("gmail", label, lambda found: found.get("name")),
}
"""Argument → what it names; where a template has its own quotation marks, the words have none."""


def names_in(google: Google, arguments: Json) -> dict[str, str]:
    """Argument → name, for each id among the arguments that is found; blocks while Google is asked."""
    given = {key: value for key, value in arguments.items() if key in THINGS and value and isinstance(value, str)}
    asked = {key: value for key, value in given.items() if value != MY_DRIVE}
    found = dict.fromkeys(given.keys() - asked.keys(), "My Drive")
    for api in sorted({THINGS[key].api for key in asked}):
        found |= looked_up(google, arguments, {key: value for key, value in asked.items() if THINGS[key].api == api})
    return found


def looked_up(google: Google, arguments: Json, ids: Mapping[str, str]) -> dict[str, str]:
    """The names of things of one API, all asked for at once; several ids in one argument are parted by commas."""
    parts = {(key, one.strip()): THINGS[key] for key, value in ids.items() for one in value.split(",") if one.strip()}
    try:
        requests = {f"{key} {one}": thing.request(google, arguments, one) for (key, one), thing in parts.items()}
        answers = google.batch(requests)
    except (GlassdeskError, KeyError, TypeError):
        return {}
    said: dict[str, list[str]] = {}
    for (key, one), thing in parts.items():
        answer = answers[f"{key} {one}"]
        said.setdefault(key, []).append((None if isinstance(answer, GoogleError) else thing.words(answer)) or one)
    return {key: ", ".join(words) for key, words in said.items()}


@dataclass(frozen=True)
class Sentences:
    """What calls will do, told with names."""

    catalogue: Catalogue
    clients: GoogleClients

    def say(self, user_id: str, account: str, tool: str, arguments: Json) -> str:
        """One plain sentence; an id whose name cannot be had stays."""
        try:
            names = names_in(self.clients.for_account(account, user_id), arguments)
        except GlassdeskError:
            names = {}
        return summary_of(self.catalogue, tool, {**arguments, **names})
