"""What a call would do, as a person can judge it: the mail as it will leave, an event before and after."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from email.headerregistry import Address
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter, ValidationError

from core.errors import GlassdeskError
from core.google.clients import Google, GoogleClients
from core.mcp_server.desk import Desk
from core.mcp_server.enclosures import FileArgument
from core.mcp_server.labelling import Labels, change
from core.mcp_server.mailbox import Mailbox
from core.mcp_server.outbox import Answering, Outbox, Wish
from core.mcp_server.rehearsal import rehearse
from core.mcp_server.server import tool_functions
from core.mcp_server.shaping.changes import described
from core.mcp_server.shaping.files import folder_of
from core.registry.manifests import Catalogue
from core.runtime.names import FILE_IDS
from core.runtime.summaries import summary_of
from core.store.tables import Approval
from core.users import User

Json = dict[str, Any]
FILES = TypeAdapter(list[FileArgument])
TIMES = {"start_time": "start", "end_time": "end"}
USUAL = ("reminders", "guests can change it", "guests can invite others", "guests see each other")
"""Properties that say nothing where nothing was said about them."""


@dataclass(frozen=True)
class Change:
    """A property before and after; None where it has none."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class MailSketch:
    """A mail as it will leave; files are (name, bytes)."""

    sender: str
    to: tuple[str, ...]
    cc: tuple[str, ...]
    bcc: tuple[str, ...]
    subject: str
    body: str
    html: bool
    reply: bool
    files: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class LabelSketch:
    """Labels by name, and the mails that they go to or leave."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    mails: tuple[str, ...]


@dataclass(frozen=True)
class Preview:
    """What a call would do.

    Attributes:
        summary: one plain sentence, with names instead of ids.
        changes: properties of an event or another thing.
        compares: whether there is a before.
        problem: why it would fail as it is, or could not be looked at.
    """

    summary: str
    mail: MailSketch | None = None
    labels: LabelSketch | None = None
    changes: tuple[Change, ...] = ()
    compares: bool = False
    problem: str | None = None


@dataclass(frozen=True)
class Previews:
    """Looks at Google as the account that would act; nothing is changed.

    Attributes:
        downloads: holds a folder an account, for attachments that were saved from mails.
        uploads: likewise, for files that people gave to the app.
    """

    catalogue: Catalogue
    clients: GoogleClients
    downloads: Path
    uploads: Path

    def of(self, user: User, approval: Approval) -> Preview:
        """The preview of a call that waits; blocks while Google is asked."""
        plain = Preview(approval.summary)
        if not any(tool.name == approval.tool for _, tool in self.catalogue.tools()):
            return plain  # of a server that the person has added: its ids are not Google's
        look = LOOKS.get(approval.tool, named_file)
        try:
            return look(self, user, approval, plain)
        except ValidationError as error:
            problem = error.errors()[0]
            return replace(plain, problem=f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}.")
        except GlassdeskError as error:
            return replace(plain, problem=error.sentence)
        except (TypeError, ValueError, KeyError, AttributeError):  # a model wrote what no tool takes
            return replace(plain, problem="These arguments do not fit what this tool takes.")

    def desk(self, user: User, account: str, google: Google | None = None) -> Desk:
        """Where the call would be made."""
        folder = folder_of(account)
        return Desk(
            google=google or self.clients.for_account(account, user.id),
            zone=user.zone,
            downloads=self.downloads / folder,
            uploads=self.uploads / folder,
        )

    def renamed(self, approval: Approval, **names: str) -> str:
        """The summary, with names in the place of ids."""
        return summary_of(self.catalogue, approval.tool, {**approval.arguments, **names})


Look = Callable[[Previews, User, Approval, Preview], Preview]


def mail(previews: Previews, user: User, approval: Approval, plain: Preview) -> Preview:
    """A mail, completed as the tool completes it."""
    given, outbox = approval.arguments, Outbox(previews.desk(user, approval.account))
    wish = Wish(
        given.get("to"),
        given.get("cc"),
        given.get("bcc"),
        given.get("subject") or "",
        given.get("body") or "",
        given.get("body_format") or "plain",
        given.get("from_name"),
        given.get("from_email"),
        FILES.validate_python(given.get("attachments") or []),
    )
    letter, _ = outbox.written(wish, Answering(*(given.get(key) for key in ("thread_id", "in_reply_to", "references"))))
    sketch = MailSketch(
        sender=str(letter.sender or approval.account),
        to=people(letter.to),
        cc=people(letter.cc),
        bcc=people(letter.bcc),
        subject=letter.subject,
        body=letter.body,
        html=letter.body_format == "html",
        reply=letter.answers is not None,
        files=tuple((file.name, len(file.data)) for file in letter.files),
    )
    return replace(plain, summary=previews.renamed(approval, subject=letter.subject), mail=sketch)


def people(addresses: Sequence[Address]) -> tuple[str, ...]:
    """Each with the address in full, whatever name is claimed."""
    return tuple(f"{one.display_name} <{one.addr_spec}>" if one.display_name else one.addr_spec for one in addresses)


def event(previews: Previews, user: User, approval: Approval, plain: Preview) -> Preview:
    """An event before and after; the body is the one that the tool would send."""
    function = tool_functions("calendar")[approval.tool]
    google = previews.clients.for_account(approval.account, user.id)
    before, body = rehearse(
        lambda one: previews.desk(user, approval.account, one), google, function, approval.arguments
    )
    if approval.tool == "create_event":
        new = told(body, user.zone)
        times = {"start_time": new["start"] or "", "end_time": new["end"] or ""}
        return replace(plain, summary=previews.renamed(approval, **times), changes=listed({}, new))
    known = told(before, user.zone)
    summary = previews.renamed(approval, event_id=f"“{before.get('summary') or 'without a title'}”")
    if approval.tool == "delete_event":
        return replace(plain, summary=summary, changes=listed({}, known))
    after = told(merged(before, body), user.zone)
    moved = {name: after[key] or "" for name, key in TIMES.items() if approval.arguments.get(name)}
    summary = previews.renamed(approval, event_id=f"“{before.get('summary') or 'without a title'}”", **moved)
    return replace(plain, summary=summary, changes=compared(known, after), compares=True)


def told(event: Json, zone: ZoneInfo) -> dict[str, str | None]:
    """An event's properties in words, its times as people say them."""
    known = described(event, zone)
    return {**known, **{name: spoken(known[name]) for name in TIMES.values()}}


def spoken(moment: str | None) -> str | None:
    """A date or a time in words; anything else as it is."""
    try:
        at = datetime.fromisoformat(moment or "")
    except ValueError:
        return moment
    return f"{at:%a %-d %b %Y}" + (f", {at:%H:%M}" if "T" in (moment or "") else "")


def merged(before: Json, patch: Json) -> Json:
    """An event after a patch: objects are merged, and what is None is taken away."""
    after = dict(before)
    for key, value in patch.items():
        after[key] = merged(before.get(key) or {}, value) if isinstance(value, dict) else value
    return {key: value for key, value in after.items() if value is not None}


def listed(known: Mapping[str, str | None], after: Mapping[str, str | None]) -> tuple[Change, ...]:
    """The properties that a new or a lost thing has."""
    return tuple(Change(name, known.get(name), value) for name, value in after.items() if value and name not in USUAL)


def compared(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> tuple[Change, ...]:
    """The properties that differ, after those by which a person knows the thing."""
    kept = [name for name in ("title", "start", "end") if before.get(name)]
    names = [*kept, *(name for name in after if after[name] != before[name] and name not in kept)]
    return tuple(Change(name, before[name], after[name]) for name in names)


def labels(previews: Previews, user: User, approval: Approval, plain: Preview) -> Preview:
    """Which labels of which mails change, by name."""
    given, desk = approval.arguments, previews.desk(user, approval.account)
    known = Labels.of(desk)
    body = change(known, given.get("add_label_ids"), given.get("remove_label_ids"))
    ids = [given["message_id"]] if "message_id" in given else list(dict.fromkeys(given["message_ids"]))
    mails, failed = Mailbox(desk).summaries(ids)
    lines = [f"{one.sender} <{one.sender_email}>: {one.subject}" for one in mails]
    sketch = LabelSketch(
        tuple(known.named(body["addLabelIds"])),
        tuple(known.named(body["removeLabelIds"])),
        (*lines, *(one.reason for one in failed)),
    )
    return replace(plain, labels=sketch)


def mail_filter(previews: Previews, user: User, approval: Approval, plain: Preview) -> Preview:
    """What the filter that goes away does."""
    google = previews.clients.for_account(approval.account, user.id)
    filters = google.resource("gmail.users.settings.filters")
    found = google.execute(filters.get(userId="me", id=approval.arguments["filter_id"]))
    told = {**found.get("criteria", {}), **found.get("action", {})}
    return replace(plain, changes=tuple(Change(name, None, str(value)) for name, value in told.items()))


def named_file(previews: Previews, user: User, approval: Approval, plain: Preview) -> Preview:
    """The file that a call names; nothing for any other."""
    key = next((key for key in FILE_IDS if approval.arguments.get(key)), None)
    if key is None:
        return plain
    google = previews.clients.for_account(approval.account, user.id)
    request = google.resource("drive.files").get(fileId=approval.arguments[key], fields="name", supportsAllDrives=True)
    name = google.execute(request).get("name") or "without a name"
    return replace(plain, changes=(Change("File", None, str(name)),))


LOOKS: Mapping[str, Look] = {
    "send_gmail_message": mail,
    "draft_gmail_message": mail,
    "create_event": event,
    "modify_event": event,
    "delete_event": event,
    "modify_gmail_message_labels": labels,
    "batch_modify_gmail_message_labels": labels,
    "delete_gmail_filter": mail_filter,
}
