"""The persona's Drive at the start: read from data/sandbox/drive, dated back from today."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, delete

from core.sandbox.drive import content
from core.sandbox.drive.kinds import FOLDER, SHORTCUT, root_id, seed_id, shared_drive_id, stamp
from core.sandbox.drive.plan import Drive, People, Planned, moment, read
from core.sandbox.drive.seed_comments import seed_comments
from core.sandbox.drive.seed_files import KINDS, made
from core.sandbox.drive.shelf import add_native, ensure_root, grant
from core.sandbox.drive.tables import DriveFile, DrivePerson, DriveRevision, DriveView, SharedDrive
from core.sandbox.world import World
from core.users import SANDBOX_ACCOUNT


def seed(world: World, today: date) -> None:
    """Bring the seeded files up to a day; what somebody changed, moved or deleted stays as it is."""
    people = People.model_validate(read("people"))
    plan = [Planned.model_validate(entry) for entry in read("tree")]
    zone = ZoneInfo(world.zone)
    with world.change() as session:
        put_people(session, people)
        for key, drive in people.drives.items():
            put_drive(session, key, drive, people, moment(today, 280, zone))
        for one in plan:
            put_file(session, one, people, today, zone)
        seed_comments(session, people, today, zone)


def put_people(session: Session, people: People) -> None:
    """Make everybody known, with their own My Drive."""
    for person in people.people.values():
        session.merge(DrivePerson(email=person.email, name=person.name))
        ensure_root(session, person.email)
    for group in people.groups.values():
        members = [people.address(key) for key in group.members]
        session.merge(DrivePerson(email=group.email, name=group.name, members=members))
    session.flush()


def put_drive(session: Session, key: str, drive: Drive, people: People, when: datetime) -> None:
    """Make a shared drive where it is not there yet, with its members."""
    drive_id, at = shared_drive_id(key), stamp(when)
    if session.get(SharedDrive, drive_id) is not None:
        return
    session.add(SharedDrive(id=drive_id, name=drive.name, created=at))
    first = people.address(next(iter(drive.members)))
    session.add(
        DriveFile(
            id=drive_id,
            name=drive.name,
            mime_type=FOLDER,
            drive_id=drive_id,
            created=at,
            modified=at,
            modified_by=first,
        )
    )
    for member, role in drive.members.items():
        session.add(grant(drive_id, "user", role, people.address(member)))
    session.flush()


def put_file(session: Session, one: Planned, people: People, today: date, zone: ZoneInfo) -> None:
    """Make or date anew one file, unless somebody has changed it."""
    when, owner = moment(today, one.ago, zone), people.address(one.owner)
    types = {"folder": FOLDER, "shortcut": SHORTCUT, **KINDS}
    file = add_native(
        session,
        owner,
        one.name,
        types[one.kind],
        parent=parent_of(one, owner, people),
        seed_key=one.key,
        when=when,
        share={people.address(key): role for key, role in one.share.items()},
    )
    if file.touched:
        return
    file.description, file.shortcut_to = one.description, seed_id(one.to) if one.to else None
    if one.trashed is not None:
        file.trashed, file.trashed_by, file.trashed_at = True, owner, stamp(moment(today, one.trashed, zone))
    note(session, one, file, today, zone)
    if one.kind in KINDS:
        session.exec(delete(DriveRevision).where(col(DriveRevision.file_id) == file.id))
        content.put(session, file, made(one), file.mime_type, owner, when, one.searchable())
    session.flush()


def parent_of(one: Planned, owner: str, people: People) -> str:
    """The id of the folder that a file is in."""
    if one.place in people.drives:
        return shared_drive_id(one.place)
    return root_id(owner) if one.place == "root" else seed_id(one.place)


def note(session: Session, one: Planned, file: DriveFile, today: date, zone: ZoneInfo) -> None:
    """What the persona has marked and opened."""
    if not one.starred and one.viewed is None:
        return
    viewed = stamp(moment(today, one.viewed, zone)) if one.viewed is not None else ""
    session.merge(DriveView(account=SANDBOX_ACCOUNT, file_id=file.id, starred=one.starred, viewed=viewed))
