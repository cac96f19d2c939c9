"""The Gmail tools that put mail in order: labels, and filters."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.mcp_server.addresses import one_line
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.labelling import Labels, change, json_of
from core.mcp_server.mailbox import LABELS, Json, Mailbox
from core.mcp_server.results import FilterChange, LabelChange, LabelledMail, MailFilter, MailLabels, MailSummary
from core.mcp_server.shaping.text import fields_of

Text = str | None
LabelNames = Annotated[
    list[str] | None, Field(description="Label ids or names, such as STARRED, UNREAD, INBOX, TRASH, Invoices")
]
FILTERS = "gmail.users.settings.filters"
NEW_MAIL = "It works on mail that arrives from now on."


class _Terms(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Criteria(_Terms):
    """Which mail a filter takes, in Google's terms."""

    sender: Text = Field(default=None, alias="from")
    to: Text = None
    subject: Text = None
    query: Text = Field(default=None, description="Gmail search")
    negatedQuery: Text = Field(default=None, description="Gmail search for what is left out")
    hasAttachment: bool | None = None
    excludeChats: bool | None = None
    size: int | None = Field(default=None, ge=0, description="Bytes, with sizeComparison")
    sizeComparison: Literal["larger", "smaller"] | None = None


class Action(_Terms):
    """What a filter does, in Google's terms."""

    addLabelIds: list[str] | None = Field(default=None, description="Label ids or names")
    removeLabelIds: list[str] | None = Field(default=None, description="Likewise; INBOX archives, UNREAD marks as read")
    forward: Text = Field(default=None, description="A forwarding address that Gmail has verified")


def modify_gmail_message_labels(
    desk: Desk,
    message_id: Annotated[str, Field(description="A message_id from an earlier result", min_length=1)],
    add_label_ids: LabelNames = None,
    remove_label_ids: LabelNames = None,
) -> MailLabels:
    """Change the labels of one mail."""
    labels = Labels.of(desk)
    body = change(labels, add_label_ids, remove_label_ids)
    mails, failed = Mailbox(desk).summaries([message_id])
    if not mails:
        raise BadArgument("message_id", failed[0].reason)
    messages = desk.google.resource("gmail.users.messages")
    after = desk.google.execute(messages.modify(userId="me", id=message_id, body=body))
    return _labelled(labels, body, mails, {message_id: after.get("labelIds", [])})


def batch_modify_gmail_message_labels(
    desk: Desk,
    message_ids: Annotated[list[str], Field(description="message_ids", min_length=1, max_length=100)],
    add_label_ids: LabelNames = None,
    remove_label_ids: LabelNames = None,
) -> MailLabels:
    """Change the labels of several mails alike."""
    labels, ids = Labels.of(desk), list(dict.fromkeys(message_ids))
    body = change(labels, add_label_ids, remove_label_ids)
    mails, failed = Mailbox(desk).summaries(ids)
    if not mails:
        raise BadArgument("message_ids", f"none of these mails can be changed. {failed[0].reason}")
    there = [mail.message_id for mail in mails]
    messages = desk.google.resource("gmail.users.messages")
    desk.google.execute(messages.batchModify(userId="me", body={"ids": there, **body}))
    done = _labelled(labels, body, mails, {})
    return done.model_copy(update={"failed": failed})


def manage_gmail_label(
    desk: Desk,
    action: Literal["create", "update", "delete"],
    name: Annotated[Text, Field(description="The label's name, or its new one; `A/B` is B below A")] = None,
    label_id: Annotated[Text, Field(description="Which label to update or delete: its id or name")] = None,
    label_list_visibility: Literal["labelShow", "labelShowIfUnread", "labelHide"] | None = None,
    message_list_visibility: Literal["show", "hide"] | None = None,
) -> LabelChange:
    """Make, change or delete a label itself."""
    resource = desk.google.resource(LABELS)
    title = one_line("name", name or "") or None
    looks = {"labelListVisibility": label_list_visibility, "messageListVisibility": message_list_visibility}
    body = json_of({"name": title, **looks})
    if action == "create":
        if title is None:
            raise BadArgument("name", "a new label needs one.")
        made = desk.google.execute(resource.create(userId="me", body=body))
        return LabelChange(action="created", label_id=made["id"], name=made["name"])
    if not label_id and not (action == "delete" and title):
        raise BadArgument("label_id", "say which label, by its id or name.")
    labels = Labels.of(desk)
    found = labels.own("label_id", label_id or title or "")
    if action == "delete":
        return _deleted(desk, found)
    if not body:
        raise BadArgument("name", "give a new name or a visibility.")
    after = desk.google.execute(resource.patch(userId="me", id=found, body=body))
    return LabelChange(action="updated", label_id=found, name=after["name"], before=labels.names[found])


def create_gmail_filter(desk: Desk, criteria: Criteria, action: Action) -> FilterChange:
    """Make a filter."""
    terms = json_of(criteria.model_dump(by_alias=True))
    if not terms:
        raise BadArgument("criteria", "say which mail it takes, such as {from: news@example.com}.")
    if (criteria.size is None) != (criteria.sizeComparison is None):
        raise BadArgument("criteria", "size and sizeComparison go together.")
    labels = Labels.of(desk)
    does = json_of(
        {
            "addLabelIds": labels.all("action.addLabelIds", action.addLabelIds) or None,
            "removeLabelIds": labels.all("action.removeLabelIds", action.removeLabelIds) or None,
            "forward": action.forward or None,
        }
    )
    if not does:
        raise BadArgument("action", "say what it does: addLabelIds, removeLabelIds or forward.")
    made = desk.google.execute(
        desk.google.resource(FILTERS).create(userId="me", body={"criteria": terms, "action": does})
    )
    return FilterChange(action="created", filter=_filter(made), note=NEW_MAIL)


def delete_gmail_filter(
    desk: Desk, filter_id: Annotated[str, Field(description="A filter_id from list_gmail_filters", min_length=1)]
) -> FilterChange:
    """Delete a filter."""
    resource = desk.google.resource(FILTERS)
    before = desk.google.execute(resource.get(userId="me", id=filter_id))
    desk.google.execute(resource.delete(userId="me", id=filter_id))
    return FilterChange(action="deleted", filter=_filter(before), note="What it did to earlier mail stays.")


def _labelled(
    labels: Labels, body: dict[str, list[str]], mails: list[MailSummary], after: dict[str, list[str]]
) -> MailLabels:
    """What changed; where Gmail does not say what a mail has now, it follows from what it had."""
    added, removed = labels.named(body["addLabelIds"]), labels.named(body["removeLabelIds"])
    now = {
        mail.message_id: labels.named(after[mail.message_id])
        if mail.message_id in after
        else [*(one for one in mail.labels if one not in removed), *(one for one in added if one not in mail.labels)]
        for mail in mails
    }
    return MailLabels(
        added=added,
        removed=removed,
        messages=[
            LabelledMail(
                message_id=mail.message_id, thread_id=mail.thread_id, subject=mail.subject, labels=now[mail.message_id]
            )
            for mail in mails
        ],
        unchanged=sum(set(now[mail.message_id]) == set(mail.labels) for mail in mails),
    )


def _deleted(desk: Desk, label_id: str) -> LabelChange:
    resource = desk.google.resource(LABELS)
    before = desk.google.execute(resource.get(userId="me", id=label_id))
    desk.google.execute(resource.delete(userId="me", id=label_id))
    note = "It was taken off these mails; the mails stay."
    return LabelChange(
        action="deleted", label_id=label_id, name=before["name"], total=before.get("messagesTotal"), note=note
    )


def _filter(item: Json) -> MailFilter:
    return MailFilter(
        filter_id=item["id"], criteria=fields_of(item.get("criteria")), action=fields_of(item.get("action"))
    )
