"""Drive v3 of the sandbox: files, their contents, who may see them, and comments."""

from collections.abc import Callable, Iterable

from core.sandbox.calls import Call, Handler, Reply
from core.sandbox.drive import about, comments, files, listing, permissions
from core.sandbox.drive.natives import Native, Natives, by_type
from core.sandbox.drive.seed import seed
from core.sandbox.routes import Route

FILES = "/drive/v3/files"
COMMENTS = f"{FILES}/{{file}}/comments"
GRANTS = f"{FILES}/{{file}}/permissions"
DriveHandler = Callable[[Call, Natives], Reply | dict[str, object]]
HANDLERS: tuple[tuple[str, str, DriveHandler], ...] = (
    ("GET", "/drive/v3/about", about.get_about),
    ("GET", "/drive/v3/drives", about.list_drives),
    ("GET", "/drive/v3/drives/{drive}", about.get_drive),
    ("GET", FILES, listing.list_files),
    ("POST", FILES, files.create_file),
    ("POST", f"/upload{FILES}", files.create_file),
    ("PUT", f"/upload{FILES}", files.resume_file),
    ("GET", f"{FILES}/generateIds", files.generate_ids),
    ("DELETE", f"{FILES}/trash", files.empty_trash),
    ("GET", f"{FILES}/{{file}}", files.get_file),
    ("PATCH", f"{FILES}/{{file}}", files.update_file),
    ("PATCH", f"/upload{FILES}/{{file}}", files.update_file),
    ("PUT", f"/upload{FILES}/{{file}}", files.resume_file),
    ("DELETE", f"{FILES}/{{file}}", files.delete_file),
    ("POST", f"{FILES}/{{file}}/copy", files.copy_file),
    ("GET", f"{FILES}/{{file}}/export", files.export_file),
    ("GET", f"{FILES}/{{file}}/revisions", files.list_revisions),
    ("GET", GRANTS, permissions.list_permissions),
    ("POST", GRANTS, permissions.create_permission),
    ("GET", f"{GRANTS}/{{permission}}", permissions.get_permission),
    ("PATCH", f"{GRANTS}/{{permission}}", permissions.update_permission),
    ("DELETE", f"{GRANTS}/{{permission}}", permissions.delete_permission),
    ("GET", COMMENTS, comments.list_comments),
    ("POST", COMMENTS, comments.create_comment),
    ("GET", f"{COMMENTS}/{{comment}}", comments.get_comment),
    ("PATCH", f"{COMMENTS}/{{comment}}", comments.update_comment),
    ("DELETE", f"{COMMENTS}/{{comment}}", comments.delete_comment),
    ("GET", f"{COMMENTS}/{{comment}}/replies", comments.list_replies),
    ("POST", f"{COMMENTS}/{{comment}}/replies", comments.create_reply),
)


def routes(natives: Iterable[Native]) -> tuple[Route, ...]:
    """Drive's routes.

    Args:
        natives: the services that keep what Google's own files hold.
    """
    known = by_type(natives)
    return tuple(Route(method, path, bound(handler, known)) for method, path, handler in HANDLERS)


def bound(handler: DriveHandler, natives: Natives) -> Handler:
    """A handler that knows the other services."""
    return lambda call: handler(call, natives)


__all__ = ["Native", "routes", "seed"]
