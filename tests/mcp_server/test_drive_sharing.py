"""The Drive tools that give and take access; their effects are read back through Google's REST API."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.sandbox.drive.kinds import seed_id
from core.sandbox.faults import Fault
from core.sandbox.sandbox import Sandbox
from tests.mcp_server.conftest import Caller, build
from tests.mcp_server.drive_desk import mails, own_world
from tests.sandbox.drive_world import ANA, OMAR, SAM, TOM, Drive, drive_of

FILE = seed_id("scratch")


@pytest.fixture
def sandbox(shared_world: Sandbox, tmp_path: Path) -> Iterator[Sandbox]:
    with own_world(shared_world, tmp_path) as world:
        yield world


@pytest.fixture
def drive(sandbox: Sandbox) -> Drive:
    """Google's client, to read effects back."""
    return drive_of(sandbox)


@pytest.fixture
def call(sandbox: Sandbox, tmp_path: Path) -> Caller:
    return Caller(build(sandbox, tmp_path / "downloads", domains=["drive"]))


class TestShareDriveFile:
    """share_drive_file."""

    async def test_share_drive_file_gives_access_and_says_who_was_told(
        self, call: Caller, sandbox: Sandbox, drive: Drive
    ) -> None:
        made = await call("share_drive_file", file_id=FILE, share_with=ANA, role="writer", email_message="Look!")
        assert drive.grants(FILE) == {SAM: "owner", ANA: "writer"}
        assert made["summary"] == f"scratch.txt: {ANA} can edit. Google sent them a mail."
        assert mails(sandbox) == [(ANA, "writer", "Look!")]

    async def test_share_drive_file_is_quiet_when_told_so(self, call: Caller, sandbox: Sandbox) -> None:
        made = await call("share_drive_file", file_id=FILE, share_with=TOM, send_notification=False)
        assert made["summary"].endswith("No mail was sent.")
        assert (made["shared"][0]["mail_sent"], mails(sandbox)) == (False, [])

    async def test_share_drive_file_knows_groups_domains_and_links(self, call: Caller, drive: Drive) -> None:
        await call("share_drive_file", file_id=FILE, share_with="team@lumenworks.example", share_type="group")
        await call("share_drive_file", file_id=FILE, share_with="lumenworks.example", share_type="domain")
        await call("share_drive_file", file_id=FILE, share_type="anyone", role="commenter")
        assert drive.grants(FILE) == {
            SAM: "owner",
            "team@lumenworks.example": "reader",
            "lumenworks.example": "reader",
            "anyone": "commenter",
        }

    async def test_share_drive_file_ends_at_the_end_of_a_day(self, call: Caller, drive: Drive) -> None:
        made = await call("share_drive_file", file_id=FILE, share_with=ANA, expiration_time="2026-12-24")
        assert made["shared"][0]["expires"] == "2026-12-25T00:00:00+01:00"
        ends = [one.get("expirationTime") for one in drive.get(FILE)["permissions"]]
        assert "2026-12-24T23:00:00.000Z" in ends

    async def test_share_drive_file_refuses_what_makes_no_sense(self, call: Caller, drive: Drive) -> None:
        assert "needs their address" in await call.refusal("share_drive_file", file_id=FILE, share_with="Ana")
        assert "needs their address" in await call.refusal("share_drive_file", file_id=FILE)
        assert "needs its name" in await call.refusal("share_drive_file", file_id=FILE, share_type="domain")
        past = await call.refusal("share_drive_file", file_id=FILE, share_with=ANA, expiration_time="2020-01-01")
        assert "Expiration dates must be in the future" in past
        assert drive.grants(FILE) == {SAM: "owner"}

    async def test_share_drive_file_is_not_repeated_when_the_answer_is_lost(
        self, call: Caller, sandbox: Sandbox
    ) -> None:
        sandbox.faults.add(Fault("POST .*/permissions", "lost_reply"))
        said = await call.refusal("share_drive_file", file_id=FILE, share_with=ANA)
        assert "unknown whether it was made" in said
        assert len(mails(sandbox)) == 1


class TestBatchShareDriveFile:
    """batch_share_drive_file."""

    async def test_batch_share_drive_file_reports_each_recipient(
        self, call: Caller, sandbox: Sandbox, drive: Drive
    ) -> None:
        recipients = [
            {"email": ANA, "role": "writer"},
            {"email": "nobody"},
            {"domain": "lumenworks.example", "share_type": "domain"},
            {"email": OMAR, "role": "commenter", "expiration_time": "2020-01-01"},
        ]
        made = await call("batch_share_drive_file", file_id=FILE, recipients=recipients)
        assert [(one["who"], one["role"]) for one in made["shared"]] == [
            (ANA, "writer"),
            ("lumenworks.example", "reader"),
        ]
        assert {one["who"]: one["error"][:40] for one in made["failed"]} == {
            "nobody": "share_with: a share with a user needs th",
            OMAR: "This account may not do that: Expiration",
        }
        assert made["summary"].endswith(f"Google sent them a mail. Failed: nobody, {OMAR}.")
        assert drive.grants(FILE) == {SAM: "owner", ANA: "writer", "lumenworks.example": "reader"}
        assert [one[0] for one in mails(sandbox)] == [ANA]


class TestUpdateDrivePermission:
    """update_drive_permission."""

    async def test_update_drive_permission_changes_the_role(self, call: Caller, drive: Drive) -> None:
        given = drive.share(FILE, {"type": "user", "role": "reader", "emailAddress": ANA})
        made = await call("update_drive_permission", file_id=FILE, permission_id=given["id"], role="writer")
        assert made["changed"] == ["Ana Ruiz can edit (before: can view)"]
        assert drive.grants(FILE)[ANA] == "writer"

    async def test_update_drive_permission_changes_only_the_end(self, call: Caller, drive: Drive) -> None:
        drive.share(FILE, {"type": "user", "role": "commenter", "emailAddress": ANA})
        made = await call(
            "update_drive_permission", file_id=FILE, permission_id=ANA, expiration_time="2026-12-10T12:00"
        )
        assert made["changed"] == ["Ana Ruiz can comment until 2026-12-10T12:00:00+01:00"]
        await call("update_drive_permission", file_id=FILE, permission_id=ANA, expiration_time="never")
        assert not any("expirationTime" in one for one in drive.get(FILE)["permissions"])

    async def test_update_drive_permission_names_who_has_access(self, call: Caller) -> None:
        said = await call.refusal("update_drive_permission", file_id=FILE, permission_id=ANA, role="reader")
        assert said.startswith(f"permission_id: {ANA} has no permission for this file; there are:")
        assert "which role" in await call.refusal("update_drive_permission", file_id=FILE, permission_id=SAM)


class TestRemoveDrivePermission:
    """remove_drive_permission."""

    async def test_remove_drive_permission_takes_access_away(self, call: Caller, drive: Drive) -> None:
        drive.share(FILE, {"type": "user", "role": "reader", "emailAddress": ANA})
        drive.share(FILE, {"type": "anyone", "role": "reader"})
        made = await call("remove_drive_permission", file_id=FILE, permission_id=ANA)
        assert made["changed"] == ["Ana Ruiz has no longer access by this permission (can view)"]
        await call("remove_drive_permission", file_id=FILE, permission_id="anyoneWithLink")
        assert drive.grants(FILE) == {SAM: "owner"}

    async def test_remove_drive_permission_says_that_a_folder_gives_it(self, call: Caller) -> None:
        said = await call.refusal("remove_drive_permission", file_id=seed_id("invoice-hotel"), permission_id=ANA)
        assert "Cannot update or delete an inherited permission" in said

    async def test_remove_drive_permission_lets_one_leave(self, call: Caller, drive: Drive) -> None:
        spec = seed_id("spec-halo-2")
        drive.update(spec, addParents="root", removeParents=seed_id("product"))
        made = await call("remove_drive_permission", file_id=spec, permission_id=SAM)
        assert made["changed"] == ["Sam Okafor has no longer access by this permission (can edit)"]


class TestTransferDriveOwnership:
    """transfer_drive_ownership."""

    async def test_transfer_drive_ownership_makes_another_the_owner(self, call: Caller, drive: Drive) -> None:
        made = await call("transfer_drive_ownership", file_id=FILE, new_owner_email=ANA, move_to_new_owners_root=True)
        assert drive.grants(FILE) == {SAM: "writer", ANA: "owner"}
        assert made["file"]["owner"] == "Ana Ruiz"
        assert made["changed"][2] == "it was moved to the new owner's My Drive"

    async def test_transfer_drive_ownership_stays_in_the_organisation(self, call: Caller, drive: Drive) -> None:
        said = await call.refusal("transfer_drive_ownership", file_id=FILE, new_owner_email=OMAR)
        assert "Consent is required" in said
        said = await call.refusal("transfer_drive_ownership", file_id=seed_id("logo"), new_owner_email=ANA)
        assert "cannot have owners" in said
        assert drive.grants(FILE) == {SAM: "owner"}


class TestSetDriveFilePermissions:
    """set_drive_file_permissions."""

    async def test_set_drive_file_permissions_opens_and_closes_the_link(self, call: Caller, drive: Drive) -> None:
        opened = await call("set_drive_file_permissions", file_id=FILE, link_sharing="reader")
        assert opened["changed"] == ["anybody with the link can view it"]
        assert drive.grants(FILE)["anyone"] == "reader"
        await call("set_drive_file_permissions", file_id=FILE, link_sharing="commenter")
        assert drive.grants(FILE)["anyone"] == "commenter"
        closed = await call("set_drive_file_permissions", file_id=FILE, link_sharing="off")
        assert closed["changed"] == ["only people with access can open the link now"]
        again = await call("set_drive_file_permissions", file_id=FILE, link_sharing="off")
        assert again["changed"] == ["the link was closed already"]
        assert drive.grants(FILE) == {SAM: "owner"}

    async def test_set_drive_file_permissions_says_who_may_share_and_copy(self, call: Caller, drive: Drive) -> None:
        made = await call(
            "set_drive_file_permissions", file_id=FILE, writers_can_share=False, copy_requires_writer_permission=True
        )
        assert made["changed"] == ["only the owner may share it", "readers may not copy or download it"]
        assert drive.get(FILE)["writersCanShare"] is False
        assert "say what" in await call.refusal("set_drive_file_permissions", file_id=FILE)
