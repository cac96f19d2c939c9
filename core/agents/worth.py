"""Whether a plan is worth the wait for it: several specialists, and one thing comes after another or is changed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from core.agents.offline.planner import RulePlanner
from core.registry.manifests import ToolManifest
from core.registry.router import ENOUGH, Decision


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Worth:
    """Decides by rule; no model is called. Only questions of several parts take more than a look.

    Attributes:
        planner: the built-in assistant's, which takes questions to pieces; asked for at first need.
        now: the clock.
    """

    planner: Callable[[], RulePlanner]
    now: Callable[[], datetime] = utc_now

    def __call__(self, text: str, decision: Decision) -> bool:
        """Whether a plan is worth it for a question that was decided like this."""
        planner, text = self.planner(), text[:ENOUGH]
        if planner.several(text) and (steps := planner.plan(text, None, self.now())):
            return any(step.depends_on or step.writes for step in steps) or self._ordered(planner, text)
        if decision.route == "direct" or len(decision.domains) < 2:
            return False
        if planner.mind.router.relay(text) is not None or self._ordered(planner, text):
            return True
        return any(not tool.reads for tool in likely(planner, text, decision))

    def _ordered(self, planner: RulePlanner, text: str) -> bool:
        return planner.rules.leaning(planner.mind.languages.gloss(text).text)


def likely(planner: RulePlanner, text: str, decision: Decision) -> Iterator[ToolManifest]:
    """The tool that each part of a question likely needs; where it has no parts, each specialist's likeliest."""
    router, domains = planner.mind.router, planner.mind.catalogue.domains
    parts = [(part.domain, router.route(part.text).tool_scores) for part in router.parts(text)]
    for domain, scores in parts or [(name, decision.tool_scores) for name in decision.domains]:
        if domain in domains:
            yield max(domains[domain].tools, key=lambda tool: scores.get(tool.name, 0.0))
