"""The sandbox's Gmail: v1 over a mailbox in the world's file."""

from core.sandbox.calls import ApiError, Call, Handler, Reply
from core.sandbox.gmail import account, attachments, drafts, filters, labels, messages, threads
from core.sandbox.gmail.seed import seed
from core.sandbox.routes import Route

__all__ = ["ROUTES", "seed"]

USER = "/gmail/v1/users/{user}"
HANDLERS: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/profile", account.get_profile),
    ("GET", "/history", account.list_history),
    ("GET", "/settings/sendAs", account.list_send_as),
    ("GET", "/settings/sendAs/{id}", account.get_send_as),
    ("GET", "/settings/filters", filters.list_filters),
    ("POST", "/settings/filters", filters.create_filter),
    ("GET", "/settings/filters/{id}", filters.get_filter),
    ("DELETE", "/settings/filters/{id}", filters.delete_filter),
    ("GET", "/labels", labels.list_labels),
    ("POST", "/labels", labels.create_label),
    ("GET", "/labels/{id}", labels.get_label),
    ("PUT", "/labels/{id}", labels.update_label),
    ("PATCH", "/labels/{id}", labels.update_label),
    ("DELETE", "/labels/{id}", labels.delete_label),
    ("GET", "/messages", messages.list_messages),
    ("POST", "/messages/batchModify", messages.batch_modify),
    ("POST", "/messages/batchDelete", messages.batch_delete),
    ("GET", "/messages/{message}/attachments/{id}", attachments.get_attachment),
    ("GET", "/messages/{id}", messages.get_message),
    ("DELETE", "/messages/{id}", messages.delete_message),
    ("POST", "/messages/{id}/modify", messages.modify_message),
    ("POST", "/messages/{id}/trash", messages.trash_message),
    ("POST", "/messages/{id}/untrash", messages.untrash_message),
    ("GET", "/threads", threads.list_threads),
    ("GET", "/threads/{id}", threads.get_thread),
    ("DELETE", "/threads/{id}", threads.delete_thread),
    ("POST", "/threads/{id}/modify", threads.modify_thread),
    ("POST", "/threads/{id}/trash", threads.trash_thread),
    ("POST", "/threads/{id}/untrash", threads.untrash_thread),
    ("GET", "/drafts", drafts.list_drafts),
    ("GET", "/drafts/{id}", drafts.get_draft),
    ("DELETE", "/drafts/{id}", drafts.delete_draft),
)
TAKING_MAIL: tuple[tuple[str, str, Handler], ...] = (
    ("POST", "/messages/send", messages.send_message),
    ("POST", "/messages/import", messages.import_message),
    ("POST", "/messages", messages.insert_message),
    ("POST", "/drafts/send", drafts.send_draft),
    ("POST", "/drafts", drafts.create_draft),
    ("PUT", "/drafts/{id}", drafts.update_draft),
)


def own(handler: Handler) -> Handler:
    """A handler that serves only the mailbox of the account that asks."""

    def checked(call: Call) -> Reply | dict[str, object]:
        if call.params["user"].lower() not in ("me", call.account):
            raise ApiError(403, "forbidden", f"Delegation denied for {call.account}")
        return handler(call)

    return checked


def resumed(handlers: tuple[tuple[str, str, Handler], ...]) -> tuple[tuple[str, str, Handler], ...]:
    """The uploads' paths; the content of a resumable one comes as a PUT whatever its first request was."""
    paths = {path: handler for _, path, handler in handlers}
    return handlers + tuple(("PUT", path, handler) for path, handler in paths.items() if "{" not in path)


ROUTES: tuple[Route, ...] = (
    *(Route(method, USER + path, own(handler)) for method, path, handler in (*TAKING_MAIL, *HANDLERS)),
    *(Route(method, "/upload" + USER + path, own(handler)) for method, path, handler in resumed(TAKING_MAIL)),
)
