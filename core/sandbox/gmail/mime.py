"""Raw RFC 822 bytes as Gmail shows them: decoded headers, a tree of parts, readable text."""

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message as Mail
from email.parser import BytesParser
from html import unescape
from typing import Any

import nh3

HIDDEN = {"script", "style", "title", "noscript"}


def parse(raw: bytes) -> Mail:
    """A message from its bytes; a broken one is read as far as it goes."""
    return message_from_bytes(raw)


def parse_headers(raw: bytes) -> Mail:
    """Only the headers of a message: cheap for a long list."""
    return BytesParser().parsebytes(raw, headersonly=True)


def encode(data: bytes) -> str:
    """Base64url, as Gmail writes it."""
    return base64.urlsafe_b64encode(data).decode()


def decode(text: str) -> bytes:
    """Base64url or base64, with or without padding.

    Raises:
        ValueError: where it is neither.
    """
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)


def readable(value: str) -> str:
    """A header's value unfolded, with encoded words and raw UTF-8 decoded."""
    text = value.encode("ascii", "surrogateescape") if value.isascii() or has_bytes(value) else value.encode()
    flat = re.sub(r"\r?\n(?=[ \t])", "", text.decode("utf-8", "replace")).strip()
    if "=?" not in flat:
        return flat
    try:
        return str(make_header(decode_header(flat)))
    except (LookupError, ValueError):
        return flat


def has_bytes(value: str) -> bool:
    """Whether the parser kept undecoded bytes in a text."""
    return any("\udc80" <= c <= "\udcff" for c in value) and all(c < "\x80" or "\udc80" <= c <= "\udcff" for c in value)


def headers(part: Mail) -> list[dict[str, str]]:
    """All headers in order, readable."""
    return [{"name": name, "value": readable(str(value))} for name, value in part.raw_items()]


def header(part: Mail, name: str) -> str:
    """The first header of that name, `""` where there is none."""
    return next((h["value"] for h in headers(part) if h["name"].lower() == name.lower()), "")


def values(part: Mail, name: str) -> list[str]:
    """All headers of that name."""
    return [h["value"] for h in headers(part) if h["name"].lower() == name.lower()]


def undecoded(part: Mail, name: str) -> list[str]:
    """All headers of that name as they are written: a comma in an encoded name must not part two addresses."""
    return [str(value).strip() for key, value in part.raw_items() if key.lower() == name.lower()]


def filename(part: Mail) -> str:
    """The part's file name in any of its spellings (RFC 2231, encoded words), `""` where there is none."""
    return readable(part.get_filename() or "")


def content(part: Mail) -> bytes:
    """A leaf's bytes; text is handed over in UTF-8 whatever it was written in, as Gmail does."""
    if part.get_content_type() == "message/rfc822":
        return b"".join(nested.as_bytes() for nested in children(part))
    data = part.get_payload(decode=True)
    data = data if isinstance(data, bytes) else b""
    return utf8(part, data) if part.get_content_maintype() == "text" and not filename(part) else data


def utf8(part: Mail, data: bytes) -> bytes:
    """Text bytes in UTF-8."""
    try:
        return data.decode(str(part.get_content_charset() or "utf-8")).encode()
    except (LookupError, UnicodeError):
        return data.decode("utf-8", "replace").encode()


def children(part: Mail) -> list[Mail]:
    """A container's parts, in order."""
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Mail)] if isinstance(payload, list) else []


def payload(part: Mail, message_id: str, part_id: str = "") -> dict[str, Any]:
    """The part tree in Gmail's form; files are left out of it and have an attachment id instead."""
    name, inner = filename(part), children(part)
    prefix = f"{part_id}." if part_id else ""
    tree = {
        "partId": part_id,
        "mimeType": part.get_content_type(),
        "filename": name,
        "headers": headers(part),
        "body": body(part, message_id, part_id),
    }
    return tree | ({"parts": [payload(p, message_id, f"{prefix}{i}") for i, p in enumerate(inner)]} if inner else {})


def body(part: Mail, message_id: str, part_id: str) -> dict[str, Any]:
    """A part's body: its data, or the id by which a file's content is had."""
    if part.is_multipart() and not filename(part):
        return {"size": 0}
    data = content(part)
    if not data:
        return {"size": 0}
    if filename(part):
        return {"size": len(data), "attachmentId": attachment_id(message_id, part_id)}
    return {"size": len(data), "data": encode(data)}


def attachment_id(message_id: str, part_id: str) -> str:
    """An opaque id that says nothing of the part, as Gmail's."""
    return "ANGjdJ8" + encode(hashlib.sha256(f"{message_id}/{part_id}".encode()).digest()).rstrip("=")


def leaves(part: Mail, part_id: str = "") -> Iterator[tuple[str, Mail]]:
    """All parts that have content of their own, with their ids; a mail within the mail too."""
    inner = children(part)
    if not inner or part.get_content_type() == "message/rfc822":
        yield part_id, part
    prefix = f"{part_id}." if part_id else ""
    for i, child in enumerate(inner):
        yield from leaves(child, f"{prefix}{i}")


def files(part: Mail) -> list[str]:
    """The names of the attached files; pictures shown inside the text are none."""
    parts = (leaf for _, leaf in leaves(part) if not (leaf.get("Content-ID") and inline(leaf)))
    return [name for leaf in parts if (name := filename(leaf))]


def inline(part: Mail) -> bool:
    """Whether a part is to be shown inside the text."""
    return part.get_content_disposition() == "inline"


def bodies(part: Mail, subtype: str) -> str:
    """The text of all parts `text/<subtype>` that are not files."""
    parts = (leaf for _, leaf in leaves(part) if leaf.get_content_type() == f"text/{subtype}" and not filename(leaf))
    return "\n".join(content(leaf).decode("utf-8", "replace") for leaf in parts)


def visible(html: str) -> str:
    """The text that a reader of HTML sees, without its layout."""
    spaced = re.sub(r"<(?=/?(?:p|div|br|td|th|tr|li|h\d|ul|ol|table)\b)", " <", html, flags=re.IGNORECASE)
    return unescape(nh3.clean(spaced, tags=set(), clean_content_tags=HIDDEN))


def links(texts: Iterable[str]) -> str:
    """All web addresses in texts, in small letters, one a line."""
    return "\n".join(found.lower() for text in texts for found in re.findall(r"https?://[^\s\"'<>)]+", text))
