"""Plans: a request over several domains as steps, checked against what there is and what it may take."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from graphlib import CycleError, TopologicalSorter
from statistics import median
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.errors import GlassdeskError
from core.registry.manifests import AgentManifest, Catalogue, ToolManifest

MAX_STEPS = 8
MAX_TOKENS = 100_000
"""What all tools of a plan together may add to the models' input, by the manifests' estimates."""
TASK_LENGTH = 4_000
Hears = Literal["results", "answer", "outcome"]


class PlanError(GlassdeskError):
    """A plan cannot be carried out; the sentence says why."""

    code = "plan"


class DraftStep(BaseModel):
    """One step as a model writes it."""

    model_config = ConfigDict(extra="ignore")
    id: str = Field(min_length=1, max_length=40, description="Short and unique, such as s1")
    agent: str = Field(description="Which specialist")
    task: str = Field(min_length=1, max_length=TASK_LENGTH, description="What it shall do, with all names and dates")
    depends_on: list[str] = Field(default_factory=list, description="Ids of the steps whose results it needs")
    writes: bool = Field(default=False, description="Whether it changes anything")


class Draft(BaseModel):
    """A plan as a model writes it."""

    model_config = ConfigDict(extra="ignore")
    steps: list[DraftStep] = Field(description="The steps; those that need no other run at the same time")


@dataclass(frozen=True)
class PlanStep:
    """One step of a plan.

    Attributes:
        domain: of the specialist that does it.
        task: what it is asked, in words.
        depends_on: ids of the steps that must be done before.
        writes: whether it is expected to change something; each change is asked about anyway.
        tokens: that its tools add to the models' input, by the manifests' estimates.
        latency_ms: that its tools take, by the same.
        hears: how the task uses the steps before it: `results` are simply known to the specialist; `answer`: the
            task has `{answer}` and `{link}` in it; `outcome`: what was done is added, and nothing is said otherwise.
    """

    id: str
    domain: str
    task: str
    depends_on: tuple[str, ...] = ()
    writes: bool = False
    tokens: int = 0
    latency_ms: int = 0
    hears: Hears = "results"

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "PlanStep":
        """From JSON."""
        return cls(**{**kept, "depends_on": tuple(kept["depends_on"])})


@dataclass(frozen=True)
class WorkPlan:
    """Steps in an order in which each comes after those that it depends on."""

    steps: tuple[PlanStep, ...]

    @property
    def domains(self) -> tuple[str, ...]:
        """That take part, in order."""
        return tuple(dict.fromkeys(step.domain for step in self.steps))

    @property
    def tokens(self) -> int:
        """The estimate for all steps."""
        return sum(step.tokens for step in self.steps)

    @property
    def latency_ms(self) -> int:
        """The estimate for the longest way through the steps: what can run at the same time does."""
        until: dict[str, int] = {}
        for step in self.steps:
            until[step.id] = step.latency_ms + max((until[one] for one in step.depends_on), default=0)
        return max(until.values(), default=0)

    def json(self) -> list[dict[str, Any]]:
        """As JSON."""
        return [{**asdict(step), "depends_on": list(step.depends_on)} for step in self.steps]

    @classmethod
    def of(cls, kept: Sequence[Mapping[str, Any]]) -> "WorkPlan":
        """From JSON."""
        return cls(tuple(PlanStep.of(step) for step in kept))


@dataclass(frozen=True)
class StepResult:
    """What came of a step.

    Attributes:
        state: `done`, or why not: `failed` or `skipped`.
        answer: what its specialist said; otherwise a sentence about what went wrong.
        wrote: whether it asked for any change, so that doing it again would ask twice.
    """

    step: PlanStep
    state: str
    answer: str
    wrote: bool = False


@dataclass(frozen=True)
class Limits:
    """What a plan may take."""

    steps: int = MAX_STEPS
    tokens: int = MAX_TOKENS


def drafted(draft: Draft, catalogue: Catalogue) -> tuple[PlanStep, ...]:
    """The steps of a model's plan.

    Raises:
        PlanError: an agent is not known.
    """
    return tuple(
        PlanStep(
            step.id.strip(),
            domain_of(step.agent, catalogue),
            step.task.strip(),
            tuple(dict.fromkeys(one.strip() for one in step.depends_on)),
            step.writes,
        )
        for step in draft.steps
    )


def domain_of(agent: str, catalogue: Catalogue) -> str:
    """The domain of a specialist, by whichever of its names.

    Raises:
        PlanError: there is no such specialist.
    """
    wanted = agent.strip().casefold()
    for domain, manifest in catalogue.domains.items():
        if wanted in names_of(manifest.agent):
            return domain
    known = ", ".join(catalogue.domains)
    raise PlanError(f"The plan names a specialist that does not exist ({agent[:60]!r}); there are: {known}.")


def names_of(agent: AgentManifest) -> set[str]:
    """All names of a specialist, folded."""
    return {name.casefold() for name in (agent.name, agent.title, agent.domain, agent.task)}


def checked(
    steps: Sequence[PlanStep], catalogue: Catalogue, limits: Limits = Limits(), done: Sequence[str] = ()
) -> WorkPlan:
    """A plan that can be carried out, with its estimates, each step after those that it depends on.

    Args:
        done: ids of steps that were done before, on which others may depend.

    Raises:
        PlanError: no steps or too many, the same id twice, an unknown agent or step, a circle, or it takes too much.
    """
    known = {step.id: step for step in steps}
    if not steps:
        raise PlanError("The plan has no steps.")
    if len(steps) > limits.steps:
        raise PlanError(f"The plan has {len(steps)} steps; {limits.steps} are allowed.")
    if len(known) < len(steps) or known.keys() & set(done):
        raise PlanError("The plan has the same step twice.")
    for step in steps:
        if step.domain not in catalogue.domains:
            raise PlanError(f"The plan names a specialist that does not exist ({step.domain[:60]!r}).")
        if missing := set(step.depends_on) - known.keys() - set(done):
            raise PlanError(f"Step {step.id} of the plan waits for {', '.join(sorted(missing))}, which does not exist.")
    plan = WorkPlan(tuple(estimated(known[name], catalogue) for name in ordered(steps) if name in known))
    if plan.tokens > limits.tokens:
        raise PlanError(f"The plan would take about {plan.tokens:,} tokens; {limits.tokens:,} are allowed.")
    return plan


def ordered(steps: Sequence[PlanStep]) -> list[str]:
    """The ids, each after those that it depends on, otherwise as they came.

    Raises:
        PlanError: steps wait for each other.
    """
    sorter = TopologicalSorter({step.id: step.depends_on for step in steps})
    try:
        sorter.prepare()
    except CycleError as error:
        raise PlanError(f"The plan goes in a circle: {' → '.join(map(str, error.args[1]))}.") from error
    place = {step.id: number for number, step in enumerate(steps)}
    found: list[str] = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready(), key=lambda name: place.get(name, -1))
        found.extend(ready)
        sorter.done(*ready)
    return found


def estimated(step: PlanStep, catalogue: Catalogue) -> PlanStep:
    """A step with what the tools that it likely uses take: those whose words its task has, else the usual one."""
    tools = likely(step, catalogue)
    middle = [median(values) for values in zip(*((cost_of(tool), tool.cost.latency_ms) for tool in tools), strict=True)]
    return PlanStep(
        step.id, step.domain, step.task, step.depends_on, step.writes, int(middle[0]), int(middle[1]), step.hears
    )


def likely(step: PlanStep, catalogue: Catalogue) -> Sequence[ToolManifest]:
    """The tools of a step's domain that it may use."""
    tools = [tool for tool in catalogue.domains[step.domain].tools if tool.reads != step.writes]
    tools = tools or list(catalogue.domains[step.domain].tools)
    words = set(re.findall(r"\w+", step.task.casefold()))
    shared = {tool.name: len(words & set(re.findall(r"\w+", spoken(tool)))) for tool in tools}
    most = max(shared.values())
    return [tool for tool in tools if shared[tool.name] == most]


def spoken(tool: ToolManifest) -> str:
    """The words by which people ask for a tool, folded."""
    return " ".join(
        (tool.title, *tool.keywords.get("en", ()), *(say for one in tool.intents for say in one.say))
    ).lower()


def cost_of(tool: ToolManifest) -> int:
    """Tokens that a call adds to the models' input."""
    return tool.cost.tokens_in + tool.cost.tokens_out
