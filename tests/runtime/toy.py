"""The real runtime, stores and telemetry over a folder, with toy tools and a model that follows a script."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any
from zoneinfo import ZoneInfo

from agents.mcp import MCPServer
from agents.model_settings import ModelSettings
from mcp_types import CallToolResult, TextContent, Tool

from core.agents.builder import Team, configs, register
from core.agents.model_errors import explain
from core.agents.offline.acts import Acts, Call, Say
from core.agents.offline.model import OfflineModel
from core.agents.planner import Planner
from core.glass import TurnNumbers
from core.mcp_server.client import ToolView
from core.mcp_server.meta import OUTCOME
from core.registry.manifests import Catalogue, DomainManifest, load_catalogue
from core.registry.registry import AgentRegistry
from core.registry.router import Decision
from core.runtime.cache import ResponseCache
from core.runtime.conductor import Conductor
from core.runtime.gate import Gate
from core.runtime.loop import LoopThread
from core.runtime.manager import Runtime
from core.runtime.performance import Performer
from core.runtime.planned import Planned
from core.runtime.recall import Recall, utc_now
from core.runtime.remains import Remains
from core.runtime.summaries import summary_of
from core.store.approvals import Approvals
from core.store.conversations import Conversations
from core.store.stores import Stores, open_stores
from core.store.switches import Kind
from core.users import SANDBOX_ACCOUNT, User
from telemetry.presence import Presence
from telemetry.queries import Glass
from telemetry.setup import Telemetry, install

SAM = User("sam", "Sam", SANDBOX_ACCOUNT, ZoneInfo("Europe/Berlin"))
EVE = User("eve", "Eve", "eve@elsewhere.example", ZoneInfo("Asia/Tokyo"))
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
READ, WRITE = {"access": "read", "approval": "none"}, {"access": "write", "approval": "ask"}
Item = dict[str, Any]


async def at_once(_: str) -> None:
    pass


class ToyTools(MCPServer):
    """`look_mail` and `look_days` read, `send` and `plan` write; what was called is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.during: Callable[[str], object] = lambda _: None
        self.pause: Callable[[str], Awaitable[object]] = at_once
        self.fails: set[str] = set()
        self.lost: set[str] = set()

    name = "toys"

    async def connect(self) -> None:
        pass

    async def cleanup(self) -> None:
        pass

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> list[Tool]:
        return [Tool(name=name, input_schema=SCHEMA) for name in ("look_mail", "look_days", "send", "plan")]

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> CallToolResult:
        self.calls.append((tool_name, dict(arguments or {})))
        self.during(tool_name)
        await self.pause(tool_name)
        failed = tool_name in self.fails
        text = f"{tool_name} failed" if failed else f"{tool_name} did {(arguments or {}).get('text', '')}"
        lost = {OUTCOME: "unknown"} if tool_name in self.lost else None
        return CallToolResult(content=[TextContent(type="text", text=text)], is_error=failed or bool(lost), _meta=lost)

    async def list_prompts(self) -> Any:
        raise NotImplementedError

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        raise NotImplementedError


def follow(question: str, done: list[str]) -> Acts:
    """`send x; look_mail y` calls these one after the other, then says what they returned; else it says the words."""
    steps = [step.strip().partition(" ") for step in question.splitlines()[0].split(";")]
    calls = [
        Call(name, {"text": text}) for name, _, text in steps if name in ("look_mail", "look_days", "send", "plan")
    ]
    if len(done) < len(calls):
        return [calls[len(done)]]
    return [Say(" / ".join(done) or f"You said {question}")]


@dataclass
class ToyBrain:
    """What the model saw, and by which script it acts: question and results of its calls → acts."""

    script: Callable[[str, list[str]], Acts] = follow
    seen: list[list[Item]] = field(default_factory=list)

    def decide(self, items: list[Item], offers: object, now: object) -> Acts:
        self.seen.append(list(items))
        start = max(number for number, item in enumerate(items) if item.get("role") == "user")
        results = [item["output"] for item in items[start:] if item.get("type") == "function_call_output"]
        return self.script(str(items[start]["content"]), [words(result) for result in results])

    def count(self, *texts: str) -> int:
        return sum(len(text) for text in texts) // 4


class ToyRouter:
    """Days are the calendar's; everything else is mail's. `it` refers back."""

    waits = False

    def route(self, text: str, last_domain: str | None = None) -> Decision:
        domain = "calendar" if "look_days" in text or "plan" in text else "gmail"
        return Decision("direct", (domain,), {domain: 1.0}, {}, "It is a toy.")

    def refers_back(self, text: str) -> bool:
        return "it" in text.split()


def words(output: Any) -> str:
    parts = output if isinstance(output, list) else [output]
    return " ".join(part["text"] if isinstance(part, dict) else str(part) for part in parts)


def toy_catalogue() -> Catalogue:
    known = load_catalogue()
    shape = known.tool("search_gmail_messages")

    def domain(name: str, tools: dict[str, dict[str, Any]]) -> DomainManifest:
        made = [{**shape.model_dump(), "name": tool, "intents": (), **how} for tool, how in tools.items()]
        return DomainManifest.model_validate({"agent": known.domains[name].agent, "tools": made})

    mail = domain("gmail", {"look_mail": READ, "send": WRITE})
    return Catalogue({"gmail": mail, "calendar": domain("calendar", {"look_days": READ, "plan": WRITE})})


@dataclass
class Toy:
    """What a test needs of it."""

    runtime: Runtime
    conversations: Conversations
    approvals: Approvals
    tools: ToyTools
    brain: ToyBrain
    telemetry: Telemetry
    glass: Glass
    stores: Stores
    cache: ResponseCache
    folder: Path

    def ask(self, text: str, conversation_id: str | None = None, user: User = SAM, **how: Any) -> dict[str, Any]:
        """The turn at its end, or where it waits."""
        paused = self.runtime.start(user, text, conversation_id, **how).pause(30)
        self.runtime._loop.run(asyncio.sleep(0))  # it is told a moment before it waits; another process may be quicker
        return paused

    def switch_off(self, kind: Kind, name: str, user: User = SAM) -> None:
        """Switch off an agent (by its domain) or a tool."""
        self.stores.switches.set(user.id, kind, name, on=False)

    def approve(self, turn: dict[str, Any], user: User = SAM) -> dict[str, Any]:
        """Say yes to all, and wait for the next pause."""
        running = self.runtime.turn(user, turn["turn_id"])
        for approval in turn["approvals"]:
            if approval["state"] == "pending":
                self.runtime.decide(user, approval["approval_id"], "approve")
        return running.wait(30)


@contextmanager
def toy(
    folder: Path,
    cache_entries: int = 0,
    clock: Callable[[], float] = monotonic,
    now: Callable[[], datetime] = utc_now,
    planner: Callable[[Team], Planner] | None = None,
    fan_out: int = 4,
    urls: tuple[str, str] | None = None,
    catalogue: Catalogue | None = None,
    router: Any = None,
) -> Iterator[Toy]:
    """A toy app over a folder (or databases at `urls`), until the block ends; a planner makes plans."""
    app_url, telemetry_url = urls or tuple(f"sqlite:///{folder / name}.db" for name in ("app", "telemetry"))
    stores = open_stores(app_url, folder / "uploads", datetime.now(UTC), processes=Presence)
    telemetry = install(telemetry_url, folder=folder)
    glass = Glass(telemetry.store)
    conversations, approvals, tools, brain = stores.conversations, stores.approvals, ToyTools(), ToyBrain()
    catalogue, remains = catalogue or toy_catalogue(), Remains(conversations, approvals)
    cache = ResponseCache(cache_entries, 300, clock)
    gate = Gate(catalogue, approvals, remains, cache.drop, off=stores.switches.off)
    views = {name: ToolView(tools, domain, gate) for name, domain in catalogue.domains.items()}
    team = Team(
        catalogue,
        register(AgentRegistry(catalogue, len), configs(catalogue, views, ModelSettings())),
        lambda user: OfflineModel(brain, user.zone),  # type: ignore[arg-type]
        ModelSettings(),
    )
    conductor = Conductor(router or ToyRouter(), team, explain, 10)  # type: ignore[arg-type]
    loop = LoopThread()
    performer = Performer(
        conductor=conductor,
        planned=Planned(conductor, planner(team), fan_out) if planner else None,
        say=lambda _user, _account, tool, arguments: summary_of(catalogue, tool, arguments),
        conversations=conversations,
        approvals=approvals,
        parked=stores.parked,
        uploads=stores.uploads,
        feedbacks=stores.feedbacks,
        remains=remains,
        recall=Recall(cache, catalogue, "toy", ToyRouter().refers_back, now),
        numbers=TurnNumbers(telemetry, glass, alone=True),
        off=stores.switches.off,
    )
    runtime = Runtime(loop, performer)
    runtime.restore(SAM)
    try:
        yield Toy(runtime, conversations, approvals, tools, brain, telemetry, glass, stores, cache, folder)
    finally:
        runtime.close()
        loop.stop()
        telemetry.shutdown()
        stores.processes.close()
