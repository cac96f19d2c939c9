"""What becomes a Google document: text that is given, a file of the account's folder, or a web address."""

from pathlib import PurePath

from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.incoming import Taken, from_path, from_url
from core.mcp_server.shaping.drive import OFFICE

FORMATS = {
    "md": "text/markdown",
    "markdown": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "txt": "text/plain",
    "text": "text/plain",
    "docx": f"{OFFICE}wordprocessingml.document",
    "odt": "application/vnd.oasis.opendocument.text",
    "rtf": "application/rtf",
}


def source_of(desk: Desk, content: str | None, file_path: str | None, file_url: str | None) -> Taken:
    """The one source that was given.

    Raises:
        BadArgument: none was given, or several, or it cannot be had.
    """
    given = [one for one in (content, file_path, file_url) if one is not None]
    if len(given) != 1:
        raise BadArgument("content", "give exactly one of content, file_path and file_url.")
    if content is not None:
        return Taken(content.encode(), "", "")
    if file_path is not None:
        return from_path(desk, file_path)
    return from_url(desk, str(file_url), "file_url")


def type_of(taken: Taken, file_name: str, source_format: str | None) -> str:
    """What the source is: what was said, its name's ending, what the web says, or what it looks like.

    Raises:
        BadArgument: nothing that becomes a document.
    """
    if source_format:
        known = FORMATS.get(source_format.lower().lstrip("."))
        if known is None:
            raise BadArgument("source_format", f"{source_format} is none of {', '.join(FORMATS)}.")
        return known
    for name in (taken.name, file_name):
        if (ending := PurePath(name).suffix.lower().lstrip(".")) in FORMATS:
            return FORMATS[ending]
    if taken.mime_type in FORMATS.values():
        return taken.mime_type
    if taken.mime_type and not taken.mime_type.startswith("text/"):
        raise BadArgument("source_format", f"{taken.mime_type} does not become a document; say which format it is.")
    return "text/html" if taken.data.lstrip()[:1] == b"<" else "text/markdown"


def bare(file_name: str) -> str:
    """A document's name: without the ending of the file that it came from."""
    path = PurePath(file_name)
    return path.stem if path.suffix.lower().lstrip(".") in FORMATS else file_name
