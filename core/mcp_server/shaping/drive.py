"""Drive's files and permissions as results show them."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from core.google.drive_query import FIELDS, Both, Compare, Either, Node, Not, QueryError, parse, quoted
from core.mcp_server.desk import BadArgument
from core.mcp_server.results_drive import FileItem, Grant
from core.mcp_server.shaping.text import plain_name
from core.mcp_server.shaping.times import show

Json = dict[str, Any]
GOOGLE = "application/vnd.google-apps."
DOCUMENT, SHEET, SLIDES = f"{GOOGLE}document", f"{GOOGLE}spreadsheet", f"{GOOGLE}presentation"
FOLDER, SHORTCUT = f"{GOOGLE}folder", f"{GOOGLE}shortcut"
OFFICE = "application/vnd.openxmlformats-officedocument."
KINDS = {
    "application/pdf": "pdf",
    "application/zip": "archive",
    f"{OFFICE}wordprocessingml.document": "word document",
    f"{OFFICE}spreadsheetml.sheet": "excel workbook",
    f"{OFFICE}presentationml.presentation": "powerpoint presentation",
}
ITEM_FIELDS = (
    "id,name,mimeType,modifiedTime,size,owners(displayName,emailAddress),shared,starred,trashed,webViewLink,parents,"
    "driveId,shortcutDetails(targetId,targetMimeType)"
)
GRANT_FIELDS = "id,type,role,emailAddress,domain,displayName,expirationTime,allowFileDiscovery,permissionDetails"
ACCESS_FIELDS = f"{ITEM_FIELDS},writersCanShare,copyRequiresWriterPermission,webContentLink,permissions({GRANT_FIELDS})"
LOOKS_LIKE_QUERY = re.compile(
    rf"\b(?:{'|'.join(map(re.escape, FIELDS))}|title|modifiedDate)\b\s*(?:<=|>=|!=|=|<|>|(?:contains|has|in|like)\b)"
    r"|'\s+in\s+\w+",
)
ROLE_WORDS = {
    "reader": "can view",
    "commenter": "can comment",
    "writer": "can edit",
    "fileOrganizer": "can edit and move",
    "organizer": "manages the drive",
    "owner": "owns it",
}


def item(file: Json, zone: ZoneInfo) -> FileItem:
    """A file."""
    owner: Json = next(iter(file.get("owners", [])), {})
    return FileItem(
        file_id=file["id"],
        name=plain_name(file["name"]),
        kind=kind_of(file["mimeType"]),
        mime_type=file["mimeType"],
        modified=show(datetime.fromisoformat(file["modifiedTime"]), zone),
        owner=owner.get("displayName") or owner.get("emailAddress"),
        shared=True if file.get("driveId") else file.get("shared"),
        starred=bool(file.get("starred")),
        trashed=bool(file.get("trashed")),
        size=int(file["size"]) if file.get("size") else None,
        folder_id=next(iter(file.get("parents", [])), None),
        drive_id=file.get("driveId"),
        target_id=file.get("shortcutDetails", {}).get("targetId"),
        link=file.get("webViewLink") or f"https://drive.google.com/open?id={file['id']}",
    )


def kind_of(mime_type: str) -> str:
    """A type in a word."""
    if mime_type.startswith(GOOGLE):
        return mime_type.removeprefix(GOOGLE)
    return KINDS.get(mime_type) or (mime_type.split("/")[0] if "/" in mime_type else "file").replace(
        "application", "file"
    )


def grant(one: Json, zone: ZoneInfo) -> Grant:
    """A permission."""
    kind, ends = one["type"], one.get("expirationTime")
    details = one.get("permissionDetails", [])
    findable = " who searches for it" if one.get("allowFileDiscovery") else " with the link"
    return Grant(
        permission_id=one["id"],
        kind=kind,
        who={"anyone": f"anyone{findable}", "domain": one.get("domain", "")}.get(kind) or one.get("emailAddress", ""),
        name=one.get("displayName") if kind in ("user", "group") else None,
        role=one["role"],
        expires=show(datetime.fromisoformat(ends), zone) if ends else None,
        inherited=bool(details) and all(detail.get("inherited") for detail in details),
    )


def summary(grants: Iterable[Grant] | None, name: str) -> str:
    """Who may see a file, in a sentence."""
    if grants is None:
        return f"This account may open {name} but is not told who else may."
    lines = [f"{one.name or one.who} ({ROLE_WORDS[one.role]}{', until ' + one.expires if one.expires else ''})"
             for one in grants]  # fmt: skip
    return f"{name}: " + "; ".join(lines) + "."


def search_query(text: str) -> str:
    """What Drive is asked for a search: its own query language is taken as it is, other words are looked for.

    Raises:
        BadArgument: the text is meant as a query but does not parse; says where.
    """
    text = text.strip()
    if not text:
        return "trashed = false"
    try:
        node = parse(text)
    except QueryError as error:
        if LOOKS_LIKE_QUERY.search(text):
            raise BadArgument("query", f"it does not parse {error}.") from error
        words = quoted(text)
        return f"(fullText contains {words} or name contains {words}) and trashed = false"
    return text if names(node, "trashed") else f"({text}) and trashed = false"


def names(node: Node, field: str) -> bool:
    """Whether a query asks about a field."""
    match node:
        case Both(left, right) | Either(left, right):
            return names(left, field) or names(right, field)
        case Not(part):
            return names(part, field)
        case Compare(asked):
            return asked == field
    return False


def changes(before: Json, body: Json) -> list[str]:
    """What a change of metadata does, in words."""
    lines = [f"renamed from {before['name']} to {body['name']}"] if "name" in body else []
    lines += [SAID[key][bool(value)] for key, value in body.items() if key in SAID]
    lines += [f"{label} set" for key, label in SET.items() if key in body]
    return lines


SAID = {
    "starred": ("star taken off", "starred"),
    "trashed": ("taken out of the trash", "moved to the trash"),
    "writersCanShare": ("only the owner may share it", "editors may share it"),
    "copyRequiresWriterPermission": ("readers may copy and download it", "readers may not copy or download it"),
}
SET = {"description": "description", "mimeType": "type", "properties": "properties"}
