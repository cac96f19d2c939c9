"""The Gmail tools that read."""

import hashlib
from typing import Annotated, Literal

from pydantic import Field

from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.mailbox import LABELS, Mailbox
from core.mcp_server.results import (
    FilterList,
    LabelList,
    Mail,
    MailBatch,
    MailFilter,
    MailPage,
    MailThread,
    MailThreadBatch,
    SavedAttachment,
)
from core.mcp_server.shaping import mail
from core.mcp_server.shaping.files import safe_name, save
from core.mcp_server.shaping.text import fields_of

Query = Annotated[str, Field(description="Gmail search, such as `is:unread from:ana newer_than:7d`; empty: all mail")]
MessageId = Annotated[str, Field(description="A message_id from an earlier result", min_length=1)]
MessageIds = Annotated[list[str], Field(description="message_ids from earlier results", min_length=1, max_length=50)]
ThreadId = Annotated[str, Field(description="A thread_id from an earlier result", min_length=1)]
ThreadIds = Annotated[list[str], Field(description="thread_ids from earlier results", min_length=1, max_length=25)]
AttachmentId = Annotated[str, Field(description="An attachment_id of that mail, or its file name", min_length=1)]


def search_gmail_messages(
    desk: Desk,
    query: Query,
    page_size: Annotated[int, Field(ge=1, le=100, description="Mails on a page")] = 10,
    page_token: Annotated[str | None, Field(description="next_page_token of the page before")] = None,
) -> MailPage:
    """One page of the mails that a search finds."""
    messages = desk.google.resource("gmail.users.messages")
    page = desk.google.execute(messages.list(userId="me", q=query, maxResults=page_size, pageToken=page_token))
    found, failed = Mailbox(desk).summaries([item["id"] for item in page.get("messages", [])])
    return MailPage(
        query=query,
        messages=found,
        total_estimate=max(page.get("resultSizeEstimate", 0), len(found)),
        next_page_token=page.get("nextPageToken"),
        failed=failed,
    )


def get_gmail_message_content(
    desk: Desk,
    message_id: MessageId,
    body_offset: Annotated[int, Field(ge=0, description="Where to read on in a long body, in characters")] = 0,
) -> Mail:
    """One whole mail."""
    box = Mailbox(desk)
    message = box.message(message_id)
    return mail.mail(message, box.label_names([message]), desk.zone, desk.body_limit, body_offset)


def get_gmail_messages_content_batch(
    desk: Desk,
    message_ids: MessageIds,
    format: Annotated[Literal["full", "metadata"], Field(description="metadata: without bodies")] = "full",
) -> MailBatch:
    """Several mails at once."""
    box, ids = Mailbox(desk), list(dict.fromkeys(message_ids))
    if format == "metadata":
        heads, failed = box.summaries(ids)
        return MailBatch(messages=list(heads), failed=failed)
    messages, failed = box.messages(ids)
    return MailBatch(messages=list(box.shaped(messages, box.label_names(messages))), failed=failed)


def get_gmail_attachment_content(desk: Desk, message_id: MessageId, attachment_id: AttachmentId) -> SavedAttachment:
    """One attachment: stored on this machine, and its text where it is readable."""
    box = Mailbox(desk)
    message = box.message(message_id)
    part = mail.attached(message, attachment_id)
    if part is None:
        names = ", ".join(f"{one.attachment_id} ({one.filename})" for one in mail.attachments(message)) or "none"
        raise BadArgument("attachment_id", f"this mail has no attachment {attachment_id!r}; it has: {names}.")
    data = box.content(message["id"], fields_of(part.get("body")))
    path = save(desk.downloads / safe_name(message["id"]), mail.decoded(part["filename"]), data)
    return SavedAttachment(
        filename=path.name,
        mime_type=part.get("mimeType", "application/octet-stream"),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        path=str(path),
        text=mail.readable(part, data, desk.body_limit),
    )


def get_gmail_thread_content(desk: Desk, thread_id: ThreadId) -> MailThread:
    """A whole conversation."""
    box = Mailbox(desk)
    thread = box.thread(thread_id)
    return box.conversation(thread, box.label_names(thread.get("messages", [])))


def get_gmail_threads_content_batch(desk: Desk, thread_ids: ThreadIds) -> MailThreadBatch:
    """Several conversations at once."""
    box = Mailbox(desk)
    threads, failed = box.threads(list(dict.fromkeys(thread_ids)))
    names = box.label_names([message for thread in threads for message in thread.get("messages", [])])
    return MailThreadBatch(threads=[box.conversation(one, names, len(threads)) for one in threads], failed=failed)


def list_gmail_labels(desk: Desk) -> LabelList:
    """All labels with their counts."""
    resource = desk.google.resource(LABELS)
    labels = desk.google.execute(resource.list(userId="me")).get("labels", [])
    counts = desk.google.batch({label["id"]: resource.get(userId="me", id=label["id"]) for label in labels})
    return LabelList(labels=[mail.label(one, counts[one["id"]]) for one in labels])


def list_gmail_filters(desk: Desk) -> FilterList:
    """All filters."""
    found = desk.google.execute(desk.google.resource("gmail.users.settings.filters").list(userId="me"))
    return FilterList(
        filters=[
            MailFilter(filter_id=item["id"], criteria=item.get("criteria", {}), action=item.get("action", {}))
            for item in found.get("filter", [])
        ]
    )
