"""What can go wrong with Google, each as one sentence with a next step."""

import errno
import http.client
import json
import re
from typing import Any

import httplib2
from google.auth.exceptions import RefreshError, TransportError
from googleapiclient.errors import BatchError, HttpError
from googleapiclient.errors import Error as ClientError

from core.errors import GlassdeskError

THINGS = {
    "messages": "mail",
    "threads": "conversation",
    "attachments": "attachment",
    "labels": "label",
    "filters": "filter",
    "drafts": "draft",
    "events": "event",
    "calendars": "calendar",
    "calendarList": "calendar",
    "files": "file",
    "drives": "shared drive",
    "permissions": "file or permission",
    "comments": "file or comment",
    "replies": "comment",
    "documents": "document",
    "spreadsheets": "spreadsheet",
    "values": "spreadsheet",
    "presentations": "presentation",
    "pages": "slide",
}
SERVICES = {
    "gmail": "Gmail",
    "calendar": "Google Calendar",
    "drive": "Google Drive",
    "docs": "Google Docs",
    "sheets": "Google Sheets",
    "slides": "Google Slides",
}
SLOW_DOWN = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "sharingRateLimitExceeded", "RATE_LIMIT_EXCEEDED"})
USED_UP = frozenset({"dailyLimitExceeded", "quotaExceeded", "dailyLimitExceededUnreg"})
NOT_ENABLED = frozenset({"accessNotConfigured", "SERVICE_DISABLED"})
NOT_ALLOWED = frozenset({"insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT"})
LINK = re.compile(r"https://console\.[^\s\"]+")
SCOPES = re.compile(r"https://www\.googleapis\.com/auth/([\w.]+)")
LOST = (http.client.HTTPException, httplib2.HttpLib2Error, OSError)
UNREACHED = (httplib2.ServerNotFoundError, ConnectionRefusedError, TransportError)
NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL})
FAILURES = (HttpError, ClientError, RefreshError, TransportError, *LOST)
CONNECT_AGAIN = (
    "Google no longer accepts the sign-in of this account. Connect the account again, then repeat the question."
)
UNKNOWN = "Google did not confirm the change, so it is unknown whether it was made. Check before you try it again."


class GoogleError(GlassdeskError):
    """Google could not be asked, or said no.

    Attributes:
        status: HTTP status; None where there was no answer.
        reason: Google's reason, or one of `timeout`, `noNetwork`, `lostReply`, `signIn`, `badAnswer`.
        transient: whether the same read may succeed in a moment.
        retry_after: seconds that Google asks to wait, where it says so.
    """

    code = "google"
    http_status = 502

    @property
    def outcome_unknown(self) -> bool:
        """Whether a change may have been made although nothing confirmed it."""
        return self.sentence == UNKNOWN

    def __init__(
        self,
        sentence: str,
        status: int | None = None,
        reason: str = "",
        transient: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status, self.reason, self.transient, self.retry_after = status, reason, transient, retry_after


def google_error(error: BaseException, method_id: str, reads: bool) -> GoogleError:
    """What a failure means for the person.

    Args:
        error: one of `FAILURES`.
        method_id: Google's name of the method, such as `gmail.users.messages.get`.
        reads: whether the request changes nothing.
    """
    if isinstance(error, HttpError) and not isinstance(error, BatchError):
        return answered(error, method_id, reads)
    if isinstance(error, RefreshError) and not error.retryable:
        return GoogleError(CONNECT_AGAIN, reason="signIn")
    if isinstance(error, UNREACHED) or (isinstance(error, OSError) and error.errno in NO_ROUTE):
        return GoogleError("Google cannot be reached. Check the network, then try again.", None, "noNetwork", reads)
    if isinstance(error, (*LOST, RefreshError)):
        return unanswered(error, reads)
    return unreadable(reads)


def unreadable(reads: bool) -> GoogleError:
    """Something answered, but not as Google does, such as the sign-in page of a hotel's network."""
    sentence = "What answered was not Google. Check the network (a sign-in page, a proxy), then try again."
    return GoogleError(sentence if reads else UNKNOWN, reason="badAnswer")


def unanswered(error: BaseException, reads: bool) -> GoogleError:
    """The request went out, and no answer came."""
    if not reads:
        return GoogleError(UNKNOWN, reason="lostReply")
    if isinstance(error, TimeoutError):
        return GoogleError("Google did not answer in time. Try again in a minute.", reason="timeout", transient=True)
    return GoogleError("The connection to Google broke. Try again.", reason="lostReply", transient=True)


def answered(error: HttpError, method_id: str, reads: bool) -> GoogleError:
    """Google's own errors."""
    status, body = int(error.resp.status), parsed(error.content)
    reason, wait = reason_of(body), seconds(error.resp.get("retry-after"))
    if status == 429 or reason in SLOW_DOWN:
        return GoogleError(slow_down(wait), status, reason or "rateLimitExceeded", reads, wait)
    if status >= 500:
        sentence = f"Google has a problem of its own ({status}). Try again in a minute." if reads else UNKNOWN
        return GoogleError(sentence, status, reason or "backendError", reads, wait)
    return GoogleError(refusal(status, reason, body, error.resp, method_id), status, reason)


def refusal(status: int, reason: str, body: dict[str, Any], headers: Any, method_id: str) -> str:
    """The sentence for an answer that will not change by asking again."""
    message = str(body.get("message", ""))[:300].rstrip(".")
    thing = THINGS.get(method_id.split(".")[-2] if "." in method_id else "", "thing")
    if status == 401:
        return CONNECT_AGAIN
    if status == 403:
        return forbidden(reason, body, headers, method_id)
    if status == 404:
        return f"There is no such {thing}, or this account may not see it. Search again for its current id."
    if status == 410:
        return f"That {thing} has been deleted already; nothing is left to do."
    if status == 412:
        return f"The {thing} was changed by somebody else in the meantime. Read it again, then repeat the change."
    return f"Google did not accept the request: {message or reason or status}. Correct it and try again."


def forbidden(reason: str, body: dict[str, Any], headers: Any, method_id: str) -> str:
    """The sentence for a 403."""
    service = SERVICES.get(method_id.split(".", 1)[0], "Google")
    text = json.dumps(body)
    if reason in NOT_ENABLED:
        link = LINK.search(text)
        where = link.group().rstrip(".,\\") if link else "https://console.cloud.google.com/apis/library"
        return f"The {service} API is not enabled for this app. Enable it at {where}, wait a minute, then try again."
    if reason in NOT_ALLOWED:
        missing = ", ".join(sorted(set(SCOPES.findall(headers.get("www-authenticate", "") + text))))
        what = f" (missing: {missing})" if missing else ""
        return f"This account has not allowed the app to do that with {service}{what}. Connect it again and allow it."
    if reason in USED_UP:
        return f"The daily quota for {service} is used up. Try again tomorrow, or raise the quota in Google Cloud."
    if reason == "domainPolicy":
        return f"The organisation's administrator has turned {service} off for this account. Ask the administrator."
    message = str(body.get("message", reason))[:300].rstrip(".")
    return f"This account may not do that: {message}. Ask the owner for access."


def slow_down(wait: float | None) -> str:
    """The sentence for a rate limit."""
    when = f"in {wait:.0f} seconds" if wait else "in a minute"
    return f"Google asks to slow down: too many requests for this account. Try again {when}."


def parsed(content: bytes) -> dict[str, Any]:
    """The `error` object of Google's answer, `{}` where there is none."""
    try:
        value = json.loads(content)
    except ValueError:
        return {}
    error = value.get("error") if isinstance(value, dict) else None
    return error if isinstance(error, dict) else {}


def reason_of(body: dict[str, Any]) -> str:
    """Google's machine-readable reason: the newer APIs hide it in `details`."""
    lists = [body[name] for name in ("details", "errors") if isinstance(body.get(name), list)]
    found = [item["reason"] for items in lists for item in items if isinstance(item, dict) and item.get("reason")]
    return str(found[0]) if found else ""


def seconds(value: str | None) -> float | None:
    """A `Retry-After` in seconds; a date there is ignored."""
    return float(value) if value and value.strip().isdigit() else None
