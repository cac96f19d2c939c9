"""Services for page tests: the real runtime and database, with an assistant that follows a script."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from core.bootstrap import added_servers, agents_of, assemble, board_of
from core.errors import GlassdeskError, ModelError
from core.glass import spent_of
from core.google.workspace import open_workspace
from core.mcp_server.client import WarmStdioTools, stdio_parameters
from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.registry.router import Decision, Router
from core.runtime.budgets import BudgetGuard
from core.runtime.conductor import Conductor
from core.runtime.events import EventType
from core.runtime.loop import LoopThread
from core.runtime.manager import Runtime
from core.runtime.narrator import Narrator
from core.runtime.progress import Answer, Plan
from core.runtime.turn import Turn
from core.settings import Settings
from core.store.people import People
from core.store.stores import open_stores
from core.users import SANDBOX_ACCOUNTS, rules_of
from telemetry.queries import Glass
from telemetry.setup import install
from tests.google.workspaces import Bare


@dataclass(frozen=True)
class Say:
    """Words of the answer."""

    text: str


@dataclass(frozen=True)
class Use:
    """A tool call."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    summary: str = ""
    status: str = "ok"


@dataclass(frozen=True)
class Wait:
    """Go on when the event is set."""

    event: threading.Event


@dataclass(frozen=True)
class Pause:
    """Seconds."""

    seconds: float


@dataclass(frozen=True)
class Fail:
    """End with an error."""

    sentence: str


@dataclass(frozen=True)
class Restart:
    """What was said is dropped."""


Act = Say | Use | Wait | Pause | Fail | Restart


class ScriptedConductor(Conductor):
    """Answers each question by the acts that a function gives for it."""

    def __init__(self, script: Callable[[str], Iterable[Act]]) -> None:
        object.__setattr__(self, "script", script)
        object.__setattr__(self, "router", SimpleNamespace(waits=False))
        object.__setattr__(self, "explain", lambda error: error if isinstance(error, GlassdeskError) else None)

    def narrator(self, turn: Turn, start_ns: int) -> Narrator:
        return Narrator(turn.log, start_ns, ())

    def decide(self, turn: Turn, earlier: Sequence[Any]) -> Decision:
        decision = Decision("direct", ("gmail",), {"gmail": 0.91}, {}, "It is about mail alone.")
        turn.log.append(
            EventType.ROUTED,
            route=decision.route,
            domains=list(decision.domains),
            scores=dict(decision.scores),
            reason=decision.reason,
        )
        return decision

    async def answer(self, turn: Turn, plan: Plan, earlier: Sequence[Any], narrator: Narrator) -> Answer:
        turn.log.append(EventType.AGENT, agent="Gmail")
        for number, act in enumerate(self.script(turn.message)):  # type: ignore[attr-defined]
            await self._play(act, number, turn, narrator)
        return Answer(narrator.text)

    async def _play(self, act: Act, number: int, turn: Turn, narrator: Narrator) -> None:
        match act:
            case Say(text):
                narrator.text += text
                turn.log.append(EventType.DELTA, text=text)
            case Use(tool, arguments, summary, status):
                call = {"call_id": f"call_{number}", "tool": tool, "agent": "Gmail", "arguments": arguments}
                turn.log.append(EventType.TOOL_STARTED, title=tool, **call)
                step = {**call, "status": status, "ns": 31_000_000, "summary": summary}
                narrator.steps.append(step)
                turn.log.append(EventType.TOOL_FINISHED, **step)
            case Wait(event):
                await asyncio.to_thread(event.wait, 10)
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Fail(sentence):
                raise ModelError(sentence)
            case Restart():
                narrator.text = ""
                turn.log.append(EventType.RESTART)


def services(folder: Path, script: Callable[[str], Iterable[Act]]) -> SimpleNamespace:
    """Services with the fields that Chat uses; only who answers is not the app's own."""
    settings = Settings(data_dir=folder, zone="Europe/Berlin", _env_file=None)
    telemetry = install(settings.telemetry_url)
    stores = open_stores(settings.app_url, settings.uploads, datetime.now(UTC))
    loop, catalogue, embedder = LoopThread(), load_catalogue(), Embedder()
    never_asked = settings.model_copy(
        update={"model": "none", "model_base_url": "http://127.0.0.1:9", "cache_entries": 0}
    )
    tools = WarmStdioTools(stdio_parameters(settings, []), telemetry.current_span)  # never started
    agents = agents_of(catalogue, embedder, {})
    sandbox = Bare(settings.sandbox_db, settings.zone, accounts=SANDBOX_ACCOUNTS)
    workspace = open_workspace(settings, catalogue, stores.database, sandbox)
    accounts = workspace.accounts
    router = Router(catalogue, embedder)
    servers = added_servers(settings, stores, accounts, loop, agents)
    performer = assemble(never_asked, stores, accounts, agents, embedder, router, tools, telemetry, servers)
    runtime = Runtime(loop, replace(performer, conductor=ScriptedConductor(script)), None, accounts.acting)

    def close() -> None:
        runtime.close()
        loop.stop()
        sandbox.close()
        telemetry.shutdown()

    return SimpleNamespace(
        settings=settings,
        catalogue=catalogue,
        conversations=stores.conversations,
        approvals=stores.approvals,
        stores=stores,
        people=People(stores.database, rules_of(settings)),
        tokens=stores.tokens,
        servers=servers,
        telemetry=telemetry,
        glass=Glass(telemetry.store),
        runtime=runtime,
        workspace=workspace,
        accounts=accounts,
        sandbox=sandbox,
        switchboard=board_of(stores, agents, performer.recall.cache, servers),
        budgets=BudgetGuard(stores.budgets, spent_of(telemetry), free=settings.offline),
        close=close,
    )
