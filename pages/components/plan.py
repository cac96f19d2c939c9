"""A plan in words: its steps, who does each, and how far each has come."""

from collections.abc import Mapping, Sequence
from typing import Any

from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_status_container import StatusContainer

from core.runtime.events import EventType, TurnEvent
from core.runtime.steps import closed, outline_of
from pages.components.markdown import literal
from pages.components.steps import shortened, together
from telemetry.formats import counted, duration

ICONS = {
    "pending": ":material/schedule:",
    "running": ":material/progress_activity:",
    "waiting": ":material/front_hand:",
    "done": ":material/check:",
    "failed": ":material/error:",
    "skipped": ":material/remove:",
}
WORDS = {
    "pending": "to do",
    "running": "at work",
    "waiting": "waits for you",
    "failed": "failed",
    "skipped": "left out",
}
PLAN = ":material/account_tree:"


def heading(steps: Sequence[Mapping[str, Any]]) -> str:
    """The line that stands for the plan: how many steps, and for whom."""
    titles = [literal(title) for title in dict.fromkeys(step["agent"] for step in steps)]
    return f"Plan of {counted(len(steps), 'step')} for {together(titles)}"


def lines(steps: Sequence[Mapping[str, Any]]) -> str:
    """The steps, a line each; Markdown."""
    numbers = {step["id"]: number for number, step in enumerate(steps, start=1)}
    return "  \n".join(line(number, step, numbers) for number, step in enumerate(steps, start=1))


def line(number: int, step: Mapping[str, Any], numbers: Mapping[str, int]) -> str:
    """One step: its place, who does what, what it waits for, and what came of it."""
    after = [str(numbers[name]) for name in step["depends_on"] if name in numbers]
    parts = [f"{ICONS[step['state']]} {number}. **{literal(step['agent'])}** {literal(shortened(step['task']))}"]
    parts += [f"after {' and '.join(after)}"] if after else []
    parts += [WORDS[step["state"]]] if step["state"] in WORDS else []
    parts += [duration(step["ns"])] if step["state"] == "done" and step.get("ns") is not None else []
    said = f"  \n{literal(step['note'])}" if step.get("note") else ""
    return " · ".join(parts) + said


class LivePlan:
    """A plan while it is carried out.

    Args:
        status: where it is drawn: in the line that says where the question went, its `route`, if there is one.
    """

    def __init__(self, status: StatusContainer) -> None:
        self._status = status
        self._steps: list[dict[str, Any]] = []
        self._heard: list[TurnEvent] = []
        self._lines: DeltaGenerator | None = None
        self.route: StatusContainer | None = None

    def hear(self, event: TurnEvent) -> None:
        """Take a plan, or a step that has come further; a second plan takes the place of the first."""
        self._heard.append(event)
        self._steps = outline_of(self._heard)
        if event.type is EventType.PLANNED and event.data["note"]:
            self._status.caption(f":material/info: {literal(event.data['note'])}")
        elif event.type is EventType.PLANNED:
            self._begin(self._steps)
        self._draw()

    def close(self) -> None:
        """The turn has ended: nothing is at work any more."""
        self._steps = closed(self._steps)
        self._draw()

    def _draw(self) -> None:
        if self._lines is not None:
            self._lines.caption(lines(self._steps))

    def _begin(self, steps: Sequence[dict[str, Any]]) -> None:
        line = self.route or self._status.status("", type="step", state="complete")
        line.update(label=heading(steps), expanded=True)
        self.route, self._lines = line, self._lines or line.empty()
