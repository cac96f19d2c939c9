"""Files that a mail carries: only from the person's own folders here, or as base64; all of them, or no mail at all."""

import binascii
import mimetypes
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from core.mcp_server.addresses import one_line
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.shaping.files import safe_name

MOST_BYTES = 25 * 1024 * 1024
UNKNOWN_KIND = "application/octet-stream"


class FileArgument(BaseModel):
    """A file to attach: a path or a content."""

    model_config = ConfigDict(extra="forbid")

    path: str | None = Field(default=None, description="Of a file that was uploaded here or saved from a mail")
    content: str | None = Field(default=None, description="Base64, with a filename")
    filename: str | None = None
    mime_type: str | None = None


@dataclass(frozen=True)
class Enclosure:
    """A file in a mail; `kind` is its MIME type."""

    name: str
    kind: str
    data: bytes


def enclosures(desk: Desk, files: Sequence[FileArgument]) -> tuple[Enclosure, ...]:
    """All files, read.

    Raises:
        BadArgument: one of them is not to be had, or they are too much for a mail.
    """
    found: list[Enclosure] = []
    for number, file in enumerate(files):
        room = MOST_BYTES - sum(len(one.data) for one in found)
        found.append(enclosure(desk, f"attachments[{number}]", file, room))
    return tuple(found)


def enclosure(desk: Desk, name: str, file: FileArgument, room: int) -> Enclosure:
    """One file.

    Args:
        room: bytes that the mail can still take.
    """
    if (file.path is None) == (file.content is None):
        raise BadArgument(name, "give either a path or a content.")
    if file.path is not None:
        place = allowed(desk, f"{name}.path", file.path)
        fits(name, place.stat().st_size, room)
        data, known = place.read_bytes(), place.name
    elif file.filename:
        data, known = decoded(f"{name}.content", file.content or ""), file.filename
    else:
        raise BadArgument(f"{name}.filename", "a content needs one.")
    fits(name, len(data), room)
    title = safe_name(one_line(f"{name}.filename", file.filename or known))
    kind = one_line(f"{name}.mime_type", file.mime_type or "") or mimetypes.guess_type(title)[0] or UNKNOWN_KIND
    return Enclosure(title, kind if plain_kind(kind) else UNKNOWN_KIND, data)


def allowed(desk: Desk, name: str, path: str) -> Path:
    """A file inside one of the person's folders; links are followed before that is decided.

    Raises:
        BadArgument: there is no such file, or it is somewhere else.
    """
    folders = [folder.resolve() for folder in (desk.uploads, desk.downloads) if folder is not None]
    try:
        places = [(folder / path).resolve() for folder in folders]
    except (OSError, ValueError) as error:
        raise BadArgument(name, f"{path!r} is not the name of a file. Nothing was sent.") from error
    inside = [place for place in places if any(place.is_relative_to(folder) for folder in folders)]
    if not inside:
        raise BadArgument(
            name, f"{path} is not one of the files that were uploaded here or saved from a mail. Nothing was sent."
        )
    found = next((place for place in inside if place.is_file()), None)
    if found is None:
        raise BadArgument(
            name, f"there is no file {path}. Nothing was sent. Upload it, or save it from its mail first."
        )
    return found


def decoded(name: str, text: str) -> bytes:
    """Base64 in either alphabet, with or without padding.

    Raises:
        BadArgument: it is something else.
    """
    flat = "".join(text.split()).rstrip("=").translate(str.maketrans("-_", "+/"))
    try:
        return b64decode(flat + "=" * (-len(flat) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadArgument(name, "it is not base64. Nothing was sent.") from error


def fits(name: str, size: int, room: int) -> None:
    """Refuse what is too much for a mail."""
    if size > room:
        raise BadArgument(
            name,
            f"with its {size / 1024**2:,.1f} MB the mail has more than the 25 MB that Gmail takes. Nothing was sent.",
        )


def plain_kind(kind: str) -> bool:
    """Whether a MIME type is one that holds bytes; a mail or a bundle inside the mail would have to be taken apart."""
    main, slash, rest = kind.partition("/")
    safe = kind.isascii() and kind.replace("/", "").replace("-", "").replace("+", "").replace(".", "").isalnum()
    return bool(slash and rest and safe) and main not in ("message", "multipart")
