"""Requests that one specialist begins and another ends: the steps, each asked with what the one before answered."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, TypeAdapter

from core.datafile import read_data
from core.registry.forms import Forms
from core.settings import ROOT

RELAYS = ROOT / "data" / "language" / "relays.yaml"
ADDRESS = re.compile(r"https?://[^\s()<>]+")
LINKED = re.compile(r"\[([^\]]*)\]\((https?://[^\s()]+)\)")
SLASHED = re.compile(r"\\([\\`*_{}\[\]<>#|~$^:.+=-])")
MARKS = re.compile(r"\*\*|^#+ ", re.MULTILINE)


class Leg(BaseModel):
    """One step: the domain that is asked, and what; `{answer}` and `{link}` are of the step before."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    domain: str
    ask: str


class RelayFile(BaseModel):
    """One kind of such requests."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    forms: tuple[str, ...]
    steps: tuple[Leg, ...]


@dataclass(frozen=True)
class Relay:
    """A request in steps.

    Attributes:
        words: slot → what was said for it.
    """

    steps: tuple[Leg, ...]
    words: Mapping[str, str]

    @property
    def domains(self) -> tuple[str, ...]:
        """That take part, in order."""
        return tuple(dict.fromkeys(leg.domain for leg in self.steps))

    def ask(self, number: int, answer: str) -> str | None:
        """What the step of a number (from 0) is asked.

        Args:
            answer: of the step before; empty for the first.

        Returns:
            None where the step before found nothing to go on with: its answer names no address.
        """
        link = ADDRESS.search(answer)
        if number and link is None:
            return None
        values = {**self.words, "answer": plain(answer), "link": link[0] if link else ""}
        return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), self.steps[number].ask)


class Relays:
    """All kinds of such requests.

    Args:
        forms: what slots of forms may hold.
    """

    def __init__(self, forms: Forms, files: tuple[RelayFile, ...]) -> None:
        self._forms = forms
        self._kinds = [(forms.pattern(form), file.steps) for file in files for form in file.forms]

    def match(self, text: str) -> Relay | None:
        """The steps of a request, None where it is none of these."""
        for pattern, steps in self._kinds:
            if words := self._forms.words(pattern, text):
                return Relay(steps, words)
        return None


def plain(markdown: str) -> str:
    """An answer as plain text: links written out, no marks."""
    text = LINKED.sub(r"\1 (\2)", markdown)
    return SLASHED.sub(r"\1", MARKS.sub("", text)).strip()


def load_relays(forms: Forms, path: Path = RELAYS) -> Relays:
    """Read the data."""
    return Relays(forms, TypeAdapter(tuple[RelayFile, ...]).validate_python(read_data(path)))
