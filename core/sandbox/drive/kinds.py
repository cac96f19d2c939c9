"""Types of files: Google's own, what they are shown as, and the ids of things."""

import secrets
import string
from base64 import urlsafe_b64encode
from datetime import UTC, datetime
from hashlib import sha256

GOOGLE = "application/vnd.google-apps."
FOLDER, SHORTCUT = f"{GOOGLE}folder", f"{GOOGLE}shortcut"
DOCUMENT, SPREADSHEET, PRESENTATION = f"{GOOGLE}document", f"{GOOGLE}spreadsheet", f"{GOOGLE}presentation"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
EDITORS = {DOCUMENT: "document", SPREADSHEET: "spreadsheets", PRESENTATION: "presentation"}
"""Google's editors, by the type of what they edit, as their addresses name them."""

ID_SIGNS = f"{string.ascii_letters}{string.digits}-_"


def stamp(when: datetime) -> str:
    """A moment as Drive writes it."""
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{when.microsecond // 1000:03d}Z"


def new_id() -> str:
    """An id like Drive's."""
    return "1" + "".join(secrets.choice(ID_SIGNS) for _ in range(32))


def seed_id(key: str) -> str:
    """The id that a seed key always has."""
    return "1" + digest(f"drive {key}")[:32]


def root_id(account: str) -> str:
    """The id of an account's My Drive."""
    return f"0A{digest(f'root {account}')[:11]}Uk9PVA"


def shared_drive_id(key: str) -> str:
    """The id of a seeded shared drive, and of its root folder."""
    return f"0A{digest(f'shared {key}')[:11]}Uk9PVB"


def digest(text: str) -> str:
    """A text's hash, in the signs of ids."""
    return urlsafe_b64encode(sha256(text.encode()).digest()).decode()


def view_link(file_id: str, mime_type: str) -> str:
    """Where a person opens a file."""
    if mime_type in EDITORS:
        return f"https://docs.google.com/{EDITORS[mime_type]}/d/{file_id}/edit?usp=drivesdk"
    if mime_type == FOLDER:
        return f"https://drive.google.com/drive/folders/{file_id}"
    return f"https://drive.google.com/file/d/{file_id}/view?usp=drivesdk"
