"""What the assistant knows: everything heavy, built once and shared by all turns."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz import fuzz, process, utils

from core.agents.offline.deeds import DeedEars, load_deed_ears
from core.agents.offline.intents import SLOT, Intents, load_operations
from core.agents.offline.render import Answers
from core.agents.offline.shown import Kind, load_kinds
from core.agents.offline.slots import Ears, load_ears
from core.agents.offline.times import load_times
from core.datafile import read_data
from core.registry.embeddings import Embedder
from core.registry.glossary import Languages
from core.registry.manifests import Catalogue, DomainManifest
from core.registry.references import References
from core.registry.router import Router
from core.registry.said import Sayings
from core.settings import ROOT

SMALL_TALK = ROOT / "data" / "language" / "small_talk.yaml"
SAME = 88


class SmallTalk:
    """What people say that is no task.

    Args:
        data: `talk` (phrases and their answers) and `samples` (values for slots in examples).
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self._answers = {phrase: talk["answer"] for talk in data["talk"] for phrase in talk["say"]}
        self._samples: dict[str, str] = data["samples"]

    @classmethod
    def load(cls, path: Path = SMALL_TALK) -> "SmallTalk":
        """Read the data."""
        return cls(read_data(path))

    def answer(self, text: str) -> str | None:
        """The template for a phrase that is nearly the same as one on record."""
        best = process.extractOne(text, list(self._answers), scorer=fuzz.ratio, processor=utils.default_process)
        return self._answers[best[0]] if best and best[1] >= SAME else None

    def examples(self, manifest: DomainManifest) -> list[str]:
        """A phrasing of each intent of a domain, with samples in its slots."""
        intents = [intent for tool in manifest.tools for intent in tool.intents]
        said = [next(phrase for phrase in intent.say if not SLOT.fullmatch(phrase)) for intent in intents]
        return [self._filled(phrase) for phrase in said]

    def _filled(self, phrase: str) -> str:
        return SLOT.sub(lambda match: self._samples.get(match[1], match[1]), phrase)


@dataclass(frozen=True)
class Mind:
    """All of it.

    Attributes:
        domains: by domain, what templates say about it: title and examples.
    """

    catalogue: Catalogue
    embedder: Embedder
    languages: Languages
    references: References
    router: Router
    kinds: dict[str, Kind]
    ears: Ears
    deeds: DeedEars
    sayings: Sayings
    intents: Intents
    answers: Answers
    talk: SmallTalk

    def about(self, domains: Iterable[str]) -> list[dict[str, Any]]:
        """What templates say about domains."""
        manifests = [self.catalogue.domains[name] for name in domains if name in self.catalogue.domains]
        return [
            {
                "title": manifest.agent.title,
                "examples": self.talk.examples(manifest),
            }
            for manifest in manifests
        ]


def build_mind(catalogue: Catalogue, embedder: Embedder, router: Router) -> Mind:
    """Read all data and embed all examples: about 100 ms."""
    references = router.references
    ears = load_ears(load_times(), references)
    return Mind(
        catalogue,
        embedder,
        router.languages,
        references,
        router,
        load_kinds(),
        ears,
        load_deed_ears(ears, references),
        router.sayings,
        Intents(catalogue, embedder, load_operations()),
        Answers(),
        SmallTalk.load(),
    )
