"""The assistant as planner: a request of several parts, for several specialists, becomes the steps of a plan."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from core.agents.offline.acts import Offer
from core.agents.offline.conversation import Turn
from core.agents.offline.mind import Mind
from core.agents.offline.specialist import Specialist
from core.agents.offline.tasks import tasks
from core.datafile import read_data
from core.registry.planner import PlanStep
from core.registry.references import alternatives
from core.registry.relays import Relay
from core.registry.router import ENOUGH, Part, ranked
from core.settings import ROOT

PLANS = ROOT / "data" / "language" / "plans.yaml"
SLOT = re.compile(r"\{(\w+)\}")
SURE = 0.6


class Lean(BaseModel):
    """Words of a part that need an earlier part, and the domains that can give what they need."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    match: str
    givers: tuple[str, ...]


class Wholly(BaseModel):
    """The beginning of a part that is asked otherwise where another part needs its result."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    match: str
    becomes: str


class PlansFile(BaseModel):
    """The data; `cuts` end a part where one of the `verbs` follows, with what may stand `before` it.

    `follows` are words by which one part comes after another, whatever it needs of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    cuts: str
    verbs: tuple[str, ...]
    before: str
    leans: tuple[Lean, ...]
    follows: str
    wholly: tuple[Wholly, ...]


@dataclass(frozen=True)
class PlanRules:
    """The patterns, ready for use."""

    cut: re.Pattern[str]
    leans: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
    follows: re.Pattern[str]
    wholly: tuple[tuple[re.Pattern[str], str], ...]

    def leaning(self, english: str) -> bool:
        """Whether anything in a request of several parts comes after something else, or needs it."""
        return bool(self.follows.search(english)) or any(pattern.search(english) for pattern, _ in self.leans)

    def places(self, text: str, said: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The places of the parts of a text; none is cut within what is to be said."""
        start = 0
        for match in self.cut.finditer(text):
            if any(first <= match.start() and match.end() <= last for first, last in said):
                continue
            if text[start : match.start()].strip():
                yield start, match.start()
            start = match.end()
        if text[start:].strip():
            yield start, len(text)


@dataclass(frozen=True)
class RulePlanner:
    """Makes plans without a language model."""

    mind: Mind
    rules: PlanRules

    def several(self, text: str) -> bool:
        """Whether a request may have several parts; cheap."""
        return self.rules.cut.search(text[:ENOUGH]) is not None

    def plan(self, text: str, last_domain: str | None, now: datetime) -> tuple[PlanStep, ...] | None:
        """The steps of a request; None where it is for one specialist, or where it is not clear for whom.

        Args:
            last_domain: domain of the conversation's answer before it.
            now: aware, in the user's zone.
        """
        text, router = text[:ENOUGH], self.mind.router
        if relay := router.relay(text, last_domain):
            return self._relayed(relay) if len(relay.domains) > 1 else None
        if not self.several(text) or router.literal(text, last_domain) or router.forms.pair(text.replace("’", "'")):
            return None
        parts = self._parts(text, last_domain, now)
        if parts is None or len({part.domain for part in parts}) < 2:
            return None
        return self._whole(self._steps(parts, now))

    def _relayed(self, relay: Relay) -> tuple[PlanStep, ...]:
        """The steps of a request that one specialist begins and another ends."""
        steps: list[PlanStep] = []
        for number, leg in enumerate(relay.steps):
            task = SLOT.sub(lambda match: relay.words.get(match[1], match[0]), leg.ask)
            task = task if number else SLOT.sub("", task)
            before = (steps[-1].id,) if steps else ()
            hears = "answer" if number else "results"
            step = PlanStep(f"s{number + 1}", leg.domain, task, before, self._writes(task, leg.domain), hears=hears)  # type: ignore[arg-type]
            steps.append(step)
        return tuple(steps)

    def _parts(self, text: str, last_domain: str | None, now: datetime) -> list[Part] | None:
        """The parts with their domains, neighbours of one domain as one; None where one belongs nowhere."""
        said = list(self.mind.sayings.all_places(text, self.mind.languages.gloss(text).language))
        found: list[tuple[int, int, str]] = []
        for start, end in self.rules.places(text, said):
            before = found[-1][2] if found else last_domain
            domain = self._domain(text[start:end], before, now)
            if domain is None:
                return None
            if found and found[-1][2] == domain:
                found[-1] = (found[-1][0], end, domain)
            else:
                found.append((start, end, domain))
        return [Part(text[start:end].strip(), domain) for start, end, domain in found]

    def _domain(self, clause: str, before: str | None, now: datetime) -> str | None:
        decision = self.mind.router.route(clause, before)
        if decision.route == "direct":
            return decision.domains[0]
        scores = {name: self._confidence(clause, name, now) for name in decision.domains or self.mind.catalogue.domains}
        best = ranked(scores)[0]
        return best if scores[best] >= SURE else None

    def _confidence(self, clause: str, domain: str, now: datetime) -> float:
        offers = {tool.name: Offer(tool.name, frozenset()) for tool in self.mind.catalogue.domains[domain].tools}
        return Specialist(self.mind, offers, now).confidence([Turn(clause)])

    def _steps(self, parts: Sequence[Part], now: datetime) -> list[PlanStep]:
        steps: list[PlanStep] = []
        for number, task in enumerate(tasks(parts, self.mind, now), start=1):
            everything = tuple(step.id for step in steps)
            before = everything if task.tells else self._needs(task.text, steps)
            writes = task.tells or self._writes(task.text, task.domain)
            hears = "outcome" if task.tells else "results"
            steps.append(PlanStep(f"s{number}", task.domain, task.text, before, writes, hears=hears))  # type: ignore[arg-type]
        return steps

    def _needs(self, task: str, steps: Sequence[PlanStep]) -> tuple[str, ...]:
        """The step before that a task needs."""
        text = self.mind.languages.gloss(task).text.strip()
        for pattern, domains in self.rules.leans:
            if pattern.search(text):
                givers = [step.id for domain in domains for step in reversed(steps) if step.domain == domain]
                return tuple(givers[:1])
        return ()

    def _whole(self, steps: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
        """The steps, those that others need asked for all that there is."""
        needed = {name for step in steps for name in step.depends_on if step.hears == "results"}
        return tuple(replace(step, task=self._wholly(step.task)) if step.id in needed else step for step in steps)

    def _wholly(self, task: str) -> str:
        for pattern, becomes in self.rules.wholly:
            if match := pattern.search(task):
                return becomes + task[match.end() :]
        return task

    def _writes(self, task: str, domain: str) -> bool:
        """Whether the tool that a task likely calls changes anything."""
        asked = self.mind.router.forms.match(task, domains=[domain])
        scores = self.mind.router.route(task).tool_scores
        tools = {tool.name: tool for tool in self.mind.catalogue.domains[domain].tools}
        likely = asked.tool if asked else max(tools, key=lambda name: scores.get(name, 0.0))
        return not tools[likely].reads


def load_plan_rules(path: Path = PLANS) -> PlanRules:
    """Read the data."""
    file = PlansFile.model_validate(read_data(path))
    verbs = alternatives(file.verbs)

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    return PlanRules(
        compiled(rf"(?:{file.cuts})(?={file.before}{verbs}\b)"),
        tuple((compiled(lean.match), lean.givers) for lean in file.leans),
        compiled(file.follows),
        tuple((compiled(one.match), one.becomes) for one in file.wholly),
    )
