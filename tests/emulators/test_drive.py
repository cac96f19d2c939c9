"""The same calls of the Drive tools have the same effects on the sandbox and on myworld."""

from collections.abc import Iterator

import pytest

from tests.emulators.others import ANA, KENJI, MYWORLD, SAM, myworld
from tests.emulators.pair import Difference, Pair, Scenario, World, named, pair_of

pytestmark = pytest.mark.skipif(MYWORLD is None, reason="myworld is not installed")
FOLDER = "application/vnd.google-apps.folder"
DOCUMENT = "application/vnd.google-apps.document"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("drive")
    people = [{"email": ANA, "name": "Ana Ruiz"}, {"email": KENJI, "name": "Kenji Mori"}]
    seed = {"user": {"email": SAM, "name": "Sam Okafor"}, "people": people}
    with myworld({"drive": seed}, folder) as other, pair_of(lambda _: other, ["drive"], folder) as both:
        yield both


def new(world: World, name: str, kind: str = DOCUMENT, parent: str = "root") -> str:
    body = {"name": name, "mimeType": kind, "parents": [parent]}
    return str(world.rest("drive.files.create", body=body)["id"])


def grants(world: World, file_id: str) -> list[tuple[str, str]]:
    found = world.rest("drive.permissions.list", fileId=file_id, fields="permissions(type,role,emailAddress,domain)")
    return sorted(
        (one.get("emailAddress") or one.get("domain") or one["type"], one["role"]) for one in found["permissions"]
    )


def names(world: World, query: str) -> list[str]:
    return sorted(one["name"] for one in world.rest("drive.files.list", q=query, fields="files(name)")["files"])


async def each_kind_of_share(world: World) -> object:
    one = new(world, "Shared")
    await world("share_drive_file", file_id=one, share_with=ANA, role="writer")
    await world("share_drive_file", file_id=one, share_with="lumenworks.example", share_type="domain")
    return grants(world, one)


async def a_domain_and_anyone_with_the_link(world: World) -> object:
    one = new(world, "Open")
    await world("share_drive_file", file_id=one, share_with="lumenworks.example", share_type="domain")
    await world("share_drive_file", file_id=one, share_type="anyone", role="commenter")
    return grants(world, one)


async def a_name_by_its_middle(world: World) -> object:
    new(world, "Fjord")
    return names(world, "name contains 'jord'")


async def a_share_that_was_there(world: World) -> object:
    one = new(world, "Shared twice")
    await world("share_drive_file", file_id=one, share_with=ANA, role="reader")
    await world("share_drive_file", file_id=one, share_with=ANA, role="writer")
    return grants(world, one)


async def a_role_changes_and_goes(world: World) -> object:
    one, seen = new(world, "Changes"), []
    made = await world("share_drive_file", file_id=one, share_with=ANA)
    permission = made["shared"][0]["permission_id"]
    await world("update_drive_permission", file_id=one, permission_id=permission, role="commenter")
    seen.append(grants(world, one))
    await world("remove_drive_permission", file_id=one, permission_id=permission)
    return [*seen, grants(world, one)]


async def several_at_once(world: World) -> object:
    one = new(world, "Several")
    people = [{"email": ANA, "role": "writer"}, {"email": KENJI}]
    told = await world("batch_share_drive_file", file_id=one, recipients=people)
    return [(share["who"], share["role"]) for share in told["shared"]], told["failed"], grants(world, one)


async def a_link_is_opened_and_closed(world: World) -> object:
    one, seen = new(world, "Link"), []
    for link in ("reader", "commenter", "off"):
        await world("set_drive_file_permissions", file_id=one, link_sharing=link)
        told = await world("get_drive_shareable_link", file_id=one)
        seen.append((told["public"], grants(world, one)))
    return seen


async def who_sees_a_file(world: World) -> object:
    one = new(world, "Seen")
    await world("share_drive_file", file_id=one, share_with=ANA)
    told = await world("get_drive_file_permissions", file_id=one)
    return told["public"], sorted((grant["kind"], grant["who"], grant["role"]) for grant in told["grants"])


async def an_owner_gives_a_file_away(world: World) -> object:
    one = new(world, "Given")
    await world("transfer_drive_ownership", file_id=one, new_owner_email=ANA)
    return grants(world, one)


async def a_file_moves(world: World) -> object:
    first, second = new(world, "First home", FOLDER), new(world, "Second home", FOLDER)
    one = new(world, "Moves", parent=first)
    await world("update_drive_file", file_id=one, add_parents=second, remove_parents=first)
    found = world.rest("drive.files.get", fileId=one, fields="parents")
    return found["parents"] == [second], names(world, f"'{second}' in parents"), names(world, f"'{first}' in parents")


async def a_file_is_renamed_starred_and_trashed(world: World) -> object:
    one, seen = new(world, "Old zephyr"), []
    fields = "name,starred,trashed,description"
    for change in (
        {"name": "New zephyr", "starred": True},
        {"description": "Why"},
        {"trashed": True},
        {"trashed": False},
    ):
        await world("update_drive_file", file_id=one, **change)
        seen.append(
            (
                world.rest("drive.files.get", fileId=one, fields=fields),
                names(world, "name contains 'zephyr' and trashed = false"),
            )
        )
    return seen


async def a_copy(world: World) -> object:
    one = new(world, "Original")
    await world("share_drive_file", file_id=one, share_with=ANA)
    made = await world("copy_drive_file", file_id=one, new_name="Duplicate")
    return made["file"]["name"], made["file"]["mime_type"], grants(world, made["file"]["file_id"])


QUERIES = [
    "name = 'Quark plan'",
    "name contains 'quark'",
    "name contains 'Quark' and not name contains 'plan'",
    "name contains 'Quark' and (mimeType = 'application/vnd.google-apps.folder' or starred = true)",
    "name contains 'Quark' and mimeType != 'application/vnd.google-apps.folder'",
    "name contains 'Quark' and trashed = true",
    "name contains 'Quark' and modifiedTime > '2020-01-01T00:00:00'",
    "name contains 'Quark' and 'sam@lumenworks.example' in owners",
    "name contains 'Quark' and 'ana@lumenworks.example' in readers",
    "name = 'Tom\\'s quark'",
]


async def queries(world: World) -> object:
    made = [new(world, name) for name in ("Quark plan", "Quark notes", "Tom's quark", "Quark gone")]
    new(world, "Quark folder", FOLDER)
    await world("update_drive_file", file_id=made[0], starred=True)
    await world("update_drive_file", file_id=made[3], trashed=True)
    await world("share_drive_file", file_id=made[1], share_with=ANA)
    return {query: names(world, query) for query in QUERIES}


async def queries_that_are_none(world: World) -> object:
    return [
        await world.outcome("search_drive_files", query=query)
        for query in ("colour = 'red'", "name = 'x", "name contains 'x' and", "modifiedTime > 'soon'")
    ]


async def what_cannot_be_shared(world: World) -> object:
    one = new(world, "Refused")
    return [
        await world.outcome("share_drive_file", file_id="nothing", share_with=ANA),
        await world.outcome("update_drive_permission", file_id=one, permission_id="1", role="reader"),
        await world.outcome("remove_drive_permission", file_id=one, permission_id="1"),
        await world.outcome("get_drive_file_permissions", file_id="nothing"),
    ]


async def the_owner_stays(world: World) -> object:
    one = new(world, "Owned")
    (owner,) = world.rest("drive.permissions.list", fileId=one)["permissions"]
    with pytest.raises(Exception) as caught:
        world.rest("drive.permissions.delete", fileId=one, permissionId=owner["id"])
    return type(caught.value).__name__, grants(world, one)


SAME = [
    each_kind_of_share,
    a_share_that_was_there,
    a_role_changes_and_goes,
    several_at_once,
    a_link_is_opened_and_closed,
    who_sees_a_file,
    an_owner_gives_a_file_away,
    a_file_moves,
    a_file_is_renamed_starred_and_trashed,
    a_copy,
    queries,
    queries_that_are_none,
    what_cannot_be_shared,
    the_owner_stays,
]
DIFFERENT = [
    Difference(
        "Drive: shared with a domain and with anyone",
        a_domain_and_anyone_with_the_link,
        [("anyone", "commenter"), ("lumenworks.example", "reader"), (SAM, "owner")],
        [("anyone", "commenter"), (SAM, "owner")],
    ),
    Difference("Drive: a name by its middle", a_name_by_its_middle, [], ["Fjord"]),
]


@pytest.mark.parametrize("scenario", SAME, ids=named)
async def test_the_same_calls_have_the_same_effects(pair: Pair, scenario: Scenario) -> None:
    ours, theirs = await pair.seen(scenario)
    assert ours == theirs


@pytest.mark.parametrize("difference", DIFFERENT, ids=named)
async def test_where_they_differ_it_is_known(pair: Pair, difference: Difference) -> None:
    assert await pair.seen(difference.scenario) == (difference.ours, difference.theirs)
