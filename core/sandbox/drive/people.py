"""People and their grants as Drive shows them."""

from typing import Any

from core.sandbox.drive.access import Access
from core.sandbox.drive.shelf import permission_id
from core.sandbox.drive.tables import DrivePermission

Json = dict[str, Any]


def name_of(access: Access, email: str) -> str:
    """What somebody is called; the address's own part where nobody knows better."""
    known = access.people().get(email)
    return known.name if known else email.split("@")[0]


def user(access: Access, email: str) -> Json:
    """A person."""
    return {
        "kind": "drive#user",
        "displayName": name_of(access, email),
        "me": email == access.account,
        "permissionId": permission_id("user", email),
        "emailAddress": email,
    }


def author(access: Access, email: str) -> Json:
    """Who wrote a comment: Drive does not tell their address."""
    return {"kind": "drive#user", "displayName": name_of(access, email), "me": email == access.account}


def permission(grant: DrivePermission, role: str, inherited_from: str | None, access: Access) -> Json:
    """A grant, and whether it comes from a folder above."""
    detail: Json = {"permissionType": "file", "role": role, "inherited": inherited_from is not None}
    body: Json = {"kind": "drive#permission", "id": grant.id, "type": grant.kind, "role": role}
    if grant.kind in ("user", "group"):
        body |= {"emailAddress": grant.who, "displayName": name_of(access, grant.who), "deleted": False}
        body |= {"pendingOwner": grant.pending_owner} if grant.kind == "user" else {}
    else:
        body |= {"allowFileDiscovery": grant.discoverable}
        body |= {"domain": grant.who, "displayName": grant.who} if grant.kind == "domain" else {}
    if grant.expires:
        body["expirationTime"] = grant.expires
    if inherited_from is not None and (place := access.file(inherited_from)) is not None and place.drive_id:
        detail |= {"inheritedFrom": inherited_from}
        detail |= {"permissionType": "member"} if inherited_from == place.drive_id else {}
    return {**body, "permissionDetails": [detail]}
