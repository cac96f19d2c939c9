"""A desk's mail: fetched in as few requests as there can be, and shaped."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.google.errors import GoogleError
from core.mcp_server.desk import Desk
from core.mcp_server.results import Failure, Mail, MailSummary, MailThread
from core.mcp_server.shaping.mail import HEADERS, NO_SUBJECT, bytes_of, mail, summary

LABELS = "gmail.users.labels"
LABEL_LIST = "labels of the account"
LEAST_BODY = 800
Json = dict[str, Any]
Answers = Mapping[str, Json | GoogleError]


@dataclass(frozen=True)
class Mailbox:
    """The acting account's mail."""

    desk: Desk

    def message(self, message_id: str) -> Json:
        """One message, whole."""
        return self.desk.google.execute(self._get("messages", message_id, format="full"))

    def messages(self, ids: Iterable[str]) -> tuple[list[Json], list[Failure]]:
        """Several messages, whole, each once; and those that could not be had."""
        return split(self.desk.google.batch({one: self._get("messages", one, format="full") for one in ids}))

    def thread(self, thread_id: str) -> Json:
        """One conversation."""
        return self.desk.google.execute(self._get("threads", thread_id, format="full"))

    def threads(self, ids: Iterable[str]) -> tuple[list[Json], list[Failure]]:
        """Several conversations, each once; and those that could not be had."""
        return split(self.desk.google.batch({one: self._get("threads", one, format="full") for one in ids}))

    def summaries(self, ids: Sequence[str]) -> tuple[list[MailSummary], list[Failure]]:
        """The heads of several mails; the labels' names come along in the same request."""
        if not ids:
            return [], []
        gets = {one: self._get("messages", one, format="metadata", metadataHeaders=list(HEADERS)) for one in ids}
        answers = self.desk.google.batch({**gets, LABEL_LIST: self._list_labels()})
        labels = answers.pop(LABEL_LIST)
        had, failed = split(answers)
        names = {} if isinstance(labels, GoogleError) else names_in(labels)
        return [summary(message, names, self.desk.zone) for message in had], failed

    def label_names(self, messages: Iterable[Json]) -> dict[str, str]:
        """Names of labels; asked for only where a mail has one of the user's own."""
        ids = {label for message in messages for label in message.get("labelIds", [])}
        if all(label.isupper() for label in ids):
            return {}
        return names_in(self.desk.google.execute(self._list_labels()))

    def shaped(self, messages: Sequence[Json], names: Mapping[str, str], several: int = 1) -> list[Mail]:
        """Whole mails; together their bodies stay within twice the size of one.

        Args:
            several: how many such lists are in one result.
        """
        limit = self.desk.body_limit
        if len(messages) * several > 1:
            limit = min(limit, max(LEAST_BODY, 2 * limit // (len(messages) * several)))
        return [mail(message, names, self.desk.zone, limit) for message in messages]

    def conversation(self, thread: Json, names: Mapping[str, str], several: int = 1) -> MailThread:
        """A conversation, oldest mail first."""
        mails = self.shaped(sorted(thread.get("messages", []), key=sent), names, several)
        return MailThread(thread_id=thread["id"], subject=mails[0].subject if mails else NO_SUBJECT, messages=mails)

    def content(self, message_id: str, body: Json) -> bytes:
        """The bytes of a part; Google's id for them is good only for this moment."""
        if "attachmentId" not in body:
            return bytes_of(body)
        attachments = self.desk.google.resource("gmail.users.messages.attachments")
        request = attachments.get(userId="me", messageId=message_id, id=body["attachmentId"])
        return bytes_of(self.desk.google.execute(request))

    def _get(self, kind: str, one: str, **options: Any) -> Any:
        return self.desk.google.resource(f"gmail.users.{kind}").get(userId="me", id=one, **options)

    def _list_labels(self) -> Any:
        return self.desk.google.resource(LABELS).list(userId="me")


def split(answers: Answers) -> tuple[list[Json], list[Failure]]:
    """What came, and why the rest did not."""
    had = [answer for answer in answers.values() if not isinstance(answer, GoogleError)]
    failed = [Failure(id=key, reason=one.sentence) for key, one in answers.items() if isinstance(one, GoogleError)]
    return had, failed


def names_in(labels: Json) -> dict[str, str]:
    """Label id → name."""
    return {label["id"]: label["name"] for label in labels.get("labels", [])}


def sent(message: Json) -> int:
    """When a message was sent, in milliseconds."""
    return int(message["internalDate"])
