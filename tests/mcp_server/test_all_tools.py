"""Every tool through MCP against one world, with just the permissions that it names, its effect read back through REST;
and what the lists of tools cost."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfile
from types import ModuleType

import pytest

from core.google.clients import GoogleClients
from core.google.patience import Patience
from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.conftest import SERVICE
from tests.mcp_server.conftest import ZONE, Caller, build, now
from tests.mcp_server.every_tool import calendar, docs, drive, gmail, sheets, slides
from tests.mcp_server.every_tool.office import Office
from tests.mcp_server.exact import Exact

SERVICES: dict[str, ModuleType] = {
    "gmail": gmail,
    "calendar": calendar,
    "drive": drive,
    "docs": docs,
    "sheets": sheets,
    "slides": slides,
}
TOOLS = [(service, tool.name) for service in SERVICES for tool in load_catalogue().domains[service].tools]
LIMITS = {"gmail": 3600, "calendar": 3100, "drive": 3600, "docs": 3800, "sheets": 3000, "slides": 1300}
"""Tokens that a service's `tools/list` may have, as a model gets it: name, description, parameters."""


@pytest.fixture(scope="module")
def office(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder = tmp_path_factory.mktemp("every tool")
    copyfile(seeded, folder / "sandbox.db")
    sandbox = Sandbox(folder / "sandbox.db", ZONE, now)
    sandbox.open()
    exact = Exact(sandbox)
    clients = GoogleClients(exact, Patience(sleep=lambda _: None))
    server = build(sandbox, folder / "downloads", domains=list(SERVICES), clients=clients, permits=exact.permits)
    yield Office(Caller(server), GoogleClients(sandbox.http).for_account(SANDBOX_ACCOUNT))
    sandbox.close()


async def test_the_server_lists_eighty_tools(office: Office) -> None:
    assert list(await office.call.tools()) == [tool for _, tool in TOOLS] and len(TOOLS) == 80


@pytest.mark.parametrize(("service", "tool"), TOOLS, ids=lambda value: str(value))
async def test_a_tool_has_its_effect(office: Office, service: str, tool: str) -> None:
    await getattr(SERVICES[service], tool)(office)


@pytest.mark.parametrize("service", SERVICES)
async def test_the_list_of_a_services_tools_stays_short(
    office: Office, service: str, record_property: Callable[[str, object], None]
) -> None:
    names = {tool for where, tool in TOOLS if where == service}
    listed = [tool for name, tool in (await office.call.tools()).items() if name in names]
    shown = [{"name": one.name, "description": one.description, "parameters": one.input_schema} for one in listed]
    tokens = Embedder().count_tokens(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))
    record_property(SERVICE, {"service": service, "names": sorted(names), "tokens": tokens, "limit": LIMITS[service]})
    assert tokens <= LIMITS[service]
