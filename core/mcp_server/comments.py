"""Comments on a file of any kind: read page by page, written, answered, resolved."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.results_comments import Comment, CommentChange, CommentPage, CommentReply
from core.mcp_server.shaping.text import cut, one_line
from core.mcp_server.shaping.times import show

PERSON = "author(displayName,me)"
REPLY_FIELDS = f"id,content,createdTime,action,deleted,{PERSON}"
COMMENT_FIELDS = f"id,content,createdTime,resolved,deleted,quotedFileContent(value),{PERSON},replies({REPLY_FIELDS})"
PAGE = 50
LONGEST = 2000
"""Characters shown of one comment."""

Json = dict[str, Any]


@dataclass(frozen=True)
class Comments:
    """The comments of one file."""

    desk: Desk
    file_id: str

    def page(self, token: str | None = None) -> CommentPage:
        """The comments, newest first.

        Args:
            token: `next_page_token` of the page before.
        """
        fields = f"nextPageToken,comments({COMMENT_FIELDS})"
        request = self._resource("comments").list(
            fileId=self.file_id, pageSize=PAGE, pageToken=token, fields=fields, includeDeleted=False
        )
        answer = self.desk.google.execute(request)
        shown = [self._comment(one) for one in answer.get("comments", [])]
        return CommentPage(
            file_id=self.file_id,
            comments=shown,
            open=sum(not one.resolved for one in shown),
            next_page_token=answer.get("nextPageToken"),
        )

    def create(self, content: str) -> CommentChange:
        """Write a comment on the whole file."""
        body = {"content": said("comment_content", content)}
        made = self.desk.google.execute(self._resource("comments").create(fileId=self.file_id, body=body, fields="id"))
        return self._changed(made["id"], None, "The comment was added.", "Others answer it in the file.")

    def reply(self, comment_id: str, content: str) -> CommentChange:
        """Answer a comment."""
        made = self._reply(comment_id, {"content": said("reply_content", content)})
        return self._changed(comment_id, made["id"], "The reply was added.", "Resolve the comment when it is settled.")

    def resolve(self, comment_id: str) -> CommentChange:
        """Mark a comment as settled."""
        made = self._reply(comment_id, {"action": "resolve"})
        return self._changed(comment_id, made["id"], "The comment is resolved.", "Nothing more is needed.")

    def _reply(self, comment_id: str, body: Json) -> Json:
        replies = self._resource("replies")
        request = replies.create(fileId=self.file_id, commentId=comment_id, body=body, fields="id")
        return self.desk.google.execute(request)

    def _changed(self, comment_id: str, reply_id: str | None, changed: str, next_step: str) -> CommentChange:
        link = f"https://drive.google.com/open?id={self.file_id}&disco={comment_id}"
        return CommentChange(
            file_id=self.file_id,
            comment_id=comment_id,
            reply_id=reply_id,
            changed=changed,
            link=link,
            next_step=next_step,
        )

    def _comment(self, item: Json) -> Comment:
        quoted = item.get("quotedFileContent", {}).get("value")
        return Comment(
            comment_id=item["id"],
            author=author(item),
            content=cut(item.get("content", ""), LONGEST),
            quoted=one_line(quoted) if quoted else None,
            created=self._time(item["createdTime"]),
            resolved=item.get("resolved", False),
            replies=[self._shown_reply(one) for one in item.get("replies", []) if not one.get("deleted")],
        )

    def _shown_reply(self, item: Json) -> CommentReply:
        return CommentReply(
            reply_id=item["id"],
            author=author(item),
            content=cut(item.get("content", ""), LONGEST),
            created=self._time(item["createdTime"]),
            action=item.get("action"),
        )

    def _time(self, text: str) -> str:
        return show(datetime.fromisoformat(text), self.desk.zone)

    def _resource(self, name: str) -> Any:
        return self.desk.google.resource(f"drive.{name}")


def author(item: Json) -> str:
    """Who wrote it."""
    return str(item.get("author", {}).get("displayName") or "unknown")


def said(name: str, content: str) -> str:
    """A text that says something.

    Raises:
        BadArgument: it is empty.
    """
    if not content.strip():
        raise BadArgument(name, "say something; it is empty")
    return content
