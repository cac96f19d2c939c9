"""How far a plan has come: each step's state, what it answered, and where it waits; as JSON for another process."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from core.registry.planner import PlanStep, WorkPlan
from core.runtime.events import EventType, TurnEvent

State = Literal["pending", "running", "waiting", "done", "failed", "skipped", "replaced"]
OPEN: tuple[State, ...] = ("pending", "running", "waiting")
NOT_DONE = "It was not done when the turn ended."
ENDED: tuple[State, ...] = ("done", "failed", "skipped", "replaced")


@dataclass
class StepRun:
    """One step that is being done.

    Attributes:
        answer: what its specialist said; for a step that failed, why, in a sentence.
        items: its calls with their results, in the Agents SDK's input form.
        run: the Agents SDK's run state while it waits for a person.
        ns: how long its specialist worked, nanoseconds, without the wait for a person; None before its end.
        asked: the task as the specialist heard it.
    """

    step: PlanStep
    state: State = "pending"
    answer: str = ""
    asked: str = ""
    items: list[dict[str, Any]] = field(default_factory=list)
    run: dict[str, Any] | None = None
    ns: int | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing happens to it any more."""
        return self.state in ENDED


@dataclass
class Steps:
    """All steps of a turn's plan, in an order in which each comes after those that it depends on."""

    runs: dict[str, StepRun]
    replanned: bool = False

    @classmethod
    def begin(cls, plan: WorkPlan) -> "Steps":
        """None is done."""
        return cls({step.id: StepRun(step) for step in plan.steps})

    def ready(self) -> list[StepRun]:
        """Those that can begin: all that they depend on is done."""
        return [
            run for run in self.runs.values() if run.state == "pending" and all(map(self.done, run.step.depends_on))
        ]

    def done(self, step_id: str) -> bool:
        """Whether a step is done."""
        return self.runs[step_id].state == "done"

    def before(self, run: StepRun) -> list[StepRun]:
        """All steps that a step depends on, directly or not, in order."""
        wanted, todo = set[str](), list(run.step.depends_on)
        while todo:
            name = todo.pop()
            if name not in wanted:
                wanted.add(name)
                todo.extend(self.runs[name].step.depends_on)
        return [one for name, one in self.runs.items() if name in wanted]

    def hopeless(self) -> list[StepRun]:
        """Those that cannot begin any more, because something that they depend on was not done."""
        lost = {name for name, run in self.runs.items() if run.ended and run.state != "done"}
        return [run for run in self.runs.values() if run.state == "pending" and lost & set(run.step.depends_on)]

    def waiting(self) -> list[StepRun]:
        """Those that wait for a person."""
        return [run for run in self.runs.values() if run.state == "waiting"]

    def of(self, *states: State) -> list[StepRun]:
        """Those in some states, in order."""
        return [run for run in self.runs.values() if run.state in states]

    def add(self, steps: Iterable[PlanStep]) -> None:
        """Further steps, after those that there are."""
        self.runs |= {step.id: StepRun(step) for step in steps}

    def json(self) -> dict[str, Any]:
        """What must be known to go on in another process."""
        kept = [
            {
                **{name: getattr(run, name) for name in ("state", "answer", "asked", "items", "run", "ns")},
                "step": WorkPlan((run.step,)).json()[0],
            }
            for run in self.runs.values()
        ]
        return {"steps": kept, "replanned": self.replanned}

    @classmethod
    def recall(cls, kept: Mapping[str, Any]) -> "Steps":
        """Take up what was kept when the turn was parked: nothing was at work then."""
        runs = [StepRun(**{**run, "step": PlanStep.of(run["step"])}) for run in kept["steps"]]
        return cls({run.step.id: run for run in runs}, kept["replanned"])

    def shown(self, titles: Mapping[str, str]) -> list[dict[str, Any]]:
        """As a turn's events and the conversation show them.

        Args:
            titles: domain → what people read.
        """
        return [shown(run, titles) for run in self.runs.values() if run.state != "replaced"]


def outline_of(events: Iterable[TurnEvent]) -> list[dict[str, Any]]:
    """The plan as a turn's events tell it; empty where they tell of none."""
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        if event.type is EventType.STEP:
            found[event.data["id"]] = event.data
        elif event.type is EventType.PLANNED and not event.data["note"]:
            found = {step["id"]: step for step in event.data["steps"]}
    return list(found.values())


def closed(outline: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The steps of a turn that has ended: nothing is at work any more, whatever was told of it last."""
    return [
        {**step, "state": "skipped", "note": step.get("note") or NOT_DONE} if step["state"] in OPEN else dict(step)
        for step in outline
    ]


def shown(run: StepRun, titles: Mapping[str, str]) -> dict[str, Any]:
    """One step as it is shown; ns as in `StepRun`."""
    step = run.step
    return {
        "id": step.id,
        "agent": titles.get(step.domain, step.domain),
        "domain": step.domain,
        "task": run.asked or step.task,
        "depends_on": list(step.depends_on),
        "writes": step.writes,
        "tokens": step.tokens,
        "latency_ms": step.latency_ms,
        "state": run.state,
        "ns": run.ns,
        "note": run.answer if run.state in ("failed", "skipped") else "",
    }
