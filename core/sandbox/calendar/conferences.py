"""Google Meet links of events."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from core.sandbox.calls import ApiError


def with_conference(event: dict[str, Any], old: Mapping[str, Any], version: int) -> dict[str, Any]:
    """An event with the conference that a request asks for.

    Args:
        event: what is to be stored; its `conferenceData` is the request's.
        old: what was stored.
        version: `conferenceDataVersion`: 0 ignores conferences in the request and keeps what there is.

    Raises:
        ApiError: 400 for a request to make a conference without an id.
    """
    wanted = event.get("conferenceData") if version else old.get("conferenceData")
    rest = {name: value for name, value in event.items() if name not in ("conferenceData", "hangoutLink")}
    if isinstance(wanted, Mapping) and "createRequest" in wanted and "conferenceId" not in wanted:
        request = wanted["createRequest"]
        if not isinstance(request, Mapping) or not request.get("requestId"):
            raise ApiError(400, "invalid", "Invalid conference create request.")
        wanted = meeting(str(request["requestId"]))
    if not wanted:
        return rest
    entries = wanted.get("entryPoints")
    entries = entries if isinstance(entries, list) else []
    links = [entry["uri"] for entry in entries if isinstance(entry, Mapping) and "uri" in entry]
    return {**rest, "conferenceData": wanted, **({"hangoutLink": links[0]} if links else {})}


def meeting(request_id: str) -> dict[str, Any]:
    """A new Meet conference; the same request always makes the same one."""
    letters = "".join(chr(ord("a") + byte % 26) for byte in sha256(request_id.encode()).digest()[:10])
    code = f"{letters[:3]}-{letters[3:7]}-{letters[7:]}"
    kind = {"type": "hangoutsMeet"}
    return {
        "createRequest": {
            "requestId": request_id,
            "conferenceSolutionKey": kind,
            "status": {"statusCode": "success"},
        },
        "entryPoints": [
            {"entryPointType": "video", "uri": f"https://meet.google.com/{code}", "label": f"meet.google.com/{code}"}
        ],
        "conferenceSolution": {"key": kind, "name": "Google Meet"},
        "conferenceId": code,
    }
