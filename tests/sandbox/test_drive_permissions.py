"""Who may do what with files of the sandbox's Drive."""

from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile

import pytest
from sqlmodel import select

from core.sandbox.drive.kinds import FOLDER, root_id, seed_id, shared_drive_id
from core.sandbox.drive.tables import DriveNotice
from core.sandbox.sandbox import Sandbox
from tests.sandbox.conftest import WEDNESDAY
from tests.sandbox.drive_world import ANA, KENJI, OMAR, SAM, TOM, Drive, drive_of, refused

FILE = seed_id("scratch")


@pytest.fixture
def sandbox(seeded: Path, tmp_path: Path) -> Iterator[Sandbox]:
    copyfile(seeded, tmp_path / "sandbox.db")
    world = Sandbox(tmp_path / "sandbox.db", "Europe/Berlin", lambda: WEDNESDAY, (SAM, ANA, KENJI, TOM, OMAR))
    yield world
    world.close()


@pytest.fixture
def drive(sandbox: Sandbox) -> Drive:
    return drive_of(sandbox)


@pytest.fixture
def ana(sandbox: Sandbox) -> Drive:
    return drive_of(sandbox, ANA)


def person(email: str, role: str, **more: object) -> dict[str, object]:
    return {"type": "user", "role": role, "emailAddress": email, **more}


def mails(sandbox: Sandbox) -> list[tuple[str, str, str]]:
    with sandbox.world.session() as session:
        return [(one.recipient, one.role, one.message) for one in session.exec(select(DriveNotice)).all()]


def test_sharing_lets_somebody_see_and_tells_them(sandbox: Sandbox, drive: Drive, ana: Drive):
    assert refused(lambda: ana.get(FILE))[0] == 404
    made = drive.share(FILE, person(ANA, "reader"), emailMessage="Have a look")
    assert (made["displayName"], made["role"], made["emailAddress"]) == ("Ana Ruiz", "reader", ANA)
    assert ana.get(FILE)["sharingUser"]["emailAddress"] == SAM
    assert "scratch.txt" in ana.find("sharedWithMe")
    assert refused(lambda: ana.update(FILE, {"name": "x"}))[1] == "insufficientFilePermissions"
    assert mails(sandbox) == [(ANA, "reader", "Have a look")]


def test_without_fields_a_grant_is_short(drive: Drive):
    listed = drive.api.permissions().list(fileId=FILE).execute()["permissions"]
    assert [sorted(one) for one in listed] == [["id", "kind", "role", "type"]]


def test_no_mail_goes_out_when_none_is_wanted(sandbox: Sandbox, drive: Drive):
    drive.share(FILE, person(OMAR, "commenter"), sendNotificationEmail=False)
    assert (mails(sandbox), drive.grants(FILE)) == ([], {SAM: "owner", OMAR: "commenter"})


def test_grants_come_down_from_folders_and_cannot_be_taken_below(drive: Drive, ana: Drive):
    inside = seed_id("invoice-hotel")
    assert drive.grants(inside) == {SAM: "owner", ANA: "writer"}
    listed = drive.api.permissions().list(fileId=inside, fields="*").execute()["permissions"]
    inherited = next(one for one in listed if one["emailAddress"] == ANA)
    assert inherited["permissionDetails"][0]["inherited"]
    call = drive.api.permissions().delete(fileId=inside, permissionId=inherited["id"])
    assert refused(call.execute)[1] == "cannotModifyInheritedPermission"
    drive.update(inside, addParents="root", removeParents=seed_id("invoices"))
    assert refused(lambda: ana.get(inside))[0] == 404


def test_a_group_and_a_domain_reach_their_people(sandbox: Sandbox, drive: Drive):
    drive.share(FILE, {"type": "group", "role": "writer", "emailAddress": "team@lumenworks.example"})
    assert drive_of(sandbox, KENJI).get(FILE)["capabilities"]["canEdit"]
    drive.share(seed_id("flat"), {"type": "domain", "role": "reader", "domain": "lumenworks.example"})
    assert drive_of(sandbox, TOM).get(seed_id("flat"), "name") == {"name": "Rental agreement.pdf"}
    assert refused(lambda: drive_of(sandbox, OMAR).get(seed_id("flat")))[0] == 404


def test_a_public_link_opens_a_file_but_lists_it_nowhere(sandbox: Sandbox, drive: Drive):
    made = drive.share(FILE, {"type": "anyone", "role": "reader"})
    assert (made["id"], made["allowFileDiscovery"]) == ("anyoneWithLink", False)
    omar = drive_of(sandbox, OMAR)
    assert omar.get(FILE, "name")["name"] == "scratch.txt"
    assert "scratch.txt" not in omar.find("")
    drive.api.permissions().delete(fileId=FILE, permissionId="anyoneWithLink").execute()
    assert refused(lambda: omar.get(FILE))[0] == 404


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"role": "reader"}, 400, "required"),
        ({"type": "user", "emailAddress": ANA}, 400, "required"),
        ({"type": "user", "role": "reader"}, 400, "invalid"),
        ({"type": "user", "role": "boss", "emailAddress": ANA}, 400, "invalid"),
        ({"type": "robot", "role": "reader"}, 400, "invalid"),
        ({"type": "domain", "role": "reader", "domain": "no"}, 400, "invalid"),
        (person(ANA, "owner"), 403, "forbidden"),
        (person(ANA, "organizer"), 403, "invalidSharingRequest"),
        (person(ANA, "reader", expirationTime="2026-01-01T00:00:00Z"), 403, "expirationDatesMustBeInTheFuture"),
        (person(ANA, "reader", expirationTime="2030-01-01T00:00:00Z"), 403, "expirationDateTooFarInTheFuture"),
        (person(ANA, "reader", expirationTime="soon"), 400, "invalid"),
        ({"type": "anyone", "role": "reader", "expirationTime": "2026-12-01T00:00:00Z"}, 403, "cannotSetExpiration"),
    ],
)
def test_impossible_shares_are_refused(drive: Drive, body: dict[str, object], status: int, reason: str):
    assert refused(lambda: drive.share(FILE, body))[:2] == (status, reason)
    assert drive.grants(FILE) == {SAM: "owner"}


def test_an_expired_grant_counts_no_more(sandbox: Sandbox, drive: Drive, tmp_path: Path):
    drive.share(FILE, person(ANA, "reader", expirationTime="2026-11-19T00:00:00Z"))
    later = Sandbox(sandbox.world.path, "Europe/Berlin", lambda: WEDNESDAY.replace(day=20), (SAM, ANA))
    assert drive_of(sandbox, ANA).get(FILE, "id")["id"] == FILE
    assert refused(lambda: drive_of(later, ANA).get(FILE))[0] == 404
    later.close()


def test_readers_cannot_share_and_writers_only_when_allowed(sandbox: Sandbox, drive: Drive, ana: Drive):
    drive.share(FILE, person(ANA, "reader"))
    assert refused(lambda: ana.share(FILE, person(TOM, "reader")))[1] == "insufficientFilePermissions"
    assert refused(lambda: ana.grants(FILE))[0] == 403
    drive.share(FILE, person(ANA, "writer"))
    ana.share(FILE, person(TOM, "reader"))
    drive.update(FILE, {"writersCanShare": False})
    assert refused(lambda: ana.share(FILE, person(KENJI, "reader")))[0] == 403


def test_a_role_is_changed_only_when_it_is_named(drive: Drive):
    grant = drive.share(FILE, person(ANA, "reader"))["id"]

    def change(body: dict[str, str], permission: str = grant, **more: object) -> dict[str, object]:
        call = drive.api.permissions().update(fileId=FILE, permissionId=permission, body=body, fields="*", **more)
        return call.execute()

    assert refused(lambda: change({}))[1] == "required"
    ends = change({"role": "reader", "expirationTime": "2026-12-01T00:00:00Z"})
    assert ends["expirationTime"] == "2026-12-01T00:00:00.000Z"
    changed = change({"role": "writer"}, removeExpiration=True)
    assert (changed["role"], "expirationTime" in changed) == ("writer", False)
    assert refused(lambda: change({"role": "reader", "emailAddress": TOM}))[1] == "fieldNotWritable"
    assert refused(lambda: change({"role": "reader"}, "1"))[0] == 404


def test_a_reader_gains_nothing_by_moving_a_file_into_a_folder_of_their_own(drive: Drive, ana: Drive):
    drive.share(FILE, person(ANA, "reader"))
    folder = ana.create({"name": "Mine", "mimeType": FOLDER})["id"]
    move = {"addParents": folder, "removeParents": root_id(SAM)}
    assert refused(lambda: ana.update(FILE, **move))[1] == "insufficientFilePermissions"
    assert drive.get(FILE)["parents"] == [root_id(SAM)]


def test_the_owner_stays_until_somebody_else_owns(sandbox: Sandbox, drive: Drive, ana: Drive):
    own = drive.get(FILE)["permissions"][0]["id"]
    assert refused(drive.api.permissions().delete(fileId=FILE, permissionId=own).execute)[1] == "cannotRemoveOwner"
    assert refused(lambda: drive.share(FILE, person(OMAR, "owner"), transferOwnership=True))[1] == (
        "consentRequiredForOwnershipTransfer"
    )
    drive.share(FILE, person(ANA, "owner"), transferOwnership=True, moveToNewOwnersRoot=True)
    assert drive.grants(FILE) == {SAM: "writer", ANA: "owner"}
    assert ana.get(FILE)["parents"] == [root_id(ANA)]
    assert mails(sandbox) == [(ANA, "owner", "")]


def test_people_may_leave_what_was_shared_with_them(drive: Drive, ana: Drive):
    grant = drive.share(FILE, person(ANA, "reader"))["id"]
    ana.api.permissions().delete(fileId=FILE, permissionId=grant).execute()
    assert drive.grants(FILE) == {SAM: "owner"}


def test_a_shared_drives_members_are_inherited_and_nobody_owns_its_files(drive: Drive):
    logo = seed_id("logo")
    assert drive.grants(logo)[KENJI] == "writer"
    listed = drive.api.permissions().list(fileId=logo, fields="*", supportsAllDrives=True).execute()["permissions"]
    kenji = next(one for one in listed if one.get("emailAddress") == KENJI)
    assert kenji["permissionDetails"] == [
        {"permissionType": "member", "role": "writer", "inherited": True, "inheritedFrom": shared_drive_id("company")}
    ]
    file = drive.get(logo)
    assert ("owners" in file, "permissions" in file) == (False, False)
    taken = refused(lambda: drive.share(logo, person(ANA, "owner"), transferOwnership=True))
    assert taken[1] == "ownerOnTeamDriveItemNotSupported"
