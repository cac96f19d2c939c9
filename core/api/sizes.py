"""How large a request's body may be, whatever its headers say."""

from starlette.types import Message, Receive, Scope

from core.errors import GlassdeskError

MEGABYTE = 1_000_000
USUAL = MEGABYTE
SIZES = {"/mcp": 16 * MEGABYTE, "/v1/": 64 * MEGABYTE, "/api/import": 256 * MEGABYTE}
"""Path → bytes, for those that take more."""
UPLOADS = "/_stcore/upload_file"


class TooLarge(GlassdeskError):
    """A body that is too large."""

    code = "too_large"
    http_status = 413


def most(path: str, upload: int) -> int:
    """Bytes that a body for this path may have.

    Args:
        upload: of a file that a page takes; its form adds a little.
    """
    if path.startswith(UPLOADS):
        return upload + MEGABYTE
    return next((size for start, size in SIZES.items() if path.startswith(start)), USUAL)


def limited(scope: Scope, receive: Receive, limit: int) -> Receive:
    """The body as it comes, up to a limit.

    Raises:
        TooLarge: at once where the request says so itself, else when it has sent too much.
    """
    refusal = TooLarge(f"The body is larger than {limit:,} bytes. Send less at a time.")
    told = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if not told.isdigit() or int(told[:20]) > limit:
        raise refusal
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise refusal
        return message

    return counted
