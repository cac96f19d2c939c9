"""Services for page tests: the real runtime and database, with an assistant that follows a script."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from core.bootstrap import account_of
from core.errors import GlassdeskError, ModelError
from core.registry.manifests import load_catalogue
from core.registry.router import Decision
from core.runtime.conductor import Conductor
from core.runtime.events import EventType
from core.runtime.loop import LoopThread
from core.runtime.manager import Runtime
from core.runtime.narrator import Narrator
from core.runtime.performance import Performer
from core.runtime.progress import Answer, Plan
from core.runtime.turn import Turn
from core.settings import Settings
from core.store.approvals import Approvals
from core.store.conversations import Conversations
from core.store.engine import open_database
from core.store.parked import ParkedTurns
from telemetry.queries import Glass
from telemetry.setup import install


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


def services(folder: Path, script: Callable[[str], Iterable[Act]], **settings: Any) -> SimpleNamespace:
    """Services with the fields that Chat uses; spans are recorded and summed up as always."""
    telemetry = install(f"sqlite:///{folder / 'telemetry.db'}")
    glass = Glass(telemetry.store)
    loop, catalogue = LoopThread(), load_catalogue()
    database = open_database(f"sqlite:///{folder / 'app.db'}")
    conversations = Conversations(database)
    performer = Performer(
        ScriptedConductor(script),
        catalogue,
        conversations,
        Approvals(database),
        ParkedTurns(database),
        account_of(telemetry, glass),
    )
    runtime = Runtime(loop, performer)

    def close() -> None:
        runtime.close()
        loop.stop()
        telemetry.shutdown()

    return SimpleNamespace(
        settings=Settings(data_dir=folder, zone="Europe/Berlin", _env_file=None, **settings),
        catalogue=catalogue,
        conversations=conversations,
        telemetry=telemetry,
        glass=glass,
        runtime=runtime,
        close=close,
    )
