"""The Gmail tools that write mails: send, draft."""

from email.headerregistry import Address
from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from core.mcp_server.compose import BodyFormat
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.enclosures import FileArgument
from core.mcp_server.outbox import Answering, Outbox, Wish
from core.mcp_server.results import DraftMail, SentMail

Text = str | None
People = Annotated[str, Field(description="Addresses, separated by commas: Ana Ruiz <ana@example.com>, bo@example.com")]
MorePeople = Annotated[Text, Field(description="Likewise")]
Subject = Annotated[str, Field(description="Of a reply with thread_id it may be empty: the conversation's")]
Format = Annotated[BodyFormat, Field(description="html: the body is HTML; a plain text is added to it")]
FromEmail = Annotated[Text, Field(description="Only one of the account's own addresses")]
Thread = Annotated[Text, Field(description="For a reply, and enough for it: the conversation's thread_id")]
ReplyTo = Annotated[Text, Field(description="Message-ID of another mail of it than the last")]
Files = Annotated[list[FileArgument] | None, Field(description="At most 25 MB in all", max_length=50)]
LOST = "Google's confirmation was lost on its way, but the mail was found in {place}: it is there once."
ELSEWHERE = "Gmail began a new conversation, as the subject is not the one of the conversation that was named."


def send_gmail_message(
    desk: Desk,
    to: People,
    subject: Subject,
    body: str,
    body_format: Format = "plain",
    cc: MorePeople = None,
    bcc: MorePeople = None,
    from_name: Text = None,
    from_email: FromEmail = None,
    thread_id: Thread = None,
    in_reply_to: ReplyTo = None,
    references: Text = None,
    attachments: Files = None,
) -> SentMail:
    """Send a mail, once."""
    wish = Wish(to, cc, bcc, subject, body, body_format, from_name, from_email, attachments or [])
    outbox = Outbox(desk)
    letter, thread = outbox.written(wish, Answering(thread_id, in_reply_to, references))
    if not (letter.to or letter.cc or letter.bcc):
        raise BadArgument("to", "give at least one address.")
    sent, confirmed = outbox.send(letter, thread)
    return SentMail(
        message_id=sent["id"],
        thread_id=sent["threadId"],
        to=_shown(letter.to),
        cc=_shown(letter.cc),
        bcc=_shown(letter.bcc),
        subject=letter.subject,
        attachments=[file.name for file in letter.files],
        reply=letter.answers is not None,
        rfc822_message_id=f"<{letter.message_id}>",
        link=_link(desk, "all", sent["threadId"]),
        note=_note(thread, sent["threadId"], confirmed, "Sent"),
    )


def draft_gmail_message(
    desk: Desk,
    subject: Subject,
    body: str,
    to: Annotated[Text, Field(description="Addresses; they can be added later")] = None,
    body_format: Format = "plain",
    cc: MorePeople = None,
    bcc: MorePeople = None,
    from_name: Text = None,
    from_email: FromEmail = None,
    thread_id: Thread = None,
    in_reply_to: ReplyTo = None,
    references: Text = None,
    attachments: Files = None,
) -> DraftMail:
    """Write a mail without sending it."""
    wish = Wish(to, cc, bcc, subject, body, body_format, from_name, from_email, attachments or [])
    outbox = Outbox(desk)
    letter, thread = outbox.written(wish, Answering(thread_id, in_reply_to, references))
    draft, confirmed = outbox.draft(letter, thread)
    message = draft["message"]
    return DraftMail(
        draft_id=draft["id"],
        message_id=message["id"],
        thread_id=message["threadId"],
        to=_shown(letter.to),
        cc=_shown(letter.cc),
        bcc=_shown(letter.bcc),
        subject=letter.subject,
        attachments=[file.name for file in letter.files],
        reply=letter.answers is not None,
        link=_link(desk, "drafts", message["id"]),
        note=_note(thread, message["threadId"], confirmed, "Drafts"),
    )


def _shown(people: tuple[Address, ...]) -> list[str]:
    return [f"{one.display_name} <{one.addr_spec}>" if one.display_name else one.addr_spec for one in people]


def _link(desk: Desk, box: str, one: str) -> str:
    return f"https://mail.google.com/mail/u/?authuser={quote(desk.google.account)}#{box}/{one}"


def _note(asked: str, thread_id: str, confirmed: bool, box: str) -> str | None:
    notes = [] if confirmed else [LOST.format(place=box)]
    notes += [ELSEWHERE] if asked and asked != thread_id else []
    return " ".join(notes) or None
