"""The tool server as an MCP client sees it."""

from pathlib import Path
from typing import Any

import pytest

from core.mcp_server.desk import Desk
from core.mcp_server.meta import ACCOUNT, ZONE
from core.mcp_server.results import LabelList
from core.mcp_server.server import tool_functions
from core.registry.manifests import Catalogue, ManifestError, ToolManifest, load_catalogue
from core.sandbox.sandbox import Sandbox
from tests.mcp_server.conftest import Caller, build, said


@pytest.mark.parametrize("domain", ["gmail", "calendar"])
def test_every_tool_function_has_a_manifest_and_every_manifest_a_function(domain: str) -> None:
    manifests = {tool.name for tool in load_catalogue().domains[domain].tools}
    assert tool_functions(domain).keys() == manifests


async def test_tools_say_what_their_manifests_say_and_hide_the_desk(call: Caller) -> None:
    tools = await call.tools()
    search, manifest = tools["search_gmail_messages"], load_catalogue().tool("search_gmail_messages")
    assert (search.title, search.description) == (manifest.title, manifest.description)
    assert search.annotations.read_only_hint and not search.annotations.destructive_hint
    assert list(search.input_schema["properties"]) == ["query", "page_size", "page_token"]
    assert search.input_schema["required"] == ["query"]
    assert search.output_schema["title"] == "MailPage"
    assert len(tools) == 21


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"x": 1}, "get_events has no parameter x; it takes calendar_id, event_id, time_min"),
        ({"max_results": 0}, "The arguments of get_events are wrong: max_results: input should be greater than or"),
        ({"time_min": "next week"}, "time_min: 'next week' is not a time; give a time such as 2026-12-01T09:00"),
        ({"time_min": "2026-12-02", "time_max": "2026-12-01"}, "time_max: 2026-12-01 must be later than time_min"),
        ({"time_max": "2020-01-01"}, "time_min: it is needed too, as time_max, 2020-01-01, is not in the future."),
    ],
)
async def test_a_bad_argument_is_named(call: Caller, arguments: dict[str, Any], sentence: str) -> None:
    assert (await call.refusal("get_events", **arguments)).startswith(sentence)


async def test_nulls_stand_for_what_was_left_out(call: Caller) -> None:
    page = await call("get_events", max_results=None, time_max=None)
    assert page["time_min"] == "2026-12-01T09:00:00+01:00"


async def test_an_unknown_tool_is_answered_with_the_known_ones(call: Caller) -> None:
    said = await call.refusal("send_pizza")
    assert said.startswith("There is no tool send_pizza; there are: ") and "get_events" in said


async def test_the_caller_says_who_acts_and_in_which_zone(call: Caller) -> None:
    tokyo = await call.result("get_events", {}, {ZONE: "Asia/Tokyo"})
    assert tokyo.structured_content["time_min"] == "2026-12-01T17:00:00+09:00"
    stranger = await call.result("get_events", {}, {ACCOUNT: "nobody@elsewhere.example"})
    assert stranger.is_error and "Connect the account again" in said(stranger)
    nowhere = await call.result("get_events", {}, {ZONE: "Mars/Olympus"})
    assert nowhere.is_error and "must be an IANA zone" in said(nowhere)


async def test_a_fault_of_the_app_is_masked(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr("core.mcp_server.shaping.events.calendar", broken)
    sentence = await call.refusal("list_calendars")
    assert sentence == ("list_calendars failed because of a fault in this app. Try another way, or tell the person.")


def write_tool() -> ToolManifest:
    """A tool that says nothing about reading."""
    search = load_catalogue().tool("search_gmail_messages")
    quiet = {"access", "destructive", "idempotent", "approval", "intents"}
    return ToolManifest(**{**search.model_dump(exclude=quiet), "name": "burn_letter"})


def catalogue_with(tool: ToolManifest) -> Catalogue:
    domains = load_catalogue().domains
    gmail = domains["gmail"].model_copy(update={"tools": (*domains["gmail"].tools, tool)})
    return Catalogue({**domains, "gmail": gmail})


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_tool_that_does_not_say_it_reads_is_a_write(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: bool
) -> None:
    def burn_letter(desk: Desk) -> LabelList:
        return LabelList(labels=[])

    functions = tool_functions("gmail") | {"burn_letter": burn_letter}
    monkeypatch.setattr("core.mcp_server.server.tool_functions", lambda _: functions)
    options = {"catalogue": catalogue_with(write_tool()), "domains": ["gmail"], "read_only": read_only}
    tools = await Caller(build(sandbox, tmp_path, **options)).tools()
    assert ("burn_letter" in tools) is not read_only
    if not read_only:
        hints = tools["burn_letter"].annotations
        assert (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint) == (False, True, False)


def test_a_manifest_without_a_function_is_an_error(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(ManifestError, match="differ in: burn_letter"):
        build(sandbox, tmp_path, catalogue=catalogue_with(write_tool()))


async def test_without_an_account_a_call_is_refused(sandbox: Sandbox, tmp_path: Path) -> None:
    sentence = await Caller(build(sandbox, tmp_path, account=None)).refusal("list_calendars")
    assert sentence.startswith("No Google account is chosen")


async def test_spans_are_flushed_after_each_call(sandbox: Sandbox, tmp_path: Path) -> None:
    flushed: list[str] = []
    await Caller(build(sandbox, tmp_path, flush=lambda: flushed.append("now"))).result("get_events", {"x": 1})
    assert "now" in flushed
