"""Which specialist a question is for, by the meaning of its words: confident and alone → straight there."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from core.registry.datafile import read_data
from core.registry.embeddings import Embedder, Vectors
from core.registry.glossary import Languages, load_languages
from core.registry.manifests import Catalogue, ToolManifest
from core.registry.references import load_references
from core.settings import ROOT

ELSEWHERE = ROOT / "data" / "language" / "elsewhere.yaml"
SLOT = re.compile(r"\s*\{\w+\}")
CLAUSES = re.compile(r"\s*(?:[,;.?!、。]|\b(?:and|then|also|as well as|plus)\b)\s*", re.IGNORECASE)
NOWHERE = ""
NEAREST = 3
CONFIDENT = 0.36
MARGIN = 0.07
CLAUSE = 0.50
KEYWORD = 0.80
ENOUGH = 2_000  # characters; what comes after seldom changes what is asked


@dataclass(frozen=True)
class Decision:
    """Where a question goes, and why.

    Attributes:
        route: `direct` to one specialist, or `orchestrated`.
        domains: that take part, the best first; for `direct` exactly one; may be empty.
        scores: domain → 0…1.
        tool_scores: tool → 0…1.
        reason: a sentence.
    """

    route: Literal["direct", "orchestrated"]
    domains: tuple[str, ...]
    scores: Mapping[str, float]
    tool_scores: Mapping[str, float]
    reason: str


@dataclass(frozen=True)
class Part:
    """A part of a question, and the domain it is for."""

    text: str
    domain: str


@dataclass(frozen=True)
class Group:
    """The examples of one tool, of a domain's further requests (no tool), or of no domain at all."""

    domain: str
    tool: str
    vectors: Vectors


class Router:
    """Scores domains and tools for a question; no model call, well under a millisecond.

    Args:
        catalogue: the manifests; their keywords, descriptions, intents and `asks` are the examples.
        embedder: vectors of texts.
        languages: how other languages become English words.
    """

    def __init__(self, catalogue: Catalogue, embedder: Embedder, languages: Languages | None = None) -> None:
        self._catalogue, self._embedder = catalogue, embedder
        self._languages = languages or load_languages()
        self._references = load_references(nouns(catalogue))
        self._keywords = foreign_keywords(catalogue)
        self._groups: tuple[Group, ...] = ()

    def load(self) -> None:
        """Embed the examples (and read the embedder's weights); otherwise the first question waits for it."""
        if not self._groups:
            self._groups = tuple(
                Group(domain, tool, self._embedder.embed(texts)) for domain, tool, texts in examples(self._catalogue)
            )

    def route(self, text: str, last_domain: str | None = None) -> Decision:
        """Decide for a question.

        Args:
            text: the question, in any language.
            last_domain: domain of the conversation's answer before it.
        """
        text = text[:ENOUGH]
        english = self._languages.gloss(text).text
        scores, tools, elsewhere = self._scores(english, text)
        if last_domain in self._catalogue.domains and self._references.refers_back(english):
            return Decision("direct", (last_domain,), scores, tools, "It refers to what was shown before.")
        several = dict.fromkeys(part.domain for part in self.parts(text))
        if len(several) > 1:
            return Decision("orchestrated", tuple(several), scores, tools, "Its parts belong to several domains.")
        return decide(scores, tools, elsewhere)

    def refers_back(self, text: str) -> bool:
        """Whether a question, in any language, leans on what was said before it."""
        return self._references.refers_back(self._languages.gloss(text[:ENOUGH]).text)

    def parts(self, text: str) -> list[Part]:
        """The clauses that clearly are for a domain, where a question has several; neighbours of one domain join."""
        found: list[Part] = []
        clauses = list(filter(None, CLAUSES.split(text[:ENOUGH])))
        for clause in clauses if len(clauses) > 1 else ():
            scores, _, elsewhere = self._scores(self._languages.gloss(clause).text, clause)
            best, second = ranked(scores)[:2] if len(scores) > 1 else (*ranked(scores), NOWHERE)
            clear = scores[best] >= CLAUSE and scores[best] - max(scores.get(second, 0.0), elsewhere) >= MARGIN
            if clear and found and found[-1].domain == best:
                found[-1] = Part(f"{found[-1].text}, {clause}", best)
            elif clear:
                found.append(Part(clause, best))
        return found

    def _scores(self, english: str, text: str) -> tuple[dict[str, float], dict[str, float], float]:
        self.load()
        vector = self._embedder.embed([english])[0]
        near = [(group, np.sort(group.vectors @ vector)[::-1]) for group in self._groups]
        tools = {group.tool: float(values[0]) for group, values in near if group.tool}
        for tool, words in self._keywords.items():
            if any(word in text.casefold() for word in words):
                tools[tool] = max(tools[tool], KEYWORD)
        scores = {domain: self._score(domain, near, tools) for domain in (*self._catalogue.domains, NOWHERE)}
        elsewhere = scores.pop(NOWHERE)
        return scores, {name: round(max(value, 0.0), 4) for name, value in tools.items()}, elsewhere

    def _score(self, domain: str, near: list[tuple[Group, Vectors]], tools: Mapping[str, float]) -> float:
        values = np.concatenate([values[:NEAREST] for group, values in near if group.domain == domain])
        mean = float(np.sort(values)[::-1][:NEAREST].mean())
        known = [tools[group.tool] for group, _ in near if group.domain == domain and group.tool in self._keywords]
        named = KEYWORD if KEYWORD in known else 0.0
        return round(min(max(mean, named, 0.0), 1.0), 4)


def decide(scores: Mapping[str, float], tools: Mapping[str, float], elsewhere: float) -> Decision:
    """Confident and alone → direct; otherwise the orchestrator, told which domains are possible."""
    order = ranked(scores)
    best = scores[order[0]]
    rest = max([elsewhere, *(scores[name] for name in order[1:])])
    if best >= CONFIDENT and best - rest >= MARGIN:
        reason = f"Confident: {best:.2f}, {best - rest:.2f} ahead of anything else."
        return Decision("direct", (order[0],), scores, tools, reason)
    possible = tuple(name for name in order if scores[name] >= CONFIDENT and scores[name] >= elsewhere)
    reason = (
        f"Uncertain: best {best:.2f}, {best - rest:+.2f} to the next; {CONFIDENT:.2f} and {MARGIN:+.2f} are needed."
    )
    return Decision("orchestrated", possible, scores, tools, reason)


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Names, the highest score first."""
    return sorted(scores, key=lambda name: scores[name], reverse=True)


def examples(catalogue: Catalogue, elsewhere: Path = ELSEWHERE) -> Iterator[tuple[str, str, list[str]]]:
    """(domain, tool, texts) of every tool, every domain's further requests, and what belongs to no domain."""
    for name, domain in catalogue.domains.items():
        noun = f"the {domain.agent.nouns[0]}" if domain.agent.nouns else ""
        references = {f"{{{tool.shows.kind}}}": noun for tool in domain.tools if tool.shows}
        for tool in domain.tools:
            yield name, tool.name, tool_examples(tool, references)
        if domain.agent.asks:
            yield name, "", list(domain.agent.asks)
    yield NOWHERE, "", read_data(elsewhere)["examples"]


def tool_examples(tool: ToolManifest, references: Mapping[str, str]) -> list[str]:
    """The texts that stand for a tool: slots for what was shown become a noun, other slots go."""
    said = []
    for phrase in (phrase for intent in tool.intents for phrase in intent.say):
        for slot, noun in references.items():
            phrase = phrase.replace(slot, noun)
        said.append(SLOT.sub("", phrase))
    return [tool.description, *tool.keywords.get("en", ()), *dict.fromkeys(filter(None, said))]


def foreign_keywords(catalogue: Catalogue) -> dict[str, tuple[str, ...]]:
    """Tool → its keywords in other languages than English, folded: found in a question word for word."""
    return {
        tool.name: tuple(
            word.casefold() for language, words in tool.keywords.items() if language != "en" for word in words
        )
        for _, tool in catalogue.tools()
    }


def nouns(catalogue: Catalogue) -> tuple[str, ...]:
    """The words for what the domains hold."""
    return tuple(noun for domain in catalogue.domains.values() for noun in domain.agent.nouns)
