"""Permissions: the least that a service needs, in sentences, and what is missing without one."""

import json
from pathlib import Path

import googleapiclient
import pytest

from core.errors import BadInput
from core.google.clients import VERSIONS
from core.google.scopes import PREFIX, Scopes, load_scopes, names_of
from core.registry.manifests import load_catalogue


@pytest.fixture(scope="module")
def scopes() -> Scopes:
    return load_scopes(load_catalogue())


def test_each_service_asks_for_the_least_that_its_tools_need(scopes: Scopes):
    assert {one: (scopes.of(one, False), scopes.of(one, True)) for one in scopes.services} == {
        "gmail": (("gmail.readonly",), ("gmail.modify", "gmail.settings.basic")),
        "calendar": (("calendar.readonly",), ("calendar.events", "calendar.readonly")),
        "drive": (("drive.readonly",), ("drive",)),
        "docs": (("documents.readonly", "drive.readonly"), ("documents", "drive")),
        "sheets": (("drive.readonly", "spreadsheets.readonly"), ("drive", "spreadsheets")),
        "slides": (("drive.readonly", "presentations.readonly"), ("drive", "presentations")),
    }


def test_every_permission_that_a_tool_needs_is_google_s_and_has_a_sentence(scopes: Scopes):
    folder = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
    known = set[str]()
    for name, version in VERSIONS.items():
        known |= json.loads((folder / f"{name}.{version}.json").read_text())["auth"]["oauth2"]["scopes"].keys()
    for _, tool in scopes.catalogue.tools():
        for name in tool.scopes:
            assert f"{PREFIX}{name}" in known
            assert scopes.purpose(name).endswith(".")
    covered = {name for one in scopes.file.scopes.values() for name in one.covers}
    assert {f"{PREFIX}{name}" for name in covered | scopes.file.scopes.keys()} <= known


def test_a_broader_permission_covers_a_narrower_one_and_not_the_other_way(scopes: Scopes):
    assert scopes.lacking(["gmail.modify"], "gmail").keys() == {"create_gmail_filter", "delete_gmail_filter"}
    assert scopes.lacking(["drive"]).keys().isdisjoint({tool.name for tool in scopes.catalogue.domains["docs"].tools})
    assert "search_gmail_messages" in scopes.lacking(["gmail.send", "gmail.labels"])
    assert scopes.lacking(scopes.all()) == {}
    assert len(scopes.lacking([])) == len(list(scopes.catalogue.tools()))


def test_a_service_works_for_reading_before_it_does_for_writing(scopes: Scopes):
    granted = scopes.of("calendar", False)
    assert scopes.works("calendar", granted, False) and not scopes.works("calendar", granted, True)
    assert scopes.works("calendar", scopes.of("calendar", True), True)


def test_google_s_spelling_becomes_names_and_identity_is_no_permission(scopes: Scopes):
    urls = scopes.urls(["gmail.send"])
    assert urls == ["openid", f"{PREFIX}userinfo.email", f"{PREFIX}gmail.send"]
    assert names_of([*urls, "https://mail.google.com/", "email", f"{PREFIX}userinfo.profile"]) == (
        "gmail.modify",
        "gmail.send",
    )


def test_there_is_no_service_by_another_name(scopes: Scopes):
    with pytest.raises(BadInput, match="There is no service 'photos'"):
        scopes.of("photos", False)
