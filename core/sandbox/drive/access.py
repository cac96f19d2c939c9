"""What an account may do with files: grants of the file itself and of all folders above it."""

from collections.abc import Iterator
from datetime import datetime

from sqlmodel import Session, col, select

from core.sandbox.drive.kinds import root_id, stamp
from core.sandbox.drive.tables import DriveFile, DrivePermission, DrivePerson

ROLES = ("reader", "commenter", "writer", "fileOrganizer", "organizer", "owner")
DEEPEST = 100
Found = tuple[DrivePermission, str, str | None]
"""A grant, its role, and the folder that it comes from."""


class Access:
    """Files and grants as one account sees them, read once: after a change of them, make another.

    Args:
        now: the moment that expiring grants are measured at.
    """

    def __init__(self, session: Session, account: str, now: datetime) -> None:
        self.session, self.account, self._now = session, account, stamp(now)
        self._files: dict[str, DriveFile | None] = {}
        self._grants: dict[str, list[DrivePermission]] = {}
        self._found: dict[str, list[Found]] = {}
        self._people: dict[str, DrivePerson] | None = None
        self._complete = False

    def all(self) -> list[DriveFile]:
        """Every file of the world that is not gone, read together with its grants."""
        rows = self.session.exec(select(DriveFile).where(~col(DriveFile.deleted))).all()
        self._files = {row.id: row for row in rows}
        self._grants = {row.id: [] for row in rows}
        for grant in self.session.exec(select(DrivePermission)).all():
            self._grants.setdefault(grant.file_id, []).append(grant)
        self._complete = True
        return list(rows)

    def file(self, file_id: str) -> DriveFile | None:
        """A file by its id or `root`, whoever may see it; None where there is none."""
        file_id = root_id(self.account) if file_id == "root" else file_id
        if file_id not in self._files and not self._complete:
            row = self.session.get(DriveFile, file_id)
            self._files[file_id] = None if row is None or row.deleted else row
        return self._files.get(file_id)

    def line(self, file: DriveFile) -> Iterator[DriveFile]:
        """A file, its folder, and so on up to the root."""
        here: DriveFile | None = file
        for _ in range(DEEPEST):
            if here is None:
                return
            yield here
            here = self.file(here.parent) if here.parent else None

    def own_grants(self, file_id: str) -> list[DrivePermission]:
        """The grants of a file itself that have not expired."""
        if file_id not in self._grants and not self._complete:
            query = select(DrivePermission).where(DrivePermission.file_id == file_id)
            self._grants[file_id] = list(self.session.exec(query).all())
        return [grant for grant in self._grants.get(file_id, []) if not grant.expires or grant.expires > self._now]

    def grants(self, file: DriveFile) -> list[Found]:
        """Each grant that counts for a file, its role there, and the folder that it comes from (None: its own).

        A folder's owner is a writer of what others own in it.
        """
        if file.id not in self._found:
            self._found[file.id] = self._gather(file)
        return self._found[file.id]

    def _gather(self, file: DriveFile) -> list[Found]:
        found: dict[str, Found] = {}
        for place in self.line(file):
            for grant in self.own_grants(place.id):
                inherited = place.id != file.id
                role = "writer" if inherited and grant.role == "owner" else grant.role
                known = found.get(grant.id)
                if known is None or ROLES.index(role) > ROLES.index(known[1]):
                    found[grant.id] = (grant, role, place.id if inherited else None)
        return list(found.values())

    def role(self, file: DriveFile) -> str | None:
        """The account's role for a file, None where it has none."""
        roles = [role for grant, role, _ in self.grants(file) if self.reaches(grant)]
        return max(roles, key=ROLES.index, default=None)

    def at_least(self, file: DriveFile, role: str) -> bool:
        """Whether the account's role for a file includes another."""
        own = self.role(file)
        return own is not None and ROLES.index(own) >= ROLES.index(role)

    def reaches(self, grant: DrivePermission, account: str = "") -> bool:
        """Whether a grant is for the account (or for another one)."""
        account = (account or self.account).lower()
        match grant.kind:
            case "user":
                return grant.who == account
            case "group":
                return account in self.people().get(grant.who, DrivePerson(email="", name="")).members
            case "domain":
                return account.endswith(f"@{grant.who}")
        return grant.kind == "anyone"

    def owners(self, file: DriveFile) -> list[DrivePermission]:
        """The owner of a file; nobody in a shared drive."""
        return [grant for grant in self.own_grants(file.id) if grant.role == "owner"]

    def in_trash(self, file: DriveFile) -> bool:
        """Whether a file or a folder above it is in the trash."""
        return any(place.trashed for place in self.line(file))

    def people(self) -> dict[str, DrivePerson]:
        """Everybody whom Drive knows, by address."""
        if self._people is None:
            self._people = {row.email: row for row in self.session.exec(select(DrivePerson)).all()}
        return self._people
