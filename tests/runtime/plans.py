"""A planner that follows the script which the question is, for the toy app."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.agents.plan_tasks import combined
from core.agents.planner import once_more
from core.registry.planner import PlanError, PlanStep

STEP = re.compile(r"^(?P<id>\w+) (?P<domain>\w+)(?:<(?P<before>[\w,]*))?: (?P<task>.+)$")
TITLES = {"gmail": "Gmail", "calendar": "Calendar"}


@dataclass
class ToyPlanner:
    """`a gmail: look_mail x | b calendar<a: look_days y` is a plan of two steps; anything else needs none."""

    again_with: Sequence[PlanStep] | None = None
    tells: bool = True
    asked: list[str] = field(default_factory=list)

    def wanted(self, text: str, decision: Any) -> bool:
        return " | " in text or text.startswith("broken")

    async def plan(self, asked: Any, context: Any, config: Any) -> Sequence[PlanStep] | None:
        self.asked.append(asked.text)
        if asked.text.startswith("broken"):
            raise PlanError("The plan goes in a circle.")
        return steps(asked.text)

    async def again(self, asked: Any, results: Any, context: Any, config: Any) -> Sequence[PlanStep]:
        self.asked.append("again")
        return once_more(results) if self.again_with is None else self.again_with

    def answer(self, results: Any) -> str | None:
        return combined(results, TITLES) if self.tells else None


def steps(text: str) -> list[PlanStep]:
    found = [STEP.match(one.strip()) for one in text.split(" | ")]
    return [
        PlanStep(one["id"], one["domain"], one["task"], tuple(filter(None, (one["before"] or "").split(","))))
        for one in found
        if one
    ]
