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
KNOWN = ("date", "likely", "time", "user", "weekday", "zone")
"""What a prompt may use; `likely` are the specialists that a question may be for."""
UNCLEAR = "not clear"


class PromptError(GlassdeskError):
    """A prompt is not there, or asks for something that nobody fills in."""

    code = "prompt"


@dataclass(frozen=True)
class Prompt:
    """Instructions for a model, and the file (`gmail/v1`) that they come from."""

    text: str
    version: str


@dataclass(frozen=True)
class Template:
    """Instructions before anything is filled in, and the file that they come from."""

    text: str
    version: str

    def filled(self, user: User, now: datetime, **more: str) -> Prompt:
        """The instructions for a user at a moment.

        Args:
            user: whose name and zone are filled in.
            now: aware.
            more: further placeholders → what stands there; an empty text is as good as none.
        """
        values = {**placeholders(user, now), **{name: value for name, value in more.items() if value}}
        return Prompt(PLACEHOLDER.sub(lambda match: values[match[1]], self.text).strip(), self.version)


def read_template(name: str, folder: Path = PROMPTS) -> Template:
    """The instructions of a name.

    Args:
        name: `<agent>/<version>`, as manifests give it.
        folder: where the prompts are.

    Raises:
        PromptError: names what is missing.
    """
    path = folder / f"{name}.md"
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise PromptError(f"The prompt {name} cannot be read: restore {path.name} in data/prompts.") from error
    unknown = set(PLACEHOLDER.findall(text)) - set(KNOWN)
    if unknown:
        raise PromptError(f"The prompt {name} has {', '.join(sorted(unknown))}; it may use {', '.join(sorted(KNOWN))}.")
    return Template(text, name)


def load_prompt(name: str, user: User, now: datetime, folder: Path = PROMPTS) -> Prompt:
    """A prompt for a user at a moment; arguments and errors as of `read_template` and `Template.filled`."""
    return read_template(name, folder).filled(user, now)


def placeholders(user: User, now: datetime) -> dict[str, str]:
    """What a prompt may use; date, weekday and time are the user's."""
    local = now.astimezone(user.zone)
    return {
        "date": f"{local:%Y-%m-%d}",
        "weekday": f"{local:%A}",
        "time": f"{local:%H:%M}",
        "zone": user.zone.key,
        "user": user.name,
        "likely": UNCLEAR,
    }
