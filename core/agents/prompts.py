"""Prompts: versioned files with the user and their present time filled in."""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.errors import GlassdeskError
from core.settings import ROOT
from core.users import User

PROMPTS = ROOT / "data" / "prompts"
PLACEHOLDER = re.compile(r"\{(\w+)\}")


class PromptError(GlassdeskError):
    """A prompt is not there, or asks for something that nobody fills in."""

    code = "prompt"


@dataclass(frozen=True)
class Prompt:
    """Instructions for a model, and the file (`gmail/v1`) that they come from."""

    text: str
    version: str


def load_prompt(name: str, user: User, now: datetime, folder: Path = PROMPTS) -> Prompt:
    """A prompt for a user at a moment.

    Args:
        name: `<agent>/<version>`, as manifests give it.
        user: whose name and zone are filled in.
        now: aware.
        folder: where the prompts are.

    Raises:
        PromptError: names what is missing.
    """
    path = folder / f"{name}.md"
    try:
        template = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PromptError(f"The prompt {name} cannot be read: restore {path.name} in data/prompts.") from error
    values = placeholders(user, now)
    unknown = set(PLACEHOLDER.findall(template)) - set(values)
    if unknown:
        raise PromptError(
            f"The prompt {name} has {', '.join(sorted(unknown))}; it may use {', '.join(sorted(values))}."
        )
    return Prompt(PLACEHOLDER.sub(lambda match: values[match[1]], template).strip(), name)


def placeholders(user: User, now: datetime) -> dict[str, str]:
    """What a prompt may use; date, weekday and time are the user's."""
    local = now.astimezone(user.zone)
    return {
        "date": f"{local:%Y-%m-%d}",
        "weekday": f"{local:%A}",
        "time": f"{local:%H:%M}",
        "zone": user.zone.key,
        "user": user.name,
    }
