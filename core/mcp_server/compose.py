"""Writes a mail as RFC 5322 wants it; headers cannot be broken out of, and every reader finds a plain text."""

from collections.abc import Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Any, Literal

from core.mcp_server.enclosures import Enclosure
from core.mcp_server.shaping.text import html_to_text

BodyFormat = Literal["plain", "html"]
IDS = ("in-reply-to", "references")


class MailPolicy(EmailPolicy):
    """RFC 5322 in ASCII; Message-IDs stay whole however long they are, where Python would encode them."""

    def fold_binary(self, name: str, value: Any) -> bytes:
        """A header as it is written."""
        if name.lower() in IDS:
            folded = "\r\n ".join(str(value).split())
            return f"{name}: {folded}\r\n".encode("ascii", "replace")
        return super().fold_binary(name, value)


@dataclass(frozen=True)
class Answered:
    """The mail that a mail answers; `references` are all Message-IDs of the conversation, oldest first."""

    in_reply_to: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class Letter:
    """A mail to be written. `message_id` is without the angle brackets; `sender` None is the account itself."""

    message_id: str
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    bcc: tuple[Address, ...]
    subject: str
    body: str
    body_format: BodyFormat = "plain"
    sender: Address | None = None
    answers: Answered | None = None
    files: tuple[Enclosure, ...] = ()


def composed(letter: Letter) -> bytes:
    """The mail's bytes, lines ending in CR LF."""
    mail = EmailMessage(policy=MailPolicy(linesep="\r\n", cte_type="7bit"))
    mail["Message-ID"] = f"<{letter.message_id}>"
    if letter.sender is not None:
        mail["From"] = letter.sender
    for name, people in (("To", letter.to), ("Cc", letter.cc), ("Bcc", letter.bcc)):
        put_people(mail, name, people)
    mail["Subject"] = letter.subject
    if letter.answers is not None:
        mail["In-Reply-To"] = letter.answers.in_reply_to
        mail["References"] = " ".join(letter.answers.references)
    put_body(mail, letter.body, letter.body_format)
    for file in letter.files:
        put_file(mail, file)
    return mail.as_bytes()


def put_people(mail: EmailMessage, name: str, people: Sequence[Address]) -> None:
    """A header of addresses, where there are any."""
    if people:
        mail[name] = list(people)


def put_body(mail: EmailMessage, body: str, body_format: BodyFormat) -> None:
    """The text; HTML gets a plain alternative before it."""
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    if body_format == "plain":
        mail.set_content(text)
        return
    mail.set_content(html_to_text(text))
    mail.add_alternative(text, subtype="html")


def put_file(mail: EmailMessage, file: Enclosure) -> None:
    """An attachment, byte for byte."""
    main, _, rest = file.kind.partition("/")
    mail.add_attachment(file.data, maintype=main, subtype=rest, filename=file.name)
