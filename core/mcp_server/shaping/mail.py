"""From Gmail's messages to what people and models read."""

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parseaddr
from typing import Any
from zoneinfo import ZoneInfo

from core.google.errors import GoogleError
from core.mcp_server.results import Attachment, Label, Mail, MailSummary
from core.mcp_server.shaping.text import better_body, cut, decode, fields_of, html_to_text, one_line
from core.mcp_server.shaping.times import from_millis

HEADERS = ("From", "To", "Cc", "Subject", "Date", "Message-ID", "Content-Type")
NO_SUBJECT = "(no subject)"
LOOSE = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>\s]+@[^<>\s]+)>")
READABLE = re.compile(r"text/.+|message/rfc822|application/(.+\+)?(json|xml|yaml|csv|ics|toml|sql|javascript)")
Json = dict[str, Any]


def summary(message: Json, labels: Mapping[str, str], zone: ZoneInfo) -> MailSummary:
    """A mail as a list shows it.

    Args:
        message: Gmail's message, in the formats `metadata` or `full`.
        labels: label id → name; an id that is missing is shown itself.
    """
    return MailSummary(**summary_fields(message, labels, zone))


def mail(message: Json, labels: Mapping[str, str], zone: ZoneInfo, limit: int, offset: int = 0) -> Mail:
    """A whole mail.

    Args:
        limit: characters of its body.
        offset: where in the body to begin.
    """
    headers = headers_of(message)
    rest = f'For the rest call get_gmail_message_content with message_id "{message["id"]}" and body_offset {{offset}}.'
    return Mail(
        **summary_fields(message, labels, zone),
        to=addresses(headers.get("to", "")),
        cc=addresses(headers.get("cc", "")),
        body=cut(body(fields_of(message.get("payload"))), limit, offset, rest),
        attachments=attachments(message),
        rfc822_message_id=headers.get("message-id"),
    )


def summary_fields(message: Json, labels: Mapping[str, str], zone: ZoneInfo) -> Json:
    """The fields that a list and a whole mail share."""
    headers, ids = headers_of(message), message.get("labelIds", [])
    name, address = sender(headers.get("from", ""))
    return {
        "message_id": message["id"],
        "thread_id": message["threadId"],
        "sender": name or address or "(unknown sender)",
        "sender_email": address,
        "subject": headers.get("subject", "").strip() or NO_SUBJECT,
        "date": from_millis(message["internalDate"], zone),
        "snippet": one_line(message.get("snippet", "")),
        "labels": [labels.get(label, label) for label in ids],
        "unread": "UNREAD" in ids,
        "has_attachments": has_attachments(message, headers),
    }


def headers_of(message: Json) -> dict[str, str]:
    """Headers by lower-case name, the first of each, decoded."""
    headers = fields_of(message.get("payload")).get("headers", [])
    return {header["name"].lower(): decoded(header["value"]) for header in reversed(headers)}


def decoded(value: str) -> str:
    """A header's value with its encoded words read; folding undone."""
    flat = " ".join(value.split())
    if "=?" not in flat:
        return flat
    try:
        return str(make_header(decode_header(flat)))
    except (HeaderParseError, LookupError, UnicodeDecodeError):
        return flat


def sender(value: str) -> tuple[str, str]:
    """Name and address of a `From`; a comma in an unquoted name separates nothing, as there is one sender."""
    name, address = parseaddr(value)
    if "@" not in address and (loose := LOOSE.fullmatch(value.strip())):
        return loose["name"].strip(' "'), loose["address"]
    return name, address


def addresses(value: str) -> list[str]:
    """`Name <address>` or `address` for each of a header's addresses."""
    return [f"{name} <{address}>" if name else address for name, address in getaddresses([value]) if "@" in address]


def has_attachments(message: Json, headers: Mapping[str, str]) -> bool:
    """Exact where the parts are known; otherwise by the kind of the whole mail."""
    if fields_of(message.get("payload")).get("parts"):
        return bool(attachments(message))
    kind = headers.get("content-type", "text/plain").split(";")[0].strip().lower()
    return kind == "multipart/mixed" or not kind.startswith(("text/", "multipart/"))


def attachments(message: Json) -> list[Attachment]:
    """The files of a mail. Their id is the part's number: Google's own ids change with every request."""
    return [
        Attachment(
            attachment_id=part.get("partId") or "0",
            filename=decoded(part["filename"]),
            mime_type=part.get("mimeType", "application/octet-stream"),
            size=fields_of(part.get("body")).get("size", 0),
        )
        for part in parts(fields_of(message.get("payload")))
        if part.get("filename")
    ]


def attached(message: Json, wanted: str) -> Json | None:
    """The part that is an attachment: by its number, Google's id of the moment, or its file name."""
    files = [part for part in parts(fields_of(message.get("payload"))) if part.get("filename")]
    for name in (lambda part: part.get("partId") or "0", google_id, lambda part: decoded(part["filename"])):
        found = next((part for part in files if name(part) == wanted), None)
        if found:
            return found
    return None


def google_id(part: Json) -> str | None:
    """Google's id of an attachment's bytes."""
    return fields_of(part.get("body")).get("attachmentId")


def readable(part: Json, data: bytes, limit: int) -> str | None:
    """The text of a file that is text, None for any other."""
    kind = part.get("mimeType", "")
    if not READABLE.fullmatch(kind):
        return None
    text = decode(data, content_charset(part))
    return cut(html_to_text(text) if kind == "text/html" else text, limit, rest="The stored file has all of it.")


def label(item: Json, counted: Json | GoogleError) -> Label:
    """A label, with its counts where they could be had."""
    counts = {} if isinstance(counted, GoogleError) else counted
    return Label(
        label_id=item["id"],
        name=item["name"],
        kind="system" if item.get("type") == "system" else "user",
        total=counts.get("messagesTotal"),
        unread=counts.get("messagesUnread"),
    )


def parts(payload: Json) -> Iterator[Json]:
    """The leaves of a part tree in order; a mail inside the mail is one leaf."""
    inner = payload.get("parts", [])
    if not inner or (payload.get("filename") and payload.get("mimeType") == "message/rfc822"):
        yield payload
        return
    for part in inner:
        yield from parts(part)


def body(payload: Json) -> str:
    """The readable text of a mail: of its plain or of its HTML part, whichever says more."""
    texts = [part for part in parts(payload) if not part.get("filename")]
    plain = "\n\n".join(text_of(part) for part in texts if part.get("mimeType") == "text/plain")
    html = "\n\n".join(html_to_text(text_of(part)) for part in texts if part.get("mimeType") == "text/html")
    return better_body(plain, html)


def text_of(part: Json) -> str:
    """A text part, decoded."""
    return decode(bytes_of(fields_of(part.get("body"))), content_charset(part))


def content_charset(part: Json) -> str | None:
    """The charset that a part's Content-Type names."""
    message = Message()
    for header in part.get("headers", []):
        if header["name"].lower() == "content-type":
            message["content-type"] = header["value"]
    return message.get_content_charset()


def bytes_of(body: Json) -> bytes:
    """The bytes of a part's body: base64url, often without padding."""
    data = body.get("data", "")
    return urlsafe_b64decode(data + "=" * (-len(data) % 4))
