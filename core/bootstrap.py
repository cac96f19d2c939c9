"""The composition root: settings in, everything wired out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.mcp import MCPServer
from agents.models.interface import Model

from core.agents.ahead import ReadAhead
from core.agents.builder import Agents, Team, configs, register
from core.agents.model_errors import explain
from core.agents.models import build_model, model_settings
from core.agents.offline.model import NAME as OFFLINE_MODEL
from core.agents.offline.model import OfflineBrain, OfflineModel
from core.agents.planner import ModelPlans, Planner, RulePlans
from core.agents.reference_tools import context_schemas, context_tools, ways_of
from core.agents.worth import Worth
from core.api.access import identity_of
from core.front import Front, open_front
from core.glass import TurnNumbers, listen_to_agents, spent_of
from core.google.accounts import Accounts
from core.google.workspace import Workspace, open_workspace
from core.mcp_server.client import ToolView
from core.mcp_server.opening import outside_server, tool_server
from core.mcp_server.server import ToolServer
from core.registry.display import Display
from core.registry.embeddings import Embedder
from core.registry.manifests import Catalogue, load_catalogue
from core.registry.registry import AgentRegistry
from core.registry.remote import RemoteRouter
from core.registry.router import Router
from core.registry.routers import local_router, router_of
from core.registry.toolcards import Schema
from core.runtime.budgets import BudgetGuard
from core.runtime.cache import ResponseCache
from core.runtime.conductor import Conductor
from core.runtime.gate import Gate
from core.runtime.loop import LoopThread
from core.runtime.manager import Runtime
from core.runtime.names import Sentences
from core.runtime.performance import Performer
from core.runtime.planned import Planned
from core.runtime.previews import Previews
from core.runtime.recall import Recall
from core.runtime.remains import Remains
from core.runtime.switchboard import Switchboard
from core.sandbox.sandbox import Sandbox
from core.servers.address import Rules
from core.servers.crew import Crew
from core.servers.link import Patience
from core.servers.links import Links
from core.servers.routing import Added
from core.servers.servers import Servers
from core.servers.tools import telling
from core.settings import McpTransport, PlannerUse, Settings
from core.store.forget import forget, forget_downloads
from core.store.people import People
from core.store.stores import Stores
from core.users import SANDBOX_ACCOUNTS, User, rules_of
from telemetry.queries import Glass
from telemetry.repricing import Repricing
from telemetry.setup import Telemetry


@dataclass(frozen=True)
class Services(Front):
    """What pages and routes use.

    Attributes:
        outside: makes the tool server of the MCP clients that are not this app's agents; takes a moment.
        forget: deletes all that is a user's, for good; takes seconds.
        polish: does ahead what the first questions and pages would each do a little of; for once, after the start.
    """

    catalogue: Catalogue
    router: Router | RemoteRouter
    agents: Agents
    display: Display
    switchboard: Switchboard
    runtime: Runtime
    budgets: BudgetGuard
    repricing: Repricing
    previews: Previews
    workspace: Workspace
    sandbox: Sandbox
    servers: Servers
    added: Added
    outside: Callable[[], ToolServer]
    forget: Callable[[str], None]
    polish: Callable[[], None]
    close: Callable[[], None]

    @property
    def accounts(self) -> Accounts:
        """The users' Google accounts."""
        return self.workspace.accounts


def build(settings: Settings, front: Front | None = None) -> Services:
    """Open the stores, start the loop, connect the tools, and wire them; blocks for seconds.

    Args:
        front: the stores, where they are open.

    Raises:
        GlassdeskError: something that it needs is missing or wrong.
    """
    front = front or open_front(settings)
    telemetry, stores, people = front.telemetry, front.stores, front.people
    catalogue, embedder = load_catalogue(), Embedder()
    listen_to_agents(telemetry, embedder.count_tokens)
    loop, sandbox = LoopThread(), Sandbox(settings.sandbox_db, settings.zone, accounts=SANDBOX_ACCOUNTS)
    workspace = open_workspace(settings, catalogue, stores.database, sandbox)
    accounts = workspace.accounts
    router = local_router(settings, catalogue, embedder)
    tools = tool_server(settings, catalogue, accounts, telemetry.current_span)
    loop.run(tools.connect())  # type: ignore[no-untyped-call]
    agents = agents_of(catalogue, embedder, {**schemas_of(loop, tools), **context_schemas()})
    servers = added_servers(settings, stores, accounts, loop, agents)
    performer = assemble(settings, stores, accounts, agents, embedder, router, tools, telemetry, servers)
    budgets = BudgetGuard(stores.budgets, spent_of(telemetry), free=settings.offline)
    runtime = Runtime(loop, performer, admission(people, budgets), accounts.acting)
    take_up(runtime, stores, people)

    return Services(
        settings=settings,
        telemetry=telemetry,
        glass=front.glass,
        stores=stores,
        people=people,
        catalogue=catalogue,
        router=performer.conductor.router,
        agents=agents,
        display=display_of(settings, agents),
        switchboard=board_of(stores, agents, performer.recall.cache, servers),
        runtime=runtime,
        budgets=budgets,
        repricing=Repricing(telemetry.store),
        previews=Previews(catalogue, accounts.clients, settings.downloads, settings.uploads),
        workspace=workspace,
        sandbox=sandbox,
        servers=servers,
        added=Added.by(servers.of, router, embedder),
        outside=outside_of(settings, catalogue, accounts, people, performer),
        forget=forgetter(people, runtime, performer, telemetry, stores, accounts, servers, settings.downloads),
        polish=lambda: polish(router, telemetry),
        close=lambda: close(runtime, loop, tools, servers, sandbox, front),
    )


def polish(router: Router, telemetry: Telemetry) -> None:
    """Compile what is left of the patterns, and import what the first page's numbers need."""
    router.forms.ready()
    _ = telemetry.alerts


def admission(people: People, budgets: BudgetGuard) -> Callable[[User], None]:
    """What a user must pass to begin a turn."""

    def admit(user: User) -> None:
        people.admit(user)
        budgets.check(user)

    return admit


def take_up(runtime: Runtime, stores: Stores, people: People) -> None:
    """Go on with what an earlier process left: everybody's turns that wait; what it was killed in is interrupted."""
    for user_id in sorted({*stores.parked.users(), *stores.approvals.asked_users()}):
        runtime.restore(people.known(user_id))
    stores.conversations.mark_interrupted()


def forgetter(
    people: People,
    runtime: Runtime,
    performer: Performer,
    telemetry: Telemetry,
    stores: Stores,
    accounts: Accounts,
    servers: Servers,
    downloads: Path,
) -> Callable[[str], None]:
    """What deletes a user: first nothing new comes, then each place that keeps something of theirs forgets it."""
    places: tuple[Callable[[str], object], ...] = (
        people.shut_out,
        runtime.forget,
        performer.recall.cache.forget,
        telemetry.forget,
        stores.uploads.forget,
        lambda user_id: forget_downloads(downloads, accounts.connections, user_id),
        accounts.forget,
        servers.forget,
        lambda user_id: forget(stores.database, user_id),
        people.forget,
    )

    def forget_user(user_id: str) -> None:
        for place in places:
            place(user_id)

    return forget_user


def assemble(
    settings: Settings,
    stores: Stores,
    accounts: Accounts,
    agents: Agents,
    embedder: Embedder,
    router: Router,
    tools: MCPServer,
    telemetry: Telemetry,
    servers: Servers,
) -> Performer:
    """The agents behind their gate, the cache that a write empties, and who performs turns with them."""
    catalogue, remains = agents.catalogue, Remains(stores.conversations, stores.approvals)
    cache = ResponseCache(settings.cache_entries, settings.cache_seconds)
    board, read_only = board_of(stores, agents, cache, servers), People(stores.database, rules_of(settings)).read_only
    gate = Gate(catalogue, stores.approvals, remains, cache.drop, board.off, read_only, accounts.require)
    brain = OfflineBrain(catalogue, embedder, router, agents.schemas)
    views = {name: ToolView(tools, domain, gate) for name, domain in catalogue.domains.items()}
    register(agents, configs(catalogue, views, model_settings(settings)))
    utilities = context_tools(ways_of(router, catalogue), telemetry.current_span)
    servers.changed = cache.forget
    servers.enlist = Crew(agents, servers, gate, telemetry.current_span, model_settings(settings)).enlist
    model = model_maker(settings, brain, telemetry)
    team = Team(
        catalogue, agents, model, model_settings(settings), utilities, lambda user_id: servers.of(user_id).catalogue
    )
    conductor = Conductor(
        router_of(settings, catalogue, router),
        team,
        explain,
        settings.max_turns,
        display_of(settings, agents),
        Added.by(servers.of, router, embedder),
        telemetry.current_span,
        ahead_of(settings, brain, telemetry),
    )
    return Performer(
        conductor=conductor,
        planned=Planned(conductor, planner_of(settings, team, brain), settings.fan_out, settings.plans),
        say=telling(servers, Sentences(catalogue, accounts.clients).say),
        conversations=stores.conversations,
        approvals=stores.approvals,
        parked=stores.parked,
        uploads=stores.uploads,
        feedbacks=stores.feedbacks,
        remains=remains,
        recall=Recall(cache, catalogue, settings.model or OFFLINE_MODEL, router.refers_back, open=gate.open),
        numbers=TurnNumbers(telemetry, Glass(telemetry.store), settings.mcp is McpTransport.IN_PROCESS),
        off=board.off,
    )


def close(
    runtime: Runtime,
    loop: LoopThread,
    tools: MCPServer,
    servers: Servers,
    sandbox: Sandbox,
    front: Front,
) -> None:
    """Stop everything in order: nothing that runs is left without what it needs."""
    runtime.close()
    servers.links.close()
    loop.run(tools.cleanup())  # type: ignore[no-untyped-call]
    loop.stop()
    sandbox.close()
    front.leave()


def added_servers(settings: Settings, stores: Stores, accounts: Accounts, loop: LoopThread, agents: Agents) -> Servers:
    """The tool servers that people have added; none is reached yet."""
    links = Links(accounts.vault, Rules.of(settings.mcp_commands), loop, Patience())
    return Servers(stores.servers, links, agents.catalogue, agents.domains)


def board_of(stores: Stores, agents: Agents, cache: ResponseCache, servers: Servers) -> Switchboard:
    """What users have switched off, of what they have added too."""
    return Switchboard(stores.switches, agents.domains, cache.forget, lambda user_id: servers.refreshed(user_id).index)


def agents_of(catalogue: Catalogue, embedder: Embedder, schemas: Mapping[str, Schema]) -> Agents:
    """The registry, still empty."""
    return AgentRegistry(catalogue, embedder.count_tokens, lambda: schemas)


def display_of(settings: Settings, agents: Agents) -> Display:
    """Which tools a specialist is shown for a question."""
    return Display(agents.domains, settings.tools_shown, agents.tool_sizes)


def schemas_of(loop: LoopThread, tools: MCPServer) -> dict[str, Schema]:
    """What the tool server says of its tools' parameters and responses."""
    return {tool.name: Schema(tool.input_schema, tool.output_schema) for tool in loop.run(tools.list_tools())}


def outside_of(
    settings: Settings, catalogue: Catalogue, accounts: Accounts, people: People, performer: Performer
) -> Callable[[], ToolServer]:
    """What makes the server for MCP clients elsewhere, whose requests are those of whoever sends them."""

    def caller(request: Any) -> User:
        user = identity_of(request.scope).user or people.local()
        return user.changed(account=accounts.acting(user))

    drop, off = performer.recall.cache.drop, performer.off
    return lambda: outside_server(settings, catalogue, accounts, caller, drop, off)


def planner_of(settings: Settings, team: Team, brain: OfflineBrain) -> Planner:
    """Who plans: whoever answers; a language model by itself only where that is worth a call."""
    if not settings.offline and settings.planner is PlannerUse.ON:
        return ModelPlans(team)
    if not settings.offline:
        return ModelPlans(team, Worth(lambda: brain.planner))
    return RulePlans(brain, {name: domain.agent.title for name, domain in team.catalogue.domains.items()})


def model_maker(settings: Settings, brain: OfflineBrain, telemetry: Telemetry) -> Callable[[User], Model]:
    """Who answers a user's turn: the language model of the settings, or the built-in assistant."""
    if settings.offline or settings.read_ahead:
        brain.load()
    if settings.offline:
        return lambda user: OfflineModel(brain, user.zone)
    model = build_model(settings, current_span=telemetry.current_span)
    return lambda user: model


def ahead_of(settings: Settings, brain: OfflineBrain, telemetry: Telemetry) -> ReadAhead | None:
    """What reads before a language model is asked; None: nothing is read ahead."""
    return ReadAhead(brain, telemetry.current_span) if settings.read_ahead and not settings.offline else None
