"""All tools over one world, and Google's REST API on the same world to prepare and to read back."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.google.clients import Google
from core.sandbox.drive.kinds import seed_id
from tests.mcp_server.conftest import Caller

ANA = "ana@lumenworks.example"
ROADMAP, SCRATCH, BUDGET, BOARD = map(seed_id, ("product-roadmap", "scratch", "budget-2026", "board-deck-q3"))
FINANCE = seed_id("finance")
Json = dict[str, Any]


@dataclass(frozen=True)
class Office:
    """The tools, and one account's Google past them."""

    call: Caller
    google: Google

    def rest(self, path: str, /, **arguments: Any) -> Json:
        """What Google answers to a method such as `drive.files.get`."""
        collection, method = path.rsplit(".", 1)
        return self.google.execute(getattr(self.google.resource(collection), method)(**arguments))

    def new_file(self, name: str, kind: str = "text/plain", **more: Any) -> str:
        return str(self.rest("drive.files.create", body={"name": name, "mimeType": kind, **more})["id"])

    def file(self, file_id: str, fields: str = "*") -> Json:
        return self.rest("drive.files.get", fileId=file_id, fields=fields, supportsAllDrives=True)

    def listed(self, query: str) -> set[str]:
        """Names of files that a query of Drive finds."""
        found = self.rest("drive.files.list", q=query, pageSize=100, fields="files(name)", spaces="drive")
        return {one["name"] for one in found["files"]}

    def grants(self, file_id: str) -> dict[str, str]:
        """Who may do what: address, or the kind of a permission without one."""
        found = self.file(file_id, "permissions")["permissions"]
        return {one.get("emailAddress", one["type"]): one["role"] for one in found}

    def granted(self, file_id: str, email: str = ANA, role: str = "reader") -> str:
        """A new permission's id."""
        body = {"type": "user", "role": role, "emailAddress": email}
        made = self.rest("drive.permissions.create", fileId=file_id, body=body, sendNotificationEmail=False)
        return str(made["id"])

    def stored(self, saved: Json) -> bytes:
        """The bytes of a file that a tool put on this machine."""
        return Path(saved["path"]).read_bytes()

    def comments(self, file_id: str) -> list[Json]:
        return list(self.rest("drive.comments.list", fileId=file_id, fields="*")["comments"])

    def commented(self, file_id: str, text: str = "Is this right?") -> str:
        """A new comment's id."""
        made = self.rest("drive.comments.create", fileId=file_id, fields="id", body={"content": text})
        return str(made["id"])


async def reads_comments(office: Office, tool: str, argument: str, file_id: str) -> None:
    told = await office.call(tool, **{argument: file_id})
    assert {one["comment_id"]: one["content"] for one in told["comments"]} == {
        one["id"]: one["content"] for one in office.comments(file_id)
    }
    assert told["comments"]


async def creates_comment(office: Office, tool: str, argument: str, file_id: str) -> None:
    made = await office.call(tool, **{argument: file_id}, comment_content="Who decides? 🤔")
    assert {one["id"]: one["content"] for one in office.comments(file_id)}[made["comment_id"]] == "Who decides? 🤔"


async def replies_to_comment(office: Office, tool: str, argument: str, file_id: str) -> None:
    comment = office.commented(file_id)
    await office.call(tool, **{argument: file_id}, comment_id=comment, reply_content="Yes.")
    (one,) = (one for one in office.comments(file_id) if one["id"] == comment)
    assert [reply["content"] for reply in one["replies"]] == ["Yes."] and not one.get("resolved")


async def resolves_comment(office: Office, tool: str, argument: str, file_id: str) -> None:
    comment = office.commented(file_id)
    await office.call(tool, **{argument: file_id}, comment_id=comment)
    (one,) = (one for one in office.comments(file_id) if one["id"] == comment)
    assert one["resolved"] and [reply["action"] for reply in one["replies"]] == ["resolve"]
