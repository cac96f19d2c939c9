"""What goes into an event beside its times: guests, reminders, calls, files; and who is told of it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.mcp_server.addresses import addresses
from core.mcp_server.desk import BadArgument

Json = dict[str, Any]
SendUpdates = Literal["all", "externalOnly", "none"]
DRIVE_ID = re.compile(r"[\w-]{10,}", re.ASCII)
MOST_FILES = 25
NOTHING: Json = {}
"""In a patch: the call is taken away."""


class Reminder(BaseModel):
    """When and how to be reminded."""

    model_config = ConfigDict(extra="forbid")

    minutes: int = Field(ge=0, le=40320, description="Before the beginning; at most four weeks")
    method: Literal["popup", "email"] = "popup"


def invited(people: Sequence[str], known: Sequence[Json] = ()) -> list[Json]:
    """The guests that a list names; who was invited before keeps what they answered.

    Args:
        known: the event's guests before. The organizer, the person themself and rooms stay without being named.

    Raises:
        BadArgument: one is no address.
    """
    before = {one.get("email", "").casefold(): one for one in known}
    named = {one.addr_spec.casefold(): one for text in people for one in addresses("attendees", text)}
    kept = [
        one
        for email, one in before.items()
        if email not in named and (one.get("organizer") or one.get("self") or one.get("resource"))
    ]
    guests = [
        before.get(email) or {"email": one.addr_spec, **({"displayName": one.display_name} if one.display_name else {})}
        for email, one in named.items()
    ]
    return [*kept, *guests] if guests else [one for one in kept if one.get("resource")]


def reminding(reminders: Sequence[Reminder] | None, use_default: bool | None) -> Json | None:
    """The reminders of an event; None where nothing is said about them."""
    if reminders:
        return {"useDefault": False, "overrides": [one.model_dump() for one in reminders]}
    if use_default is None and reminders is None:
        return None
    return {"useDefault": bool(use_default) and reminders is None, "overrides": []}


def meeting(key: str) -> Json:
    """The wish for a Meet link; the same key makes the same one."""
    return {"createRequest": {"requestId": key, "conferenceSolutionKey": {"type": "hangoutsMeet"}}}


def whole(patch: Json) -> Json:
    """A patch as Google takes it: null removes."""
    return {key: None if key == "conferenceData" and value == NOTHING else value for key, value in patch.items()}


def files(names: Sequence[str]) -> list[Json]:
    """Files of Drive, by link or id.

    Raises:
        BadArgument: one is neither.
    """
    if len(names) > MOST_FILES:
        raise BadArgument("attachments", f"an event can have at most {MOST_FILES} files.")
    return [{"fileUrl": link(name.strip())} for name in names]


def link(name: str) -> str:
    """The link of a file."""
    if name.startswith("https://"):
        return name
    if not DRIVE_ID.fullmatch(name):
        raise BadArgument("attachments", f"{name!r} is neither an https link nor the id of a Drive file.")
    return f"https://drive.google.com/open?id={name}"


def others(event: Mapping[str, Any], account: str) -> list[str]:
    """The addresses of everybody invited but the person; rooms are not people."""
    return [
        one.get("email", "")
        for one in event.get("attendees", [])
        if not one.get("self") and not one.get("resource") and one.get("email", "").casefold() != account.casefold()
    ]


def told(guests: Sequence[str], updates: SendUpdates | None, account: str, what: str) -> str:
    """Who hears of a change, in a sentence.

    Args:
        guests: before or after the change.
        what: is sent, such as `Invitations`.
    """
    if not guests:
        return "There are no guests, so nobody is told."
    home = account.rpartition("@")[2]
    hear = [one for one in guests if updates != "externalOnly" or one.rpartition("@")[2] != home]
    if updates == "none" or not hear:
        return f"Nobody is told: no mails go to {', '.join(guests)}."
    return f"{what} go to {', '.join(hear)}."
