"""files.list: which files, in which order, page by page."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sqlmodel import select

from core.google.drive_query import Both, Compare, Either, Node, Not, QueryError, parse
from core.sandbox.calendar.pages import decode, encode
from core.sandbox.calls import ApiError, Call
from core.sandbox.drive.access import Access
from core.sandbox.drive.asking import access_of, forbidden, invalid, knows_shared_drives
from core.sandbox.drive.kinds import FOLDER
from core.sandbox.drive.match import Matcher, in_name
from core.sandbox.drive.natives import Natives
from core.sandbox.drive.resource import brief, resource
from core.sandbox.drive.tables import DriveFile, DriveView, SharedDrive

CORPORA = ("user", "domain", "drive", "allDrives")
ORDERS = (
    *("createdTime", "folder", "modifiedByMeTime", "modifiedTime", "name", "name_natural", "quotaBytesUsed", "recency"),
    *("sharedWithMeTime", "starred", "viewedByMeTime"),
)
Views = dict[str, DriveView]
Key = Callable[[DriveFile], Any]


def list_files(call: Call, natives: Natives) -> dict[str, Any]:
    """files.list."""
    node = query(call.arg("q"))
    orders = orders_of(call, node)
    check_corpora(call)
    with call.world.session() as session:
        access = access_of(session, call)
        files = [file for file in access.all() if in_corpus(file, access, call)]
        known = session.exec(select(DriveView).where(DriveView.account == call.account)).all()
        views: Views = {view.file_id: view for view in known}
        files = [file for file in files if opened(file, access, views)]
        matcher = Matcher(access, views)
        found = [file for file in files if node is None or matcher.holds(node, file)]
        rows, token = page(call, relevant(arranged(found, orders, access, views), searched_texts(node)))
        items = [resource(file, access, views.get(file.id), natives) for file in rows]
        if call.arg("driveId") and session.get(SharedDrive, call.arg("driveId")) is None:
            raise ApiError(404, "notFound", f"Shared drive not found: {call.arg('driveId')}")
    answer = {"kind": "drive#fileList", "incompleteSearch": False}
    answer |= {"files": items if call.arg("fields") else [brief(item) for item in items]}
    return {**answer, "nextPageToken": token} if token else answer


def query(text: str) -> Node | None:
    """The conditions of `q`.

    Raises:
        ApiError: 400; Drive does not say where.
    """
    try:
        return parse(text) if text.strip() else None
    except QueryError as error:
        raise invalid("Invalid Value", "parameter:q") from error


def check_corpora(call: Call) -> None:
    """Refuse parameters that contradict each other.

    Raises:
        ApiError: 400 or 403.
    """
    corpora, drive = call.arg("corpora", "user"), call.arg("driveId")
    if corpora not in CORPORA:
        raise invalid("Invalid Value", "parameter:corpora")
    if bool(drive) != (corpora == "drive"):
        message = "The driveId parameter must be specified if and only if corpora is set to drive."
        raise forbidden("teamDriveIdRequiresTeamDriveCorpora", message, "parameter:driveId")
    if with_shared_drives(call) and not knows_shared_drives(call):
        message = "The supportsAllDrives parameter must be set if includeItemsFromAllDrives is set."
        raise forbidden("teamDrivesNotSupported", message, "parameter:supportsAllDrives")
    if corpora in ("drive", "allDrives") and not with_shared_drives(call):
        message = (
            "The includeItemsFromAllDrives parameter must be set to true when driveId is specified or corpora contains "
            "drive or allDrives."
        )
        raise forbidden("includeTeamDriveItemsRequired", message, "parameter:includeItemsFromAllDrives")


def with_shared_drives(call: Call) -> bool:
    """Whether files of shared drives are asked for."""
    return call.flag("includeItemsFromAllDrives") or call.flag("includeTeamDriveItems")


def in_corpus(file: DriveFile, access: Access, call: Call) -> bool:
    """Whether a file is among those that are searched."""
    if file.parent is None or access.role(file) is None:
        return False
    if file.drive_id:
        return with_shared_drives(call) and call.arg("driveId", file.drive_id) == file.drive_id
    if call.arg("corpora") == "domain":
        return any(grant.kind == "domain" and grant.discoverable for grant, _, _ in access.grants(file))
    return call.arg("corpora") != "drive"


def opened(file: DriveFile, access: Access, views: Views) -> bool:
    """Whether a file is the account's, was shared with it, or was opened by it: a link alone lists nothing."""
    if file.drive_id or file.id in views:
        return True
    mine = [grant for grant, _, _ in access.grants(file) if access.reaches(grant)]
    return any(grant.kind in ("user", "group") or grant.discoverable for grant in mine)


def orders_of(call: Call, node: Node | None) -> list[tuple[str, bool]]:
    """The keys of `orderBy`, and whether each goes down.

    Raises:
        ApiError: 400 for an unknown key, 403 where a text is searched, which Drive orders itself.
    """
    found = []
    for part in filter(None, (one.strip() for one in call.arg("orderBy").split(","))):
        name, _, way = part.partition(" ")
        if name not in ORDERS or way.strip() not in ("", "asc", "desc"):
            raise invalid("Invalid Value", "parameter:orderBy")
        found.append((name, way.strip() == "desc"))
    if found and searched_texts(node):
        message = "Sorting is not supported for queries with fullText terms. Results are always in descending "
        raise forbidden("forbidden", f"{message}relevance order.", "parameter:orderBy")
    return found


def searched_texts(node: Node | None) -> list[str]:
    """What a query looks for in the files' text."""
    match node:
        case Both(left, right) | Either(left, right):
            return searched_texts(left) + searched_texts(right)
        case Not(part):
            return searched_texts(part)
        case Compare("fullText", _, value):
            return [str(value)]
    return []


def arranged(
    files: Sequence[DriveFile], orders: Sequence[tuple[str, bool]], access: Access, views: Views
) -> list[DriveFile]:
    """The files in order; without one, the last changed come first."""
    rows = sorted(files, key=lambda file: (file.modified, file.id), reverse=True)
    for name, down in reversed(orders):
        rows.sort(key=partial(order_key, name, access, views), reverse=down)
    return rows


def relevant(files: list[DriveFile], texts: Sequence[str]) -> list[DriveFile]:
    """The files with those first whose names hold what is looked for."""
    return sorted(files, key=lambda file: not any(in_name(file.name, text) for text in texts)) if texts else files


def order_key(name: str, access: Access, views: Views, file: DriveFile) -> Any:
    """What a file is ordered by."""
    view = views.get(file.id)
    keys: dict[str, Key] = {
        "folder": lambda file: file.mime_type != FOLDER,
        "name": lambda file: file.name.lower(),
        "name_natural": lambda file: [
            (part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", file.name.lower())
        ],
        "createdTime": lambda file: file.created,
        "quotaBytesUsed": lambda file: file.size,
        "starred": lambda _: not (view and view.starred),
        "viewedByMeTime": lambda _: view.viewed if view else "",
        "modifiedByMeTime": lambda file: file.modified if file.modified_by == access.account else "",
        "sharedWithMeTime": lambda file: (file.shared_at.get(access.account) or [""])[0],
        "recency": lambda file: max(file.modified, view.viewed if view else ""),
        "modifiedTime": lambda file: file.modified,
    }
    return keys[name](file)


def page(call: Call, items: Sequence[DriveFile]) -> tuple[Sequence[DriveFile], str | None]:
    """The page that a call asks for, and the token of the next one.

    Raises:
        ApiError: 400 for a token that is none, or a size that is none.
    """
    size = call.number("pageSize", 100, 1000)
    start = decode("files", call.arg("pageToken")) if call.arg("pageToken") else 0
    if start is None:
        raise invalid("Invalid Value", "parameter:pageToken")
    if size < 1:
        raise invalid(f"Invalid value '{size}'. Values must be within the range: [1, 1000]", "parameter:pageSize")
    end = start + size
    return items[start:end], encode("files", end) if end < len(items) else None
