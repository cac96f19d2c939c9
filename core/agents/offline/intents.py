"""Which intent a question means: nearest example among those whose slots fit."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import TypeAdapter
from rapidfuzz import fuzz

from core.agents.offline.heard import Heard
from core.agents.offline.holes import without_holes
from core.datafile import read_data
from core.registry.embeddings import Embedder, Vectors
from core.registry.manifests import Catalogue, Intent, Part, Phrases, ToolManifest
from core.settings import ROOT

OPERATIONS = ROOT / "data" / "language" / "operations.yaml"
SLOT = re.compile(r"\{(\w+)[\w.]*\}")
NEEDED, USED, UNUSED = 0.15, 0.05, 0.25
UNDERSTOOD = 0.35
WORDLESS = 0.4  # nothing but slots: whoever can use them


class Operation(Part):
    """A question that is answered from what was shown; `op` names what is done with it."""

    op: Literal["pick", "count", "keep"]
    say: Phrases
    needs: Phrases = ()
    unless: Phrases = ()


@dataclass(frozen=True)
class Candidate:
    """An intent of a tool, or an operation (no tool)."""

    tool: str | None
    intent: Intent | Operation
    says: tuple[str, ...]
    vectors: Vectors
    slots: frozenset[str]
    writes: bool = False

    @property
    def tools(self) -> set[str]:
        """All that it calls."""
        steps = [*self.intent.first, *self.intent.then] if isinstance(self.intent, Intent) else []
        return {*(step.tool for step in steps), *([self.tool] if self.tool else [])}

    def fits(self, heard: Heard) -> bool:
        """Whether all that it needs is there, and nothing that speaks against it."""
        if self.writes != heard.has("writes"):
            return False
        return all(map(heard.has, self.intent.needs)) and not any(map(heard.has, self.intent.unless))

    def score(self, heard: Heard, vector: Vectors) -> float:
        """How near it is; 1 is the same words with the same slots."""
        words = heard.rest.casefold()
        alike = [fuzz.token_sort_ratio(words, say) / 100 for say in self.says]
        near = self.vectors @ vector
        both = (near + np.array(alike)) / 2
        best = float(both.max()) if words else max(WORDLESS, float(any(not say for say in self.says)))
        used = sum(1 for slot in heard.values if slot in self.slots)
        unused = sum(1 for slot in heard.values if slot not in self.slots and slot not in CONTEXT)
        if self.writes:  # what it is, its signals say; much of the rest is only to be passed on
            best, unused = max(best, WORDLESS), 0
        return best + NEEDED * len(self.intent.needs) + USED * used - UNUSED * unused


CONTEXT = frozenset({"item", "list", "minutes", "count"})
"""Slots that need not be used up."""


class Intents:
    """All intents of a catalogue, and the operations.

    Args:
        catalogue: the manifests.
        embedder: vectors.
        operations: what can be done with what was shown.
    """

    def __init__(self, catalogue: Catalogue, embedder: Embedder, operations: Sequence[Operation]) -> None:
        self._embedder = embedder
        self._candidates = [
            *(
                candidate(tool.name, intent, embedder, not tool.reads)
                for _, tool in catalogue.tools()
                for intent in by_likeness(tool)
            ),
            *(candidate(None, operation, embedder) for operation in operations),
        ]

    def weigh(self, heard: Heard, tools: Iterable[str]) -> tuple[Candidate | None, float]:
        """The best that fits among the tools offered and the operations, and its score; None where none is near enough.

        The score is about 1 for the words of an example, and more with slots that it needs.
        """
        offered = set(tools)
        vector = self._embedder.embed([heard.rest])[0]
        possible = [one for one in self._candidates if one.tools <= offered and one.fits(heard)]
        scored = [(one.score(heard, vector), one) for one in possible]
        best = max(scored, key=lambda pair: pair[0], default=None)
        return (best[1], best[0]) if best and best[0] >= UNDERSTOOD else (None, best[0] if best else 0.0)


def by_likeness(tool: ToolManifest) -> list[Intent]:
    """The intents that are meant by likeness; those with forms are meant by them alone."""
    return [intent for intent in tool.intents if not (intent.forms or intent.loose)]


def candidate(tool: str | None, intent: Intent | Operation, embedder: Embedder, writes: bool = False) -> Candidate:
    """An intent with its phrasings embedded, slots taken out."""
    says = tuple(without_holes(SLOT.sub("", say)).casefold() for say in intent.say)
    named = [slot for say in intent.say for slot in SLOT.findall(say)]
    if isinstance(intent, Intent):
        templates = [*intent.args.values(), *(one for step in intent.first for one in step.args.values())]
        named += [slot for template in templates for slot in SLOT.findall(str(template))]
        named += intent.asks
    return Candidate(tool, intent, says, embedder.embed(says), frozenset([*named, *intent.needs]), writes)


def load_operations(path: Path = OPERATIONS) -> list[Operation]:
    """Read the operations."""
    return TypeAdapter(list[Operation]).validate_python(read_data(path))
