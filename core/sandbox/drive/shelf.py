"""Files on their shelf: what the other services need to add, find and change files of their own types."""

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256

from sqlmodel import Session, col, select

from core.sandbox.calls import ApiError
from core.sandbox.drive.access import Access
from core.sandbox.drive.kinds import FOLDER, new_id, root_id, seed_id, stamp
from core.sandbox.drive.tables import DriveFile, DrivePermission, DrivePerson, DriveView
from core.sandbox.gmail.words import row as words_row

__all__ = ["add_native", "find", "index", "lookup", "may_comment", "may_edit", "seed_id", "touch"]


def lookup(session: Session, account: str, file_id: str, now: datetime) -> DriveFile | None:
    """A file by its id or `root`, None where there is none or the account may not see it."""
    access = Access(session, account, now)
    file = access.file(file_id)
    return file if file is not None and access.role(file) else None


def find(session: Session, account: str, file_id: str, now: datetime) -> DriveFile:
    """A file by its id or `root`.

    Raises:
        ApiError: 404 in Drive's words where there is none or the account may not see it.
    """
    file = lookup(session, account, file_id, now)
    if file is None:
        raise not_found(file_id)
    return file


def may_edit(session: Session, account: str, file: DriveFile, now: datetime) -> bool:
    """Whether the account may change what a file holds."""
    return Access(session, account, now).at_least(file, "writer")


def may_comment(session: Session, account: str, file: DriveFile, now: datetime) -> bool:
    """Whether the account may comment on a file."""
    return Access(session, account, now).at_least(file, "commenter")


def touch(session: Session, file_id: str, who: str, when: datetime) -> None:
    """Note that somebody changed what a file holds."""
    file = session.get_one(DriveFile, file_id)
    file.modified, file.modified_by = stamp(when), who
    file.version += 1
    file.touched = True
    session.add(file)


def index(session: Session, file_id: str, text: str) -> None:
    """Let a file be found by its text; a service calls it whenever what it holds changes."""
    file = session.get_one(DriveFile, file_id)
    file.words = words_row([text])
    session.add(file)


def add_native(
    session: Session,
    account: str,
    name: str,
    mime_type: str,
    *,
    parent: str = "root",
    file_id: str | None = None,
    seed_key: str | None = None,
    when: datetime,
    created: datetime | None = None,
    share: Mapping[str, str] | None = None,
    starred: bool = False,
) -> DriveFile:
    """Make a file whose content another service keeps.

    With a seed key the id follows from the key and the call may be repeated each day: what was seeded is dated anew
    unless somebody has changed, moved or deleted it; then `touched` is set and the caller leaves its content alone.

    Args:
        account: who makes it, and owns it unless it is in a shared drive.
        parent: id of a folder, or `root`; `seed_id("finance")` is a seeded folder's.
        when: when it was last changed, aware.
        created: when it was made; `when` if left out.
        share: address (of a person or a group), domain or `anyone` → role, beyond the owner.
        starred: whether its owner has marked it.
    """
    file_id = seed_id(seed_key) if seed_key else file_id or new_id()
    old = session.get(DriveFile, file_id)
    if old is not None and (old.touched or old.deleted):
        return old
    folder = ensure_root(session, account).id if parent in ("root", root_id(account)) else parent
    file = DriveFile(
        id=file_id,
        parent=folder,
        drive_id=drive_of(session, folder),
        name=name,
        mime_type=mime_type,
        created=stamp(created or when),
        modified=stamp(when),
        modified_by=account,
        words=old.words if old else "",
        seed=seed_key or "",
    )
    file = session.merge(file)
    session.flush()
    grant_all(session, file, account, share or {}, when)
    if starred:
        session.merge(DriveView(account=account, file_id=file_id, starred=True))
    return file


def drive_of(session: Session, folder: str) -> str | None:
    """The shared drive that a folder is in."""
    holder = session.get(DriveFile, folder)
    return holder.drive_id if holder else None


def grant_all(session: Session, file: DriveFile, owner: str, share: Mapping[str, str], when: datetime) -> None:
    """Give a new file its owner and those whom it is shared with."""
    for old in session.exec(select(DrivePermission).where(col(DrivePermission.file_id) == file.id)).all():
        session.delete(old)
    session.flush()
    if file.drive_id is None:
        session.add(grant(file.id, "user", "owner", owner))
    for who, role in share.items():
        kind = kind_of(session, who)
        session.add(grant(file.id, kind, role, "" if kind == "anyone" else who))
        file.shared_at = {**file.shared_at, who: [stamp(when), owner]}
    session.flush()


def kind_of(session: Session, who: str) -> str:
    """What kind of grantee a name is: an address of a person or a group, a domain, or `anyone`."""
    if who == "anyone" or "@" not in who:
        return "anyone" if who == "anyone" else "domain"
    known = session.get(DrivePerson, who)
    return "group" if known is not None and known.members else "user"


def grant(file_id: str, kind: str, role: str, who: str = "", discoverable: bool = False) -> DrivePermission:
    """A grant, with the id that Drive gives it: the same for one person everywhere."""
    return DrivePermission(
        file_id=file_id,
        id=permission_id(kind, who, discoverable),
        kind=kind,
        role=role,
        who=who.lower(),
        discoverable=discoverable,
    )


def permission_id(kind: str, who: str, discoverable: bool = False) -> str:
    """The id of a grant."""
    if kind == "anyone":
        return "anyone" if discoverable else "anyoneWithLink"
    number = int.from_bytes(sha256(f"{kind} {who.lower()}".encode()).digest()[:8], "big") % 10**20
    return f"{number:020d}{'k' if kind == 'domain' else ''}"


def ensure_root(session: Session, account: str) -> DriveFile:
    """An account's My Drive, made where it is not there yet."""
    known = session.get(DriveFile, root_id(account))
    if known is not None:
        return known
    born = stamp(datetime(2023, 1, 9, 9, tzinfo=UTC))
    root = DriveFile(
        id=root_id(account), name="My Drive", mime_type=FOLDER, created=born, modified=born, modified_by=account
    )
    session.add(root)
    session.add(grant(root.id, "user", "owner", account))
    session.flush()
    return root


def not_found(file_id: str) -> ApiError:
    """404, as Drive says it."""
    return ApiError(404, "notFound", f"File not found: {file_id}.", location="parameter:fileId")
