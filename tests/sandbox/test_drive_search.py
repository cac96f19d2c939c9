"""files.list of the sandbox's Drive: its query language, order and pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.google.drive_query import Both, Compare, Either, Not, QueryError, parse, quoted
from core.sandbox.drive.kinds import FOLDER, seed_id, shared_drive_id
from core.sandbox.sandbox import Sandbox
from tests.sandbox.drive_world import Drive, drive_of, refused


@pytest.fixture
def drive(sandbox: Sandbox) -> Drive:
    return drive_of(sandbox)


ALL = {"corpora": "allDrives", "includeItemsFromAllDrives": True, "supportsAllDrives": True}


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("name = 'scratch.txt'", ["scratch.txt"]),
        ("name contains 'invoice-2' and mimeType = 'application/pdf'", ["invoice-2017.pdf", "invoice-2041.pdf"]),
        ("name contains 'voice-2041'", []),
        (r"name contains 'don\'t'", ["Packing list: don't forget.txt"]),
        ("name contains 'ロードマップの'", ["ロードマップの質問.txt"]),
        ("fullText contains 'flicker' and mimeType = 'text/plain'", ["Customer interviews.txt"]),
        ("fullText contains 'flicker below' and name contains 'release-4.1'", ["release-4.1-notes.md"]),
        ("fullText contains '\"wardrobe flicker\"'", []),
        ("fullText contains '800 lumens'", ["Halo 2 specification.docx"]),
        ("trashed = true and not name contains 'Logo'", ["Plan for last year.txt"]),
        (f"'{seed_id('private')}' in parents", ["Passport scan.png", "Rental agreement.pdf", "Salary bands.csv"]),
        ("'marta@brightparts.example' in owners", ["BP-24C datasheet.pdf", "BrightParts delivery plan.csv"]),
        ("sharedWithMe and 'me' in writers and mimeType = 'text/csv'", ["BrightParts delivery plan.csv"]),
        ("modifiedTime > '2026-11-17T12:00:00' and mimeType = 'text/plain'", ["build-1187.log"]),
        ("viewedByMeTime > '2026-01-01T00:00:00'", ["invoice-2041.pdf"]),
        ("starred = true and (mimeType = 'image/png' or mimeType = 'text/csv')", ["Dimmer app v3.png"]),
        (f"shortcutDetails.targetId = '{seed_id('brand')}'", ["Brand assets"]),
    ],
)  # fmt: skip
def test_queries_find_what_they_mean(drive: Drive, q: str, names: list[str]):
    assert drive.find(q) == names


def test_the_root_folder_and_its_alias_are_one(drive: Drive):
    inside = drive.find(f"'root' in parents and mimeType = '{FOLDER}'")
    assert inside == ["Design", "Finance", "Offsite", "People", "Private", "Product", "Sales"]


def test_properties_are_searched(drive: Drive):
    drive.update(seed_id("scratch"), {"properties": {"project": "halo"}})
    assert drive.find("properties has { key='project' and value='halo' }") == ["scratch.txt"]
    assert drive.find("properties has { key='project' and value='mini' }") == []


def test_and_and_or_are_read_from_left_to_right():
    assert parse("starred or trashed and sharedWithMe") == Both(
        Either(Compare("starred", "=", True), Compare("trashed", "=", True)), Compare("sharedWithMe", "=", True)
    )


def test_shared_drives_are_searched_only_when_asked_for(drive: Drive):
    assert drive.find("name contains 'travel policy'") == []
    assert drive.find("name contains 'travel policy'", **ALL) == ["Travel policy.pdf"]
    company = {**ALL, "corpora": "drive", "driveId": shared_drive_id("company")}
    assert drive.find("mimeType = 'application/vnd.google-apps.folder'", **company) == ["Brand", "Policies"]
    assert refused(lambda: drive.find("", corpora="drive"))[:2] == (403, "teamDriveIdRequiresTeamDriveCorpora")
    assert refused(lambda: drive.find("", corpora="allDrives"))[1] == "includeTeamDriveItemsRequired"
    assert refused(lambda: drive.find("", includeItemsFromAllDrives=True))[0] == 403
    assert refused(lambda: drive.find("", **{**company, "driveId": "none"}))[0] == 404


def test_visibility_tells_links_from_private_files(drive: Drive):
    assert "lumenworks-logo.png" in drive.find("visibility = 'anyoneWithLink'", **ALL)
    assert "scratch.txt" in drive.find("visibility = 'limited'")


def test_pages_follow_one_another_without_loss(drive: Drive):
    files = drive.api.files()
    request, names = files.list(pageSize=7, orderBy="name_natural"), []
    while request is not None:
        page = request.execute()
        assert len(page["files"]) <= 7
        names += [one["name"] for one in page["files"]]
        request = files.list_next(request, page)
    assert sorted(names) == sorted(drive.find(""))
    assert refused(lambda: files.list(pageToken="what").execute())[0] == 400


def test_files_come_in_the_order_asked_for(drive: Drive):
    def ordered(order: str) -> list[str]:
        return [one["name"] for one in drive.api.files().list(orderBy=order, q="trashed=false").execute()["files"]]

    by_name = ordered("folder,name desc")
    assert by_name[0] == "Sales"
    assert ordered("modifiedTime")[0] in ("Finance", "Product")
    assert refused(lambda: ordered("size"))[0] == 400
    text = drive.api.files().list(q="fullText contains 'lamp'", orderBy="name")
    assert refused(text.execute)[:2] == (403, "forbidden")


def test_a_search_of_texts_puts_matching_names_first(drive: Drive):
    found = drive.api.files().list(q="fullText contains 'invoice 2041'").execute()["files"]
    assert (found[0]["name"], len(found) > 1) == ("invoice-2041.pdf", True)


@pytest.mark.parametrize(
    ("q", "place"),
    [
        ("name = ", 8),
        ("title = 'x'", 1),
        ("name like 'x'", 6),
        ("trashed = 'true'", 1),
        ("modifiedTime > 'yesterday'", 16),
        ("'x' in name", 8),
        ("name = 'x", 8),
        ("(starred", 9),
        ("starred and", 12),
        ("budget 2026", 8),
        ("visibility = 'open'", 14),
        ("fullText = 'x'", 1),
    ],
)
def test_a_query_that_does_not_parse_says_where(drive: Drive, q: str, place: int):
    with pytest.raises(QueryError) as error:
        parse(q)
    assert error.value.column == place
    assert refused(lambda: drive.find(q)) == (400, "invalid", "Invalid Value")


LEAVES = st.one_of(
    st.builds(
        lambda field, op, text: (f"{field} {op} {quoted(text)}", Compare(field, op, text)),
        st.sampled_from(["name", "mimeType"]),
        st.sampled_from(["=", "!=", "contains"]),
        st.text(max_size=12),
    ),
    st.builds(
        lambda field, op, value: (f"{field}{op}{str(value).lower()}", Compare(field, op, value)),
        st.sampled_from(["trashed", "starred", "sharedWithMe"]),
        st.sampled_from(["=", "!="]),
        st.booleans(),
    ),
    st.builds(lambda text: (f"{quoted(text)} in parents", Compare("parents", "in", text)), st.text(max_size=12)),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda a, b: (f"({a[0]}) and ({b[0]})", Both(a[1], b[1])), inner, inner),
        st.builds(lambda a, b: (f"({a[0]}) or ({b[0]})", Either(a[1], b[1])), inner, inner),
        st.builds(lambda a: (f"not ({a[0]})", Not(a[1])), inner),
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_every_query_that_can_be_written_is_read_as_it_was_meant(tree):
    text, node = tree
    assert parse(text) == node


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=40), st.text("name=' ()andortrue<>{}\\", max_size=40)))
def test_any_text_is_a_query_or_has_a_place_where_it_stops_being_one(text):
    try:
        parse(text)
    except QueryError as error:
        assert 1 <= error.column <= len(text) + 1
        assert error.problem
