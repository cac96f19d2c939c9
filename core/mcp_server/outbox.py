"""A desk's outgoing mail: which conversation it joins, who it is from, and that it leaves exactly once."""

import io
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from email.headerregistry import Address
from typing import Any

from googleapiclient.http import HttpRequest, MediaIoBaseUpload

from core.google.errors import GoogleError
from core.mcp_server.addresses import addresses, known_ids, message_ids, one_line
from core.mcp_server.compose import Answered, BodyFormat, Letter, composed
from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.enclosures import FileArgument, enclosures
from core.mcp_server.shaping.mail import headers_of

LOOKS = (0.0, 1.0, 2.0)
"""Seconds to wait before each look for a mail whose sending nobody confirmed."""
SMALL = 4 * 1024 * 1024
"""Bytes up to which a mail fits into the JSON of a request; Google's limit for that is 5 MB."""
REPLY = re.compile(r"\s*(?:(?:re|aw|wg|fwd?|sv|antw|tr|rv)\s*(?:\[\d+\])?\s*[:：]\s*)+", re.IGNORECASE)
ANSWER = re.compile(r"\s*(?:(?:re|aw|sv|antw)\s*(?:\[\d+\])?\s*[:：]\s*)+", re.IGNORECASE)
Json = dict[str, Any]


@dataclass(frozen=True)
class Wish:
    """A mail as a model wants it, nothing of it checked yet."""

    to: str | None
    cc: str | None
    bcc: str | None
    subject: str
    body: str
    body_format: BodyFormat
    from_name: str | None
    from_email: str | None
    files: Sequence[FileArgument]


@dataclass(frozen=True)
class Answering:
    """What a mail answers; the conversation's id alone is enough."""

    thread_id: str | None = None
    in_reply_to: str | None = None
    references: str | None = None


@dataclass(frozen=True)
class Outbox:
    """The acting account's way to send."""

    desk: Desk

    def written(self, wish: Wish, answering: Answering) -> tuple[Letter, str]:
        """The mail, with everything checked, and its conversation's id (empty: a new one).

        Raises:
            BadArgument: something cannot go into a mail.
            GoogleError: there is no such conversation.
        """
        people = addresses("to", wish.to), addresses("cc", wish.cc), addresses("bcc", wish.bcc)
        files = enclosures(self.desk, wish.files)
        answers, subject = self._joining(one_line("subject", wish.subject), answering)
        sender = self._sender(wish.from_name, wish.from_email)
        message_id = f"{self.desk.key()}@glassdesk.{self.desk.google.account.rpartition('@')[2]}"
        letter = Letter(message_id, *people, subject, wish.body, wish.body_format, sender, answers, files)
        return letter, answering.thread_id or ""

    def _joining(self, subject: str, answering: Answering) -> tuple[Answered | None, str]:
        """What a mail answers, and the subject that fits there."""
        target = message_ids("in_reply_to", answering.in_reply_to)
        chain = message_ids("references", answering.references)
        earlier = subject if target else ""
        if answering.thread_id:
            headers = self._last_of(answering.thread_id)
            earlier = headers.get("subject", "")
            target = target or known_ids(headers.get("message-id", ""))[:1]
            chain = chain or known_ids(headers.get("references") or headers.get("in-reply-to", ""))
        known = tuple(dict.fromkeys((*chain, *target)))
        return (Answered(target[-1], known) if target else None), titled(subject, earlier)

    def _sender(self, name: str | None, address: str | None) -> Address | None:
        """Who a mail is from; None is the account as Gmail knows it.

        Raises:
            BadArgument: the account may not send as that address.
        """
        shown = one_line("from_name", name or "")
        if not (address or shown):
            return None
        aliases = self._aliases()
        wanted = addresses("from_email", address or next(iter(aliases)))
        if len(wanted) != 1 or wanted[0].addr_spec.casefold() not in aliases:
            raise BadArgument("from_email", f"this account cannot send as {address}; it can as {', '.join(aliases)}.")
        spec = wanted[0].addr_spec
        return Address(shown or wanted[0].display_name or aliases[spec.casefold()], addr_spec=spec)

    def send(self, letter: Letter, thread_id: str) -> tuple[Json, bool]:
        """Send a mail with one request; where its answer is lost, look for the mail.

        Returns:
            Gmail's message, and whether Google confirmed it.

        Raises:
            GoogleError: it was not sent, or (`outcome_unknown`) nobody knows.
        """
        messages = self.desk.google.resource("gmail.users.messages")
        request = carrying(messages.send, {"threadId": thread_id} if thread_id else {}, composed(letter))

        def find() -> Json | None:
            found = messages.list(userId="me", q=f"in:sent rfc822msgid:{letter.message_id}", maxResults=1)
            return first(self.desk.google.execute(found).get("messages"))

        return self._surely(request, find)

    def draft(self, letter: Letter, thread_id: str) -> tuple[Json, bool]:
        """Keep a draft; otherwise like `send`."""
        drafts = self.desk.google.resource("gmail.users.drafts")
        request = carrying(drafts.create, {"message": {"threadId": thread_id} if thread_id else {}}, composed(letter))

        def find() -> Json | None:
            found = drafts.list(userId="me", q=f"rfc822msgid:{letter.message_id}", maxResults=1)
            return first(self.desk.google.execute(found).get("drafts"))

        return self._surely(request, find)

    def _surely(self, request: HttpRequest, find: Callable[[], Json | None]) -> tuple[Json, bool]:
        try:
            return self.desk.google.execute(request), True
        except GoogleError as error:
            if not error.outcome_unknown:
                raise
            found = self._look(find)
            if found is None:
                raise
            return found, False

    def _look(self, find: Callable[[], Json | None]) -> Json | None:
        """Look a few times; Gmail's search may be a moment behind."""
        for seconds in LOOKS:
            self.desk.google.rest(seconds)
            try:
                found = find()
            except GoogleError:
                return None
            if found is not None:
                return found
        return None

    def _last_of(self, thread_id: str) -> dict[str, str]:
        """The headers of a conversation's last mail that is no draft."""
        names = ["Message-ID", "References", "In-Reply-To", "Subject"]
        request = self.desk.google.resource("gmail.users.threads").get(
            userId="me", id=thread_id, format="metadata", metadataHeaders=names
        )
        mails = self.desk.google.execute(request).get("messages", [])
        real = [one for one in mails if "DRAFT" not in one.get("labelIds", [])] or mails
        last: Json = max(real, key=lambda one: int(one["internalDate"]), default={})
        return headers_of(last)

    def _aliases(self) -> dict[str, str]:
        """The addresses that the account may send as, the usual one first, with their display names."""
        found = self.desk.google.execute(self.desk.google.resource("gmail.users.settings.sendAs").list(userId="me"))
        return {
            one["sendAsEmail"].casefold(): one.get("displayName", "")
            for one in sorted(found.get("sendAs", []), key=lambda one: not one.get("isDefault", False))
            if one.get("isPrimary") or one.get("verificationStatus", "accepted") == "accepted"
        }


def carrying(method: Callable[..., HttpRequest], body: Json, raw: bytes) -> HttpRequest:
    """A request with a mail: in its JSON, or as an upload where it is too big for that.

    Args:
        body: takes the mail in its `message`, or itself.
    """
    if len(raw) > SMALL:
        return method(userId="me", body=body, media_body=MediaIoBaseUpload(io.BytesIO(raw), "message/rfc822"))
    encoded = {"raw": urlsafe_b64encode(raw).decode()}
    whole = {"message": {**body["message"], **encoded}} if "message" in body else {**body, **encoded}
    return method(userId="me", body=whole)


def titled(given: str, subject: str) -> str:
    """The subject of a mail.

    Args:
        given: what was asked for; empty takes the conversation's.
        subject: of the mail that is answered; empty where none is.

    Raises:
        BadArgument: there is none at all.
    """
    if not (given or subject):
        raise BadArgument("subject", "it is empty. Give the mail a subject.")
    if not subject or (given and bare(given) != bare(subject)):
        return given
    whole = given or subject
    mark = ANSWER.match(whole)
    return f"Re: {whole[mark.end() :] if mark else whole}"


def bare(subject: str) -> str:
    """A subject without the marks of replies, to be compared."""
    return " ".join(REPLY.sub("", subject, count=1).split()).casefold()


def first(items: list[Json] | None) -> Json | None:
    """The first of Google's list, if there is one."""
    return items[0] if items else None
