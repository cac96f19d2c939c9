"""Which specialist a question is for, by the meaning of its words: confident and alone → straight there."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from core.datafile import read_data
from core.registry.embeddings import Embeds, Vectors
from core.registry.forms import Asked, load_forms
from core.registry.glossary import Languages, load_languages
from core.registry.manifests import Catalogue, ToolManifest
from core.registry.needles import Pieces
from core.registry.references import WEEKDAYS, load_references
from core.registry.relays import Leg, Relay, load_relays
from core.registry.said import load_sayings
from core.settings import ROOT

ELSEWHERE = ROOT / "data" / "language" / "elsewhere.yaml"
SLOT = re.compile(r"\s*\{\w+\}")
CLAUSES = re.compile(r"\s*(?:[,;.?!、。]|\b(?:and|then|also|as well as|plus)\b)\s*", re.IGNORECASE)
NOWHERE = ""
NAMES = ("file", "folder", "name")
"""Slots that hold names of things."""
NEAREST = 3
CONFIDENT = 0.36
"""A domain that scores this, and `MARGIN` more than any other, is asked directly."""
POSSIBLE = 0.25
"""A domain that scores this is a candidate, named to the orchestrator."""
MARGIN = 0.07
CLAUSE = 0.50
KEYWORD = 0.80
DEED = 0.60
LEAD = (
    r"^(?:(?:hey|ok|okay|hi|please|can you|could you|would you|will you|you|kindly|also|just|now|and|then|i want to) )*"
)
WHEN = re.compile(
    rf"(?:the |next |this |on |at )*(?:{WEEKDAYS}|today|tomorrow|noon|midnight|morning|afternoon|week|\d{{1,2}}\b)",
    re.IGNORECASE,
)
"""Where something is moved to that is an event and no file."""
ENOUGH = 2_000  # characters; what comes after seldom changes what is asked


@dataclass(frozen=True)
class Thresholds:
    """From which score on a domain is asked directly, and how far ahead of any other it must be."""

    confident: float = CONFIDENT
    margin: float = MARGIN


BUILT_IN = Thresholds()
"""Those of the embeddings that come with the app."""


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

    @property
    def candidates(self) -> tuple[str, ...]:
        """Domains that the question may be for, the best first: who takes part, and who scores at least `POSSIBLE`."""
        near = (name for name in ranked(self.scores) if self.scores[name] >= POSSIBLE)
        return tuple(dict.fromkeys([*self.domains, *near]))


@dataclass(frozen=True)
class Part:
    """A part of a question, and the domain it is for."""

    text: str
    domain: str


@dataclass(frozen=True)
class Examples:
    """All examples, those of one domain side by side, and within it those of one tool.

    Attributes:
        vectors: one row an example.
        tools: with the row of the first example of each; no name stands for a domain's further requests.
        domains: the rows of each; no name stands for what belongs to none.
    """

    vectors: Vectors
    tools: tuple[tuple[str, int], ...]
    domains: Mapping[str, slice]

    def near(self, vector: Vectors) -> tuple[dict[str, float], dict[str, float]]:
        """How near the best example of each tool is, and on average the nearest few of each domain: up to 1."""
        values = self.vectors @ vector
        best = np.maximum.reduceat(values, [first for _, first in self.tools])
        tools = {tool: float(value) for (tool, _), value in zip(self.tools, best, strict=True) if tool}
        means = {
            domain: float(np.sort(values[rows])[: -NEAREST - 1 : -1].mean()) for domain, rows in self.domains.items()
        }
        return tools, means


class Router:
    """Scores domains and tools for a question; no model call, well under a millisecond.

    Args:
        catalogue: the manifests; their keywords, descriptions, intents and `asks` are the examples.
        embedder: vectors of texts.
        languages: how other languages become English words.
        kept: embeds the examples, which never change while it runs; the embedder where none is given.
        thresholds: that suit the embedder.

    Attributes:
        languages, references, sayings, forms, relays: what it reads questions with, for whoever reads them further.
    """

    waits = False
    """Whether a decision may wait for a server."""

    def __init__(
        self,
        catalogue: Catalogue,
        embedder: Embeds,
        languages: Languages | None = None,
        kept: Embeds | None = None,
        thresholds: Thresholds = BUILT_IN,
    ) -> None:
        self._catalogue, self._embedder = catalogue, embedder
        self._kept, self._thresholds = kept or embedder, thresholds
        self.languages = languages or load_languages()
        self.references = load_references(nouns(catalogue))
        self.sayings = load_sayings()
        self._keywords = Pieces(foreign_keywords(catalogue))
        self._owners = {tool.name: domain for domain, tool in catalogue.tools()}
        self._kinds = {name: kinds(catalogue, name) for name in catalogue.domains}
        self._own = {name: own_nouns(catalogue, self._kinds, name) for name in catalogue.domains}
        self._nouns = frozenset(nouns(catalogue))
        self._deeds = {
            name: [re.compile(LEAD + deed, re.IGNORECASE) for deed in domain.agent.deeds]
            for name, domain in catalogue.domains.items()
        }
        self.forms = load_forms(catalogue)
        self.relays = load_relays(self.forms)
        self._examples: Examples | None = None

    def load(self) -> None:
        """Embed the examples (and read the embedder's weights); otherwise the first question waits for it."""
        if self._examples is None:
            self._examples = embedded(examples(self._catalogue), self._kept)
            self.languages.gloss("")  # has the words by which each language is recognised ready

    def route(self, text: str, last_domain: str | None = None) -> Decision:
        """Decide for a question.

        Args:
            text: the question, in any language.
            last_domain: domain of the conversation's answer before it.
        """
        text = text[:ENOUGH]
        asked = self.literal(text, last_domain)
        if (relay := self.relay(text, last_domain, asked)) and (asked or self.relays.match(text)):
            return self._exactly(relay.domains)
        if asked:
            return self._exactly((asked.domain,), asked.tool)
        if pair := self.forms.pair(text.replace("’", "'")):
            begun = self.forms.match(pair[0])
            if begun and not self._elsewhere(begun, text):
                return self._exactly((begun.domain,), begun.tool)
        glossed = self.languages.gloss(text)
        several = dict.fromkeys(part.domain for part in self.parts(text))
        said = self.sayings.all_places(text, glossed.language)
        command = without(text, 0, len(text), said)
        scores, tools, elsewhere = self._scores(self.languages.gloss(command).text, command)
        if len(several) > 1:
            return Decision("orchestrated", tuple(several), scores, tools, "Its parts belong to several domains.")
        if last_domain in self._catalogue.domains and self.references.refers_back(glossed.text):
            return Decision("direct", (last_domain,), scores, tools, "It refers to what was shown before.")
        return decide(scores, tools, elsewhere, self._thresholds)

    def literal(self, text: str, last_domain: str | None, loose: bool = False) -> Asked | None:
        """What a question literally asks; what was shown by a domain that knows no such things is not meant by it."""
        texts = (text.replace("’", "'"), self.languages.gloss(text).text)
        here = [last_domain] if last_domain in self._catalogue.domains else []
        asked = self.forms.match(*texts, domains=here, loose=loose) if here else None
        asked = asked or self.forms.match(*texts, loose=loose)
        if asked is None or self._elsewhere(asked, text):
            return None
        leans = asked.implies or any(map(self.forms.refers, asked.words.values()))
        shown = self._kinds.get(last_domain or NOWHERE, frozenset())
        return asked if not leans or shown & self._kinds[asked.domain] else None

    def relay(self, text: str, last_domain: str | None = None, asked: Asked | None = None) -> Relay | None:
        """The steps of a question that one specialist begins and another ends, None where it is no such question."""
        found = self.relays.match(text)
        asked = asked or (self.literal(text, last_domain, loose=True) if found is None else None)
        finder = self._catalogue.domains[asked.domain].agent.found_by if asked else None
        words = asked.words.get("file", "") if asked else ""
        if found or not asked or not finder or not words or "://" in words or self.forms.refers(words):
            return found
        steps = (Leg(domain=finder, ask=f"find {words} in drive"),
                 Leg(domain=asked.domain, ask=text.replace(words, "{link}")))  # fmt: skip
        return Relay(steps, {})

    def _exactly(self, domains: tuple[str, ...], tool: str = "") -> Decision:
        scores = {name: 1.0 if name in domains else 0.0 for name in self._catalogue.domains}
        tools = {name: 1.0 if name == tool else 0.0 for name in self._owners}
        if len(domains) > 1:
            return Decision("orchestrated", domains, scores, tools, "One domain begins it, another ends it.")
        return Decision("direct", domains, scores, tools, "It asks exactly this.")

    def _elsewhere(self, asked: Asked, text: str) -> bool:
        """Whether it speaks of what another kind of domain holds, and not of its own."""
        words = {word.strip(".,;:!?'\"") for word in text.casefold().split()}
        own = self._own[asked.domain]
        said = {word for slot, words_ in asked.words.items() if slot in NAMES for word in words_.casefold().split()}
        return WHEN.match(asked.words.get("folder", "")) is not None or (
            bool(said & (self._nouns - own)) and not words & own
        )

    def refers_back(self, text: str) -> bool:
        """Whether a question, in any language, leans on what was said before it."""
        return self.references.refers_back(self.languages.gloss(text[:ENOUGH]).text)

    def parts(self, text: str) -> list[Part]:
        """The parts that clearly are for a domain, where a question has several clauses.

        Neighbours of one domain are one part, and what is clear of none goes with its neighbour. What is to be said in
        a mail is no clause of its own, and does not say which domain it is for.
        """
        text = text[:ENOUGH]
        said = list(self.sayings.all_places(text, self.languages.gloss(text).language))
        clauses = list(clauses_of(text, said))
        found: list[tuple[int, int, str]] = []
        for start, end in clauses if len(clauses) > 1 else ():
            domain = self._clear(without(text, start, end, said))
            if found and domain in (found[-1][2], NOWHERE):
                found[-1] = (found[-1][0], end, found[-1][2])
            elif found and found[-1][2] == NOWHERE:
                found[-1] = (found[-1][0], end, domain)
            else:
                found.append((start, end, domain))
        return [Part(text[start:end], domain) for start, end, domain in found if domain]

    def _clear(self, clause: str) -> str:
        """The domain that a clause clearly is for, or none."""
        if asked := self.literal(clause, None):
            return asked.domain
        scores, _, elsewhere = self._scores(self.languages.gloss(clause).text, clause)
        best, second = ranked(scores)[:2] if len(scores) > 1 else (*ranked(scores), NOWHERE)
        ahead = scores[best] - max(scores.get(second, 0.0), elsewhere)
        return best if scores[best] >= CLAUSE and ahead >= MARGIN else NOWHERE

    def _scores(self, english: str, text: str) -> tuple[dict[str, float], dict[str, float], float]:
        self.load()
        assert self._examples is not None
        tools, scores = self._examples.near(self._embedder.embed([english])[0])
        folded, named = text.casefold(), set[str]()
        for tool in set(self._keywords.within(folded)):
            tools[tool] = max(tools[tool], KEYWORD)
            named |= {self._owners[tool]} if tools[tool] == KEYWORD else set()
        scores = {
            name: round(min(max(mean, KEYWORD if name in named else 0.0, 0.0), 1.0), 4) for name, mean in scores.items()
        }
        elsewhere = scores.pop(NOWHERE)
        for domain in (name for name, deeds in self._deeds.items() if any(deed.search(english) for deed in deeds)):
            scores[domain] = max(scores[domain], DEED)
        return scores, {name: round(max(value, 0.0), 4) for name, value in tools.items()}, elsewhere


def clauses_of(text: str, said: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The places of the clauses of a text; none is cut within what is to be said."""
    places = list(said)
    start = 0
    for cut in CLAUSES.finditer(text):
        if any(first <= cut.start() and cut.end() <= last for first, last in places):
            continue
        if text[start : cut.start()].strip():
            yield start, cut.start()
        start = cut.end()
    if text[start:].strip():
        yield start, len(text)


def without(text: str, start: int, end: int, places: Iterable[tuple[int, int]]) -> str:
    """A piece of a text without some places."""
    for first, last in sorted(places, reverse=True):
        if start <= first and last <= end:
            text, end = text[:first] + text[last:], end - (last - first)
    return text[start:end].strip()


def decide(
    scores: Mapping[str, float], tools: Mapping[str, float], elsewhere: float, needed: Thresholds = BUILT_IN
) -> Decision:
    """Confident and alone → direct; otherwise the orchestrator, told which domains are possible."""
    order = ranked(scores)
    best = scores[order[0]]
    rest = max([elsewhere, *(scores[name] for name in order[1:])])
    if best >= needed.confident and best - rest >= needed.margin:
        reason = f"Confident: {best:.2f}, {best - rest:.2f} ahead of anything else."
        return Decision("direct", (order[0],), scores, tools, reason)
    possible = tuple(name for name in order if scores[name] >= needed.confident and scores[name] >= elsewhere)
    reason = (
        f"Uncertain: best {best:.2f}, {best - rest:+.2f} to the next; "
        f"{needed.confident:.2f} and {needed.margin:+.2f} are needed."
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


def foreign_keywords(catalogue: Catalogue) -> list[tuple[str, str]]:
    """Keywords in other languages than English, folded, each with its tool: found in a question word for word."""
    return [
        (word.casefold(), tool.name)
        for _, tool in catalogue.tools()
        for language, words in tool.keywords.items()
        if language != "en"
        for word in words
    ]


def embedded(groups: Iterable[tuple[str, str, list[str]]], embedder: Embeds) -> Examples:
    """The examples (domain, tool, texts) with their vectors; those of one domain come one after the other."""
    texts: list[str] = []
    tools: list[tuple[str, int]] = []
    domains: dict[str, slice] = {}
    for domain, tool, said in groups:
        tools.append((tool, len(texts)))
        first = domains[domain].start if domain in domains else len(texts)
        texts += said
        domains[domain] = slice(first, len(texts))
    return Examples(embedder.embed(texts), tuple(tools), domains)


def kinds(catalogue: Catalogue, domain: str) -> frozenset[str]:
    """The kinds of things that a domain shows."""
    return frozenset(tool.shows.kind for tool in catalogue.domains[domain].tools if tool.shows)


def own_nouns(catalogue: Catalogue, shown: Mapping[str, frozenset[str]], domain: str) -> frozenset[str]:
    """The words for what a domain holds, and for what others hold that show things of the same kind."""
    alike = (catalogue.domains[name].agent for name, kinds in shown.items() if kinds & shown[domain])
    return frozenset(noun for agent in alike for noun in agent.nouns)


def nouns(catalogue: Catalogue) -> tuple[str, ...]:
    """The words for what the domains hold."""
    return tuple(noun for domain in catalogue.domains.values() for noun in domain.agent.nouns)
