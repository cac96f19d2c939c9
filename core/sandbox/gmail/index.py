"""What a stored mail is searched and shown by, computed once from its bytes."""

import re
from html import escape
from typing import Any

from core.sandbox.gmail import mime
from core.sandbox.gmail.words import row

SNIPPET_LENGTH = 200


def columns(raw: bytes) -> dict[str, Any]:
    """The values of a `MessageRow` that follow from the mail itself."""
    mail = mime.parse(raw)
    subject, names = mime.header(mail, "Subject"), mime.files(mail)
    plain, html = mime.bodies(mail, "plain"), mime.bodies(mail, "html")
    seen = mime.visible(html) if html else plain
    people = {name: mime.values(mail, name) for name in ("From", "To", "Cc", "Bcc")}
    everyone = [value for values in people.values() for value in values]
    return {
        "raw": raw,
        "size": len(raw),
        "subject": subject,
        "snippet": snippet(seen),
        "message_id": mime.header(mail, "Message-ID").strip("<> "),
        "has_attachment": bool(names),
        "links": mime.links([plain, html]),
        "from_words": row(people["From"]),
        "to_words": row(people["To"] + people["Cc"] + people["Bcc"]),
        "cc_words": row(people["Cc"]),
        "bcc_words": row(people["Bcc"]),
        "subject_words": row([subject]),
        "file_words": row(names),
        "list_words": row(mime.values(mail, "List-ID")),
        "delivered_words": row(mime.values(mail, "Delivered-To") or people["To"]),
        "all_words": row([subject, *everyone, seen, *([plain] if html else []), *names]),
    }


def snippet(text: str) -> str:
    """The first words, with HTML's special characters escaped as Gmail does."""
    flat = re.sub(r"[\s\u200b\u200c\ufeff\u034f\u00ad]+", " ", text).strip()
    cut = flat if len(flat) <= SNIPPET_LENGTH else flat[:SNIPPET_LENGTH].rsplit(" ", 1)[0]
    return escape(cut, quote=True).replace("&#x27;", "&#39;")


def bare_subject(subject: str) -> str:
    """A subject without reply and forward marks, to compare threads by."""
    return (
        re.sub(r"^(?:\s*(?:re|aw|fwd?|wg|sv|tr|rv|答复|返信)\s*(?:\[\d+\])?\s*[:：])+", "", subject, flags=re.I)
        .strip()
        .casefold()
    )
