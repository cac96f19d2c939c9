"""Which files a query means."""

import operator
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from dateutil.parser import isoparse

from core.google.drive_query import Both, Compare, Either, Has, Node, Not
from core.sandbox.drive.access import ROLES, Access
from core.sandbox.drive.kinds import root_id, stamp
from core.sandbox.drive.tables import DriveFile, DriveView
from core.sandbox.gmail.words import needles, normal, row, words

COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Matcher:
    """Tells for each file whether a query means it.

    Args:
        access: the account that asks; all files read.
        views: what the account has noted of files, by their ids.
    """

    def __init__(self, access: Access, views: Mapping[str, DriveView]) -> None:
        self._access, self._views = access, views

    def holds(self, node: Node, file: DriveFile) -> bool:
        """Whether a condition holds for a file."""
        match node:
            case Both(left, right):
                return self.holds(left, file) and self.holds(right, file)
            case Either(left, right):
                return self.holds(left, file) or self.holds(right, file)
            case Not(part):
                return not self.holds(part, file)
            case Has(field, key, value):
                return bool(getattr(file, PROPERTIES[field]).get(key) == value)
        return self._compared(node, file)

    def _compared(self, node: Compare, file: DriveFile) -> bool:
        value = node.value
        match node.field:
            case "parents":
                return file.parent == (root_id(self._access.account) if value == "root" else value)
            case "owners" | "writers" | "readers":
                return self._has_role(file, node.field, str(value).lower())
            case "name":
                return in_name(file.name, str(value)) if node.operator == "contains" else same(node, file.name.lower())
            case "fullText":
                return in_text(row([file.name, file.description]) + file.words, str(value))
            case "mimeType":
                found = file.mime_type.startswith(str(value))
                return found if node.operator == "contains" else same(node, file.mime_type)
            case "modifiedTime" | "createdTime" | "viewedByMeTime" | "sharedWithMeTime":
                when = self._time(node.field, file)
                return bool(when) and COMPARE[node.operator](when, utc(str(value)))
        return COMPARE[node.operator](self._plain(node.field, file), value)

    def _plain(self, field: str, file: DriveFile) -> object:
        match field:
            case "trashed":
                return self._access.in_trash(file)
            case "starred":
                return file.id in self._views and self._views[file.id].starred
            case "sharedWithMe":
                return shared_with(self._access, file)
            case "visibility":
                return visibility(self._access, file)
        return file.shortcut_to or ""

    def _time(self, field: str, file: DriveFile) -> str:
        match field:
            case "modifiedTime":
                return file.modified
            case "createdTime":
                return file.created
            case "viewedByMeTime":
                return self._views[file.id].viewed if file.id in self._views else ""
        return (file.shared_at.get(self._access.account) or [""])[0]

    def _has_role(self, file: DriveFile, field: str, who: str) -> bool:
        who = self._access.account if who == "me" else who
        least = {"owners": "owner", "writers": "writer", "readers": "reader"}[field]
        grants = self._access.grants(file)
        return any(grant.who == who and ROLES.index(role) >= ROLES.index(least) for grant, role, _ in grants)


PROPERTIES = {"properties": "properties", "appProperties": "app_properties"}


def same(node: Compare, value: str) -> bool:
    """Whether a text equals the one asked for, whatever its case, or does not."""
    return COMPARE[node.operator](value.lower(), str(node.value).lower())


def in_name(name: str, text: str) -> bool:
    """Whether each word of a text begins a word of a name; words of unspaced scripts are found anywhere."""
    known, flat = words(name), normal(name)
    wanted = words(text)
    if not wanted:
        return normal(text).strip() in flat
    return all(any(one.startswith(part) for one in known) or (not part.isascii() and part in flat) for part in wanted)


def in_text(text: str, wanted: str) -> bool:
    """Whether a row of words holds all words of a text, and what is in double quotes as it stands."""
    phrases = re.findall(r'"([^"]*)"', wanted)
    loose = re.sub(r'"[^"]*"', " ", wanted).replace('"', " ").split()
    return all(needle in text for part in [*phrases, *loose] for needle in needles(part))


def shared_with(access: Access, file: DriveFile) -> bool:
    """Whether somebody shared exactly this file with the account, rather than a folder above it."""
    own = [grant for grant in access.own_grants(file.id) if grant.role != "owner" and access.reaches(grant)]
    return file.drive_id is None and file.parent is not None and any(grant.kind in ("user", "group") for grant in own)


def visibility(access: Access, file: DriveFile) -> str:
    """How widely a file is open."""
    found = {(grant.kind, grant.discoverable) for grant, _, _ in access.grants(file)}
    for kind in ("anyone", "domain"):
        for discoverable, name in ((True, "CanFind"), (False, "WithLink")):
            if (kind, discoverable) in found:
                return kind + name
    return "limited"


def utc(text: str) -> str:
    """A moment of a query as Drive stores it; without an offset it is UTC."""
    when: datetime = isoparse(text)
    return stamp(when if when.tzinfo else when.replace(tzinfo=UTC))
