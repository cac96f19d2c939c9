"""A desk's files: found in Drive through shortcuts, read, saved, changed."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from googleapiclient.http import MediaInMemoryUpload

from core.filetext import readable, text_of
from core.google.errors import GoogleError
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.results_drive import FileAccess, FileContent, FileItem, Grant, SavedFile
from core.mcp_server.shaping import drive
from core.mcp_server.shaping.drive import DOCUMENT, FOLDER, GOOGLE, SHEET, SHORTCUT, SLIDES
from core.mcp_server.shaping.files import safe_name, save
from core.mcp_server.shaping.text import cut, html_to_text, tidy

Json = dict[str, Any]
HOPS = 5
"""Shortcuts that are followed one after another."""
LARGEST = 25 * 1024 * 1024
"""Bytes of a file that is read for its text."""
READ_AS = {DOCUMENT: "text/plain", SLIDES: "text/plain", SHEET: "text/csv"}
FORMATS: dict[str, str] = {
    "pdf": "application/pdf",
    "docx": f"{drive.OFFICE}wordprocessingml.document",
    "xlsx": f"{drive.OFFICE}spreadsheetml.sheet",
    "csv": "text/csv",
    "pptx": f"{drive.OFFICE}presentationml.presentation",
}
EXPORTS = {DOCUMENT: ("pdf", "docx"), SHEET: ("xlsx", "pdf", "csv"), SLIDES: ("pdf", "pptx")}
"""What each Google type is saved as; the first is usual."""


@dataclass(frozen=True)
class Cabinet:
    """The files that the acting account sees, those of shared drives too."""

    desk: Desk

    def get(self, file_id: str, fields: str = drive.ITEM_FIELDS) -> Json:
        """What Drive knows of a file."""
        return self.desk.google.execute(self.files().get(fileId=file_id, fields=fields, supportsAllDrives=True))

    def resolved(self, file_id: str, fields: str = drive.ITEM_FIELDS) -> Json:
        """A file; a shortcut leads to its target.

        Raises:
            BadArgument: shortcuts lead in a circle, or through too many.
        """
        file = self.get(file_id, fields)
        for _ in range(HOPS):
            if file["mimeType"] != SHORTCUT:
                return file
            file = self.get(file["shortcutDetails"]["targetId"], fields)
        if file["mimeType"] == SHORTCUT:
            raise BadArgument("file_id", f"more than {HOPS} shortcuts lead from one to another. Name the file itself.")
        return file

    def folder(self, folder_id: str) -> Json:
        """A folder, through shortcuts.

        Raises:
            BadArgument: it is a file.
        """
        found = self.resolved(folder_id)
        if found["mimeType"] != FOLDER:
            raise BadArgument("folder_id", f"{found['name']} is a {drive.kind_of(found['mimeType'])}, not a folder.")
        return found

    def page(
        self,
        query: str,
        size: int,
        token: str | None,
        *,
        drive_id: str | None = None,
        everywhere: bool = True,
        corpora: str | None = None,
        order: str | None = None,
    ) -> Json:
        """One page of the files that a query finds.

        Args:
            everywhere: with the files of shared drives.
            corpora: Google's word for where to search; all that the account sees if left out.
        """
        usual = "drive" if drive_id else "allDrives" if everywhere else "user"
        request = self.files().list(
            q=query,
            pageSize=size,
            pageToken=token,
            orderBy=order,
            corpora=corpora or usual,
            driveId=drive_id,
            includeItemsFromAllDrives=everywhere or bool(drive_id),
            supportsAllDrives=True,
            fields=f"nextPageToken,incompleteSearch,files({drive.ITEM_FIELDS})",
        )
        return self.desk.google.execute(request)

    def item(self, file: Json) -> FileItem:
        """A file as results show it."""
        return drive.item(file, self.desk.zone)

    def content(self, file_id: str, offset: int) -> FileContent:
        """The readable text of a file, or why there is none."""
        file = self.resolved(file_id)
        text, note = self._text(file)
        if text is None:
            return FileContent(file=self.item(file), text=None, characters=0, note=note)
        end = offset + self.desk.body_limit
        more = "To go on, call again with offset={offset}."
        return FileContent(
            file=self.item(file),
            text=cut(text, self.desk.body_limit, offset, more),
            characters=len(text),
            next_offset=end if end < len(text) else None,
            note=note,
        )

    def _text(self, file: Json) -> tuple[str | None, str | None]:
        """The text of a file, and what is to be said about it."""
        mime_type, size = file["mimeType"], int(file.get("size") or 0)
        if mime_type in READ_AS:
            data = self.export(file, READ_AS[mime_type])
            note = "Only the first sheet; read_sheet_values reads the others." if mime_type == SHEET else None
            return tidy(data.decode("utf-8-sig", errors="replace")), note
        if mime_type == FOLDER:
            raise BadArgument("file_id", f"{file['name']} is a folder; list_drive_items shows what is in it.")
        kind = drive.kind_of(mime_type)
        if not readable(mime_type):
            return None, f"A file of this kind ({kind}) holds no text. get_drive_file_download_url saves it."
        if size > LARGEST:
            return None, f"The file has {size:,} bytes, too many to read here. get_drive_file_download_url saves it."
        text = text_of(self.download(file), mime_type)
        if text is None:
            return None, f"The file is damaged or protected, so its text cannot be read ({kind})."
        return (html_to_text(text) if mime_type.startswith("text/html") else tidy(text)), None

    def saved(self, file_id: str, export_format: str | None) -> SavedFile:
        """A file stored in the account's folder; a Google document in a format that other programs open.

        Raises:
            BadArgument: the file cannot be had in that format.
        """
        file = self.resolved(file_id)
        mime_type, name = file["mimeType"], file["name"]
        if mime_type.startswith(GOOGLE):
            chosen = format_for(file, export_format)
            mime_type = FORMATS[chosen]
            data = self.export(file, mime_type)
            name = name if name.lower().endswith(f".{chosen}") else f"{name}.{chosen}"
        else:
            data = self.download(file)
        path = save(self.desk.downloads / safe_name(file["id"]), name, data)
        return SavedFile(
            file=self.item(file),
            filename=path.name,
            mime_type=mime_type,
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            path=str(path),
            link=self.item(file).link,
        )

    def export(self, file: Json, mime_type: str) -> bytes:
        """A Google document in another format."""
        return self.desk.google.download(self.files().export_media(fileId=file["id"], mimeType=mime_type))

    def download(self, file: Json) -> bytes:
        """The bytes of a file."""
        return self.desk.google.download(self.files().get_media(fileId=file["id"], supportsAllDrives=True))

    def create(self, body: Json, data: bytes | None = None, mime_type: str = "text/plain") -> Json:
        """A new file, whose bytes are of a type; Google converts them where the body names a type of its own."""
        media = None if data is None else MediaInMemoryUpload(data, mimetype=mime_type, resumable=True)
        request = self.files().create(body=body, media_body=media, fields=drive.ITEM_FIELDS, supportsAllDrives=True)
        return self.desk.google.execute(request)

    def update(self, file_id: str, body: Json, **options: Any) -> Json:
        """A changed file."""
        request = self.files().update(
            fileId=file_id, body=body, fields=drive.ITEM_FIELDS, supportsAllDrives=True, **options
        )
        return self.desk.google.execute(request)

    def move(self, file: Json, add: str | None, remove: str | None) -> tuple[Json, list[str]]:
        """What Google is told to move a file, and that in words: a file is in one folder, so it leaves the old one.

        Args:
            add: id of the new folder; several with commas are refused.
            remove: ids of folders to leave; the present one if left out.

        Raises:
            BadArgument: several folders, or none to go to.
        """
        if not add:
            if remove:
                raise BadArgument("add_parents", "a file is always in one folder; say where it shall go.")
            return {}, []
        if "," in add:
            raise BadArgument("add_parents", "a file is in one folder only; a shortcut can stand in another.")
        folder = self.folder(add.strip())
        leaving = remove or ",".join(one for one in file.get("parents", []) if one != folder["id"])
        options = {"addParents": folder["id"], **({"removeParents": leaving} if leaving else {})}
        return options, [f"moved to {folder['name']}"]

    def access(self, file_id: str) -> FileAccess:
        """Who may see a file."""
        file = self.get(file_id, drive.ACCESS_FIELDS)
        return self.access_of(file)

    def accesses(self, file_ids: Iterable[str]) -> list[FileAccess]:
        """Who may see each of some files; all are asked for together.

        Raises:
            GoogleError: one of them could not be had.
        """
        fields = drive.ACCESS_FIELDS
        gets = {one: self.files().get(fileId=one, fields=fields, supportsAllDrives=True) for one in file_ids}
        answers = self.desk.google.batch(gets).values() if gets else []
        for failure in (one for one in answers if isinstance(one, GoogleError)):
            raise failure
        return [self.access_of(one) for one in answers if not isinstance(one, GoogleError)]

    def access_of(self, file: Json) -> FileAccess:
        """Who may see a file that is at hand with its permissions."""
        grants = self.grants(file)
        return FileAccess(
            file=self.item(file),
            public=any(one.kind == "anyone" for one in grants or ()),
            summary=drive.summary(grants, file["name"]),
            grants=grants,
            writers_can_share=file.get("writersCanShare"),
            readers_can_copy=not file.get("copyRequiresWriterPermission", False),
        )

    def grants(self, file: Json) -> list[Grant] | None:
        """The permissions of a file, the owner's first; None where the account is not told.

        Files of a shared drive tell them only when they are asked for by themselves.
        """
        found = file.get("permissions")
        if found is None:
            try:
                found = self._listed(file["id"])
            except GoogleError as error:
                if error.status != 403:
                    raise
                return None
        grants = [drive.grant(one, self.desk.zone) for one in found]
        return sorted(grants, key=lambda one: list(drive.ROLE_WORDS).index(one.role), reverse=True)

    def _listed(self, file_id: str) -> list[Json]:
        found: list[Json] = []
        token = None
        while True:
            request = self.permissions().list(
                fileId=file_id,
                pageSize=100,
                pageToken=token,
                fields=f"nextPageToken,permissions({drive.GRANT_FIELDS})",
                supportsAllDrives=True,
            )
            page = self.desk.google.execute(request)
            found += page.get("permissions", [])
            token = page.get("nextPageToken")
            if not token:
                return found

    def files(self) -> Any:
        """Requests about files."""
        return self.desk.google.resource("drive.files")

    def permissions(self) -> Any:
        """Requests about permissions."""
        return self.desk.google.resource("drive.permissions")


def format_for(file: Json, wanted: str | None) -> str:
    """What a Google document is saved as.

    Raises:
        BadArgument: it cannot be saved so.
    """
    known = EXPORTS.get(file["mimeType"])
    kind = drive.kind_of(file["mimeType"])
    if known is None:
        raise BadArgument("file_id", f"a {kind} cannot be downloaded.")
    chosen = (wanted or known[0]).lower().lstrip(".")
    if chosen not in known:
        raise BadArgument("export_format", f"a {kind} can be saved as {', '.join(known)}, not {wanted}.")
    return chosen
