"""Refusals of Google that have nothing to do with what was asked: quota, permission, credentials, trouble."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from core.sandbox.calls import ApiError

PROJECT = "408163264128"
"""Number of the cloud project that the sandbox pretends to be called from."""

SERVICES = {
    "/gmail/": ("Gmail API", "gmail"),
    "/calendar/": ("Google Calendar API", "calendar-json"),
    "/v1/documents": ("Google Docs API", "docs"),
    "/v4/spreadsheets": ("Google Sheets API", "sheets"),
    "/v1/presentations": ("Google Slides API", "slides"),
}
"""An API's name and host label by the start of its path."""

SCOPES = {
    "gmail": "gmail.modify",
    "calendar-json": "calendar",
    "docs": "documents",
    "sheets": "spreadsheets",
    "slides": "presentations",
}
"""The scope that would do, by host label."""


@dataclass(frozen=True)
class Refusal:
    """What Google answers for a reason: the usual status, the sentence, the domain."""

    status: int
    message: str
    domain: str = "global"
    location: str = ""


REFUSALS = {
    "authError": Refusal(401, "Invalid Credentials", location="header:Authorization"),
    "rateLimitExceeded": Refusal(403, "Rate Limit Exceeded", "usageLimits"),
    "userRateLimitExceeded": Refusal(403, "User Rate Limit Exceeded", "usageLimits"),
    "quotaExceeded": Refusal(403, "Calendar usage limits exceeded.", "usageLimits"),
    "dailyLimitExceeded": Refusal(403, "Daily Limit Exceeded", "usageLimits"),
    "domainPolicy": Refusal(403, "The domain administrators have disabled this service.", "global"),
    "notFound": Refusal(404, "Not Found"),
    "deleted": Refusal(410, "Resource has been deleted"),
    "backendError": Refusal(503, "The service is currently unavailable."),
    "internalError": Refusal(500, "Internal error encountered."),
}

BY_STATUS = {
    401: "authError",
    403: "userRateLimitExceeded",
    404: "notFound",
    410: "deleted",
    429: "rateLimitExceeded",
    500: "internalError",
    503: "backendError",
}
"""The reason where only a status is given."""


def refusal(path: str, status: int, reason: str, retry_after: int | None = None) -> ApiError:
    """Google's error for a reason.

    Args:
        path: path of the request that is refused.
        status: HTTP status; 0 is the usual one of the reason.
        reason: Google's reason; empty is the usual one of the status.
        retry_after: seconds for the `Retry-After` header.
    """
    reason = reason or BY_STATUS.get(status, "backendError")
    headers = {} if retry_after is None else {"retry-after": str(retry_after)}
    if reason in SPECIAL:
        return SPECIAL[reason](path)
    known = REFUSALS.get(reason, Refusal(status or 400, reason))
    return ApiError(
        status or known.status, reason, known.message, headers, domain=known.domain, location=known.location
    )


def not_enabled(path: str) -> ApiError:
    """403: the API is switched off in the cloud project; the sentence holds the page that switches it on."""
    name, label = service(path)
    url = f"https://console.developers.google.com/apis/api/{label}.googleapis.com/overview?project={PROJECT}"
    message = (
        f"{name} has not been used in project {PROJECT} before or it is disabled. Enable it by visiting {url} then "
        "retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and "
        "retry."
    )
    links = [{"description": "Google developers console API activation", "url": url}]
    details: list[Mapping[str, object]] = [
        {"@type": "type.googleapis.com/google.rpc.Help", "links": links},
        error_info("SERVICE_DISABLED", label, {"consumer": f"projects/{PROJECT}", "activationUrl": url}),
    ]
    return ApiError(403, "accessNotConfigured", message, domain="usageLimits", details=details)


def missing_scope(path: str) -> ApiError:
    """403: the token lacks a scope; the header names those that would do."""
    _, label = service(path)
    scope = f"https://www.googleapis.com/auth/{SCOPES.get(label, 'drive')}"
    challenge = f'Bearer realm="https://accounts.google.com/", error="insufficient_scope", scope="{scope}"'
    return ApiError(
        403,
        "insufficientPermissions",
        "Request had insufficient authentication scopes.",
        {"www-authenticate": challenge},
        details=[error_info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", label, {})],
    )


def service(path: str) -> tuple[str, str]:
    """The API that a path belongs to: its name and host label."""
    return next((names for start, names in SERVICES.items() if start in path), ("Google Drive API", "drive"))


def error_info(reason: str, label: str, metadata: dict[str, str]) -> Mapping[str, object]:
    """An entry of `error.details`."""
    kind = "type.googleapis.com/google.rpc.ErrorInfo"
    known = {"service": f"{label}.googleapis.com", **metadata}
    return {"@type": kind, "reason": reason, "domain": "googleapis.com", "metadata": known}


SPECIAL: dict[str, Callable[[str], ApiError]] = {
    "accessNotConfigured": not_enabled,
    "insufficientPermissions": missing_scope,
}
