"""Giving and taking access to a file: what is asked of Google, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.google.errors import GoogleError
from core.mcp_server.cabinet import Cabinet
from core.mcp_server.desk import BadArgument
from core.mcp_server.results_drive import FileChange, Grant, ShareOutcome, Sharing
from core.mcp_server.shaping import drive
from core.mcp_server.shaping.drive import ROLE_WORDS, Json
from core.mcp_server.shaping.times import is_date, next_day, parse_time, show

GiveRole = Literal["reader", "commenter", "writer"]
ShareType = Literal["user", "group", "domain", "anyone"]
LINK = ("anyone", "anyoneWithLink", "link")


class Recipient(BaseModel):
    """Whom a file is shared with: an address, or a domain."""

    model_config = ConfigDict(extra="forbid")

    email: str | None = Field(default=None, description="Address of a person or group")
    domain: str | None = Field(default=None, description="With share_type domain")
    role: GiveRole = "reader"
    share_type: ShareType = "user"
    expiration_time: str | None = Field(default=None, description="When it ends; a date: at its end")


@dataclass(frozen=True)
class Mail:
    """The mail that Google sends about a share."""

    send: bool
    message: str | None = None


@dataclass(frozen=True)
class Sharer:
    """Changes who may see files."""

    cabinet: Cabinet

    def share(self, file: Json, to: Recipient, mail: Mail, findable: bool = False) -> Sharing:
        """Share a file with one.

        Raises:
            GoogleError: it failed.
            BadArgument: the recipient does not fit the kind of share.
        """
        return self._sharing(file, [self._outcome(file["id"], to, mail, findable)])

    def share_with_all(self, file: Json, recipients: Sequence[Recipient], mail: Mail) -> Sharing:
        """Share a file with one after another: Google takes no two changes of a file's permissions at once."""
        return self._sharing(file, [self._tried(file["id"], one, mail) for one in recipients])

    def _sharing(self, file: Json, outcomes: Sequence[ShareOutcome]) -> Sharing:
        shared, failed = [one for one in outcomes if not one.error], [one for one in outcomes if one.error]
        told = [f"{one.who} {ROLE_WORDS[one.role]}" for one in shared]
        lines = [f"{file['name']}: " + ", ".join(told) if told else f"{file['name']} was shared with nobody"]
        lines += ["Google sent them a mail" if any(one.mail_sent for one in shared) else "No mail was sent"]
        lines += [f"Failed: {', '.join(one.who for one in failed)}"] if failed else []
        return Sharing(file=self.cabinet.item(file), shared=shared, failed=failed, summary=". ".join(lines) + ".")

    def _tried(self, file_id: str, to: Recipient, mail: Mail) -> ShareOutcome:
        try:
            return self._outcome(file_id, to, mail)
        except (GoogleError, BadArgument) as error:
            return ShareOutcome(who=target(to), role=to.role, error=error.sentence)

    def _outcome(self, file_id: str, to: Recipient, mail: Mail, findable: bool = False) -> ShareOutcome:
        mailed = to.share_type in ("user", "group")
        made = self.give(file_id, self.body(to, findable), mail if mailed else None)
        given = drive.grant(made, self.cabinet.desk.zone)
        return ShareOutcome(
            who=given.who,
            role=given.role,
            permission_id=given.permission_id,
            expires=given.expires,
            mail_sent=mail.send and mailed,
        )

    def body(self, to: Recipient, findable: bool = False) -> Json:
        """A permission as Google takes it.

        Raises:
            BadArgument: the recipient does not fit the kind of share.
        """
        body: Json = {"type": to.share_type, "role": to.role}
        if to.share_type in ("user", "group"):
            if not to.email or "@" not in to.email:
                raise BadArgument("share_with", f"a share with a {to.share_type} needs their address.")
            body["emailAddress"] = to.email.strip()
        elif to.share_type == "domain":
            body["domain"] = (to.domain or to.email or "").rpartition("@")[2]
            if not body["domain"]:
                raise BadArgument("share_with", "a share with a domain needs its name, such as lumenworks.example.")
        if to.share_type in ("domain", "anyone"):
            body["allowFileDiscovery"] = findable
        return body | ({"expirationTime": self.expiry(to.expiration_time)} if to.expiration_time else {})

    def expiry(self, text: str) -> str:
        """When a share ends, as RFC 3339; a date alone means its end.

        Raises:
            BadArgument: it is no time.
        """
        zone = self.cabinet.desk.zone
        when = parse_time("expiration_time", text, zone)
        return show(next_day(when, zone) if is_date(text) else when, zone)

    def give(self, file_id: str, body: Json, mail: Mail | None, **options: Any) -> Json:
        """Make a permission.

        Args:
            mail: None where Google sends none anyway.
        """
        told: Json = {} if mail is None else {"sendNotificationEmail": mail.send}
        told |= {"emailMessage": mail.message} if mail and mail.send and mail.message else {}
        fields, permissions = drive.GRANT_FIELDS, self.cabinet.permissions()
        request = permissions.create(
            fileId=file_id, body=body, fields=fields, supportsAllDrives=True, **told, **options
        )
        return self.cabinet.desk.google.execute(request)

    def change(self, file_id: str, given: Grant, role: str | None, ends: str | None) -> FileChange:
        """Give a permission another role or end; `never` takes its end away.

        Raises:
            BadArgument: nothing is to be changed.
        """
        if not role and not ends:
            raise BadArgument("role", "say which role or which end the permission shall have.")
        forever = bool(ends) and str(ends).lower() in ("never", "none")
        body: Json = {"role": role or given.role}
        body |= {"expirationTime": self.expiry(ends)} if ends and not forever else {}
        request = self.cabinet.permissions().update(
            fileId=file_id,
            permissionId=given.permission_id,
            body=body,
            removeExpiration=forever or None,
            fields=drive.GRANT_FIELDS,
            supportsAllDrives=True,
        )
        now = drive.grant(self.cabinet.desk.google.execute(request), self.cabinet.desk.zone)
        line = f"{now.name or now.who} {ROLE_WORDS[now.role]}" + (f" until {now.expires}" if now.expires else "")
        was = f" (before: {ROLE_WORDS[given.role]})" if now.role != given.role else ""
        return self._told(file_id, [line + was], "get_drive_file_permissions shows everybody who has access.")

    def take(self, file_id: str, given: Grant) -> FileChange:
        """Take a permission away."""
        request = self.cabinet.permissions().delete(
            fileId=file_id, permissionId=given.permission_id, supportsAllDrives=True
        )
        self.cabinet.desk.google.execute(request)
        line = f"{given.name or given.who} has no longer access by this permission ({ROLE_WORDS[given.role]})"
        return self._told(file_id, [line], "share_drive_file gives access again.")

    def hand_over(self, file: Json, email: str, move: bool) -> FileChange:
        """Make somebody else the owner."""
        body = {"type": "user", "role": "owner", "emailAddress": email}
        self.give(file["id"], body, None, transferOwnership=True, moveToNewOwnersRoot=move)
        lines = [f"{email} owns {file['name']} now and was told so by mail", "this account may still edit it"]
        lines += ["it was moved to the new owner's My Drive"] if move else []
        return self._told(file["id"], lines, "Only the new owner can give it back.")

    def link_sharing(self, file_id: str, wanted: str) -> str:
        """Open a file to anybody with the link, or close it; what was done, in words."""
        grants = self.cabinet.grants(self.cabinet.get(file_id, drive.ACCESS_FIELDS)) or []
        own = next((one for one in grants if one.kind == "anyone" and not one.inherited), None)
        if wanted == "off":
            if own is None:
                return "the link was closed already"
            self.take(file_id, own)
            return "only people with access can open the link now"
        if own is None:
            self.give(file_id, {"type": "anyone", "role": wanted, "allowFileDiscovery": False}, None)
        elif own.role != wanted:
            self.change(file_id, own, wanted, None)
        return f"anybody with the link {ROLE_WORDS[wanted]} it"

    def grant(self, file_id: str, permission: str) -> Grant:
        """A permission of a file by its id, by the address or domain that has it, or `anyone`.

        Raises:
            BadArgument: nobody like that has access.
        """
        if permission.isalnum() and permission not in LINK:
            request = self.cabinet.permissions().get(
                fileId=file_id, permissionId=permission, fields=drive.GRANT_FIELDS, supportsAllDrives=True
            )
            return drive.grant(self.cabinet.desk.google.execute(request), self.cabinet.desk.zone)
        grants = self.cabinet.grants(self.cabinet.get(file_id, drive.ACCESS_FIELDS)) or []
        for one in grants:
            if permission.lower() in (one.permission_id.lower(), one.who.lower()):
                return one
            if permission in LINK and one.kind == "anyone":
                return one
        have = ", ".join(f"{one.permission_id} ({one.who})" for one in grants) or "none that this account is told"
        raise BadArgument("permission_id", f"{permission} has no permission for this file; there are: {have}.")

    def _told(self, file_id: str, lines: list[str], next_step: str) -> FileChange:
        try:
            file = self.cabinet.get(file_id)
        except GoogleError:  # who takes their own permission away no longer sees the file
            file = {"id": file_id, "name": file_id, "mimeType": "", "modifiedTime": self._now()}
        return FileChange(file=self.cabinet.item(file), changed=lines, next_step=next_step)

    def _now(self) -> str:
        return show(self.cabinet.desk.now(), self.cabinet.desk.zone)


def target(to: Recipient) -> str:
    """Whom a share is for, in words."""
    if to.share_type == "anyone":
        return "anyone with the link"
    return to.email or to.domain or "nobody"
