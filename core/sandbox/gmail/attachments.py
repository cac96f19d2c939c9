"""users.messages.attachments: a file's bytes by its id."""

from typing import Any

from core.sandbox.calls import Call
from core.sandbox.gmail import mailbox, mime


def get_attachment(call: Call) -> dict[str, Any]:
    """The content of one attachment."""
    with call.world.session() as session:
        row = mailbox.find(session, call.account, call.params["message"])
    for part_id, part in mime.leaves(mime.parse(row.raw)):
        if mime.attachment_id(row.id, part_id) == call.params["id"]:
            data = mime.content(part)
            return {"size": len(data), "data": mime.encode(data)}
    raise mailbox.invalid("Invalid attachment token")
