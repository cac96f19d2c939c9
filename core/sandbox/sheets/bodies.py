"""Bodies of requests, held to Google's description of the API."""

from typing import Any

from core.sandbox.calls import Call
from core.sandbox.docs.schema import check

Json = dict[str, Any]
API = "sheets.v4"


def asked(call: Call, message: str) -> Json:
    """The body of a call; what is null counts as left out, but for cells.

    Args:
        message: what it should be, as Google names it.

    Raises:
        ApiError: 400 where it is something else.
    """
    body: Json = said(call.json())
    check(uncelled(body), message, API)
    return body


def said(value: Any) -> Any:
    """A value without nulls; cells may be null."""
    if isinstance(value, list):
        return [said(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: item if cells(name, item) else said(item) for name, item in value.items() if item is not None}


def cells(name: str, value: Any) -> bool:
    """Whether a field holds the plain cells of a ValueRange."""
    return name == "values" and isinstance(value, list) and any(isinstance(row, list) for row in value)


def uncelled(body: Json) -> Json:
    """A body without the plain cells of ValueRanges, which may be of any type."""
    plain = {name: item for name, item in body.items() if name != "values"}
    if isinstance(body.get("data"), list):
        plain["data"] = [uncelled(one) if isinstance(one, dict) else one for one in body["data"]]
    return plain
