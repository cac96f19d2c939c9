"""The people of the app: who may come in, and what an administrator has set of each."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from sqlalchemy import Engine, delete
from sqlmodel import Session, col, select

from core.errors import BadInput, NotAllowed, NotFound
from core.settings import known_zone
from core.store.people_tables import Person
from core.store.sessions import reading, writing
from core.store.tokens import aware
from core.users import Claims, Role, Rules, User

SEEN_NOTED = timedelta(minutes=1)
"""Somebody in steady use is written about this often at most."""
NOBODY = "There is no such person. They may have been deleted."
OWN_RIGHTS = "Nobody takes away their own rights. Ask another administrator."
BY_SETTING = "{email} is an administrator by the setting GLASSDESK_ADMINISTRATORS. Change it there."


@dataclass(frozen=True)
class People:
    """All people of the app database.

    Attributes:
        rules: who may come in, who administers, and what holds for everybody.
    """

    engine: Engine
    rules: Rules

    def signed_in(self, claims: Claims) -> User:
        """The user behind a provider's claims; kept at their first sign-in.

        Raises:
            NotAllowed: the address is not verified or not allowed, or the person is disabled.
        """
        email = claims.email.strip().lower()
        if not (claims.issuer and claims.subject and email and claims.verified):
            raise NotAllowed("Your provider does not say that your e-mail address is verified. Ask its administrator.")
        if not self.rules.allows(email):
            raise NotAllowed(f"{email} may not use this Glassdesk. Ask its administrator, or sign in as somebody else.")
        now = datetime.now(UTC)
        with writing(self.engine, "person", id_of(claims)) as session:
            row = session.get(Person, id_of(claims)) or self._new(id_of(claims), now)
            if row.disabled_at is not None:
                raise NotAllowed(f"An administrator has disabled {email} here. Ask them to enable it again.")
            if (
                (row.email, row.name) != (email, claims.name)
                or aware(row.seen_at) < now - SEEN_NOTED
                or row.email == ""
            ):
                row.email, row.name, row.seen_at = email, claims.name, now
                session.add(row)
        return self._user(row)

    def local(self) -> User:
        """The one user of local mode."""
        local = self.rules.local
        row = self._find(local.id)
        return local if row is None else self._with_settings(local, row)

    def user(self, user_id: str) -> User:
        """A user by their id, as they may act now.

        Raises:
            NotFound: there is no such person.
            NotAllowed: they are disabled, or no longer allowed.
        """
        if user_id == self.rules.local.id:
            return self.local()
        row = self.person(user_id)
        if row.disabled_at is not None or not self.rules.allows(row.email):
            raise NotAllowed(f"{row.email} may not use this Glassdesk any more. Ask its administrator.")
        return self._user(row)

    def admit(self, user: User) -> None:
        """Let somebody begin something: they may have been shut out since their page was drawn.

        Raises:
            NotFound, NotAllowed: they have been.
        """
        if user.id != self.rules.local.id:
            self.user(user.id)

    def known(self, user_id: str) -> User:
        """A user by their id, also one who may not come in now; for what was begun before."""
        row = self._find(user_id)
        local = self.rules.local
        if user_id == local.id:
            return self.local()
        return self._user(row) if row else User(user_id, user_id, local.account, local.zone, read_only=True)

    def read_only(self, user_id: str) -> bool:
        """Whether no write may run for a user."""
        return self.known(user_id).read_only

    def person(self, user_id: str) -> Person:
        """What is kept of a person.

        Raises:
            NotFound: there is no such person.
        """
        row = self._find(user_id)
        if row is None:
            raise NotFound(NOBODY)
        return row

    def list(self, administrator: User) -> Sequence[Person]:
        """Everybody, by address.

        Raises:
            NotAllowed: who asks is no administrator.
        """
        self._must_administer(administrator)
        with reading(self.engine) as session:
            return session.exec(select(Person).order_by(col(Person.email), col(Person.id))).all()

    def set_role(self, administrator: User, user_id: str, role: Role) -> None:
        """Make somebody an administrator, or no longer one.

        Raises:
            NotAllowed: who asks is no administrator, or it is themselves.
            BadInput: the settings say otherwise.
        """
        row = self._other(administrator, user_id)
        if role is Role.PERSON and row.email in self.rules.administrators:
            raise BadInput(BY_SETTING.format(email=row.email))
        self._change(user_id, role=role)

    def set_read_only(self, administrator: User, user_id: str, read_only: bool) -> None:
        """Keep somebody from writing, or let them again; one's own, too.

        Raises:
            NotAllowed: who asks is no administrator.
        """
        self._must_administer(administrator)
        self._change(user_id, read_only=read_only)

    def set_disabled(self, administrator: User, user_id: str, disabled: bool) -> None:
        """Keep somebody out, at once, or let them in again.

        Raises:
            NotAllowed: who asks is no administrator, or it is themselves.
        """
        self._other(administrator, user_id)
        self._change(user_id, disabled_at=datetime.now(UTC) if disabled else None)

    def set_zone(self, user: User, zone: str | None) -> None:
        """Set one's own time zone; None: the app's.

        Raises:
            BadInput: there is no such zone.
        """
        try:
            name = known_zone(zone) if zone else None
        except ValueError as error:
            raise BadInput(f"Zone: {error}.") from error
        self._change(user.id, zone=name)

    def shut_out(self, user_id: str) -> None:
        """Keep somebody out while all that is theirs is deleted."""
        if self._find(user_id) is not None:
            self._change(user_id, disabled_at=datetime.now(UTC))

    def forget(self, user_id: str) -> None:
        """Delete a person, after all else that is theirs; who is still allowed in begins anew at their next sign-in."""
        with writing(self.engine) as session:
            session.execute(delete(Person).where(col(Person.id) == user_id))

    def _user(self, row: Person) -> User:
        administers = row.role == Role.ADMINISTRATOR or row.email in self.rules.administrators
        user = User(
            id=row.id,
            name=row.name or row.email,
            account=self.rules.local.account,
            zone=self.rules.local.zone,
            role=Role.ADMINISTRATOR if administers else Role.PERSON,
            email=row.email,
        )
        return self._with_settings(user, row)

    def _with_settings(self, user: User, row: Person) -> User:
        """Their zone, and whether they write; what still runs for somebody who was disabled does not."""
        zone = ZoneInfo(row.zone) if row.zone else user.zone
        return user.changed(zone=zone, read_only=row.read_only or self.rules.read_only or row.disabled_at is not None)

    def _new(self, user_id: str, now: datetime) -> Person:
        return Person(id=user_id, email="", name="", role=Role.PERSON, created_at=now, seen_at=now)

    def _find(self, user_id: str) -> Person | None:
        with reading(self.engine) as session:
            return session.get(Person, user_id)

    def _must_administer(self, user: User) -> None:
        """Let an administrator pass who is one still: their page may have been drawn before."""
        if not (user.administers and self.user(user.id).administers):
            raise NotAllowed("Only administrators may do this. Ask one of them.")

    def _other(self, administrator: User, user_id: str) -> Person:
        self._must_administer(administrator)
        if user_id == administrator.id:
            raise NotAllowed(OWN_RIGHTS)
        return self.person(user_id)

    def _change(self, user_id: str, **values: object) -> None:
        with writing(self.engine, "person", user_id) as session:
            row = self._row(session, user_id)
            for name, value in values.items():
                setattr(row, name, value)
            session.add(row)

    def _row(self, session: Session, user_id: str) -> Person:
        row = session.get(Person, user_id)
        if row is not None:
            return row
        local = self.rules.local
        if user_id != local.id:
            raise NotFound(NOBODY)
        row = self._new(local.id, datetime.now(UTC))
        row.name, row.role = local.name, local.role
        return row


def id_of(claims: Claims) -> str:
    """A stable id: who issued it and their subject, never the address, which may pass to somebody else."""
    return "p" + hashlib.sha256(f"{claims.issuer}\0{claims.subject}".encode()).hexdigest()[:24]
