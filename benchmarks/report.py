"""What was measured, beside what was aimed at: a table for people, JSON for machines."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Literal


@dataclass(frozen=True)
class Figure:
    """One number.

    Attributes:
        section: What it belongs to.
        aim: What was hoped for; None where nothing was.
        better: Whether more or less is better; only with an aim.
    """

    section: str
    name: str
    value: float
    unit: str
    aim: float | None = None
    better: Literal["more", "less"] = "less"

    @property
    def met(self) -> bool | None:
        if self.aim is None:
            return None
        return bool(self.value >= self.aim if self.better == "more" else self.value <= self.aim)  # numpy has its own


def as_table(figures: Iterable[Figure]) -> str:
    """The figures by section, one a line."""
    lines, section = [], ""
    for figure in figures:
        if figure.section != section:
            section = figure.section
            lines.append(f"\n{section}")
        aim = ""
        if figure.aim is not None:
            sign = "≥" if figure.better == "more" else "≤"
            aim = f"{'met' if figure.met else 'NOT MET'} ({sign} {number(figure.aim)} {figure.unit})"
        lines.append(f"  {figure.name:<58}{number(figure.value):>12} {figure.unit:<9} {aim}".rstrip())
    return "\n".join(lines)


def as_json(figures: Iterable[Figure]) -> str:
    """The figures as a JSON list."""
    return json.dumps([asdict(figure) | {"met": figure.met} for figure in figures], indent=2)


def number(value: float) -> str:
    """Three digits where they matter."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.3g}"
