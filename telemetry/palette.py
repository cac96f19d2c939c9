"""The colours of figures, light and dark: each phase has its own everywhere."""

from dataclasses import dataclass
from typing import Literal

from telemetry.phases import Phase

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Palette:
    """Colours of one theme, as #rrggbb."""

    phases: dict[str, str]
    container: str
    accent: str
    second: str
    third: str
    failed: str
    text: str


PALETTES = {
    "light": Palette(
        phases={
            Phase.CACHE_LOOKUP: "#5c8a3a",
            Phase.ROUTING: "#4a90c2",
            Phase.ORCHESTRATOR_LLM: "#7c6bc4",
            Phase.MCP_SETUP: "#b0478a",
            Phase.SPECIALIST_LLM: "#0f766e",
            Phase.TOOL: "#e0a526",
            Phase.GOOGLE_API: "#d1603d",
            Phase.APPROVAL_WAIT: "#c9d6d4",
            Phase.PERSIST: "#5b7a99",
            Phase.FRAMEWORK: "#8aa39f",
        },
        container="#8aa39f",
        accent="#0f766e",
        second="#7c6bc4",
        third="#e0a526",
        failed="#b3261e",
        text="#17211f",
    ),
    "dark": Palette(
        phases={
            Phase.CACHE_LOOKUP: "#9ccb6f",
            Phase.ROUTING: "#7cbcec",
            Phase.ORCHESTRATOR_LLM: "#a99cf0",
            Phase.MCP_SETUP: "#e07fbb",
            Phase.SPECIALIST_LLM: "#2dd4bf",
            Phase.TOOL: "#f0c05a",
            Phase.GOOGLE_API: "#f08a66",
            Phase.APPROVAL_WAIT: "#2f3e3c",
            Phase.PERSIST: "#8fb0d1",
            Phase.FRAMEWORK: "#9fb8b4",
        },
        container="#9fb8b4",
        accent="#2dd4bf",
        second="#a99cf0",
        third="#f0c05a",
        failed="#ff8a80",
        text="#e6efed",
    ),
}
