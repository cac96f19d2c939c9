"""What the tools for comments return: comments of documents, spreadsheets and presentations alike."""

from pydantic import Field

from core.mcp_server.results import Result


class CommentReply(Result):
    """An answer to a comment. `action` is `resolve` or `reopen` where it did that."""

    reply_id: str
    author: str
    content: str
    created: str = Field(description="RFC 3339 in the user's zone")
    action: str | None = None


class Comment(Result):
    """A comment with its replies, oldest first. `quoted` is the text that it is about."""

    comment_id: str
    author: str
    content: str
    quoted: str | None = None
    created: str
    resolved: bool
    replies: list[CommentReply]


class CommentPage(Result):
    """Comments of a file, newest first; `open` counts the unresolved ones of this page."""

    file_id: str
    comments: list[Comment]
    open: int
    next_page_token: str | None = None


class CommentChange(Result):
    """A comment that was written, answered or resolved."""

    file_id: str
    comment_id: str
    reply_id: str | None = None
    changed: str
    link: str
    next_step: str
