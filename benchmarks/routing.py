"""Routing: how many requests of a domain go straight to its specialist, and how many of those are right."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from benchmarks.report import Figure
from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.registry.registry import AgentRegistry
from core.registry.router import Decision, Router
from core.settings import ROOT

OWN = ROOT / "tests" / "fixtures" / "requests.yaml"
FOLDER = "UTTERANCES"
"""The environment variable that names a folder of labelled requests to measure with."""
NAMES = {"email": "gmail", "calendar": "calendar"}
"""Scenario of such a request → domain; any other scenario belongs to none."""
ELSEWHERE = "other"
DIRECT, RIGHT, ASTRAY, SMALLER = 0.65, 0.97, 0.03, 0.85
Route = Callable[[str], Decision]


@dataclass(frozen=True)
class Request:
    """A labelled request; `domain` is `other` where it is for none."""

    text: str
    domain: str
    language: str


@dataclass(frozen=True)
class Score:
    """What became of requests.

    Attributes:
        asked: requests of the domains; direct, right: of these.
        elsewhere: requests of no domain; astray: of these, that went direct.
    """

    asked: int
    direct: int
    right: int
    elsewhere: int
    astray: int

    @property
    def coverage(self) -> float:
        """Part of the domains' requests that went direct; 0 where there are none."""
        return self.direct / self.asked if self.asked else 0.0

    @property
    def precision(self) -> float:
        """Part of the direct ones that went to the right domain; 1 where none went direct."""
        return self.right / self.direct if self.direct else 1.0

    @property
    def strayed(self) -> float:
        """Part of the others that went direct."""
        return self.astray / self.elsewhere if self.elsewhere else 0.0


Judged = Sequence[tuple[Request, Decision]]


def own_requests(path: Path = OWN) -> list[Request]:
    """The project's own requests."""
    file = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [Request(text, domain, language) for domain, languages in file.items()
            for language, texts in languages.items() for text in texts]  # fmt: skip


def named_requests() -> list[Request]:
    """The requests of the folder that `UTTERANCES` names; none where it names none."""
    folder = os.environ.get(FOLDER, "")
    path = Path(folder) / "utterances_devel.jsonl"
    if not folder or not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Request(row["text"], NAMES.get(row["scenario"], ELSEWHERE), row.get("locale", "en")[:2]) for row in rows]


def judge(route: Route, requests: Iterable[Request]) -> Judged:
    """Route each request as if it were the first of a conversation."""
    return [(request, route(request.text)) for request in requests]


def score(judged: Judged) -> Score:
    """Count."""
    ours = [(request, decision) for request, decision in judged if request.domain != ELSEWHERE]
    direct = [(request, decision) for request, decision in ours if decision.route == "direct"]
    others = [decision for request, decision in judged if request.domain == ELSEWHERE]
    return Score(
        asked=len(ours),
        direct=len(direct),
        right=sum(decision.domains == (request.domain,) for request, decision in direct),
        elsewhere=len(others),
        astray=sum(decision.route == "direct" for decision in others),
    )


def routing() -> Iterator[Figure]:
    """The figures over the own requests, and over those that `UTTERANCES` names."""
    catalogue, embedder = load_catalogue(), Embedder()
    router = Router(catalogue, embedder)
    router.load()
    yield from figures("Routing, own requests", judge(router.route, own_requests()))
    if named := named_requests():
        yield from figures(f"Routing, requests of {FOLDER}", judge(router.route, named))
    yield from sizes(AgentRegistry(catalogue, embedder.count_tokens))


def sizes(agents: AgentRegistry[object]) -> Iterator[Figure]:
    """The catalogue in a prompt, whole and for each domain."""
    section, whole = "Catalogue in a prompt", agents.export_for_prompt().tokens
    yield Figure(section, "whole", whole, "tokens")
    for domain in agents.domains.names():
        tokens = agents.export_for_prompt_filtered([domain]).tokens
        yield Figure(section, f"{domain}: smaller by", (1 - tokens / whole) * 100, "%", SMALLER * 100, "more")
        described = agents.export_for_prompt_filtered([domain], tuple(agents.domains.own_tools(domain))).tokens
        yield Figure(section, f"{domain}: with all its tools described", (1 - described / whole) * 100, "%")


def figures(section: str, judged: Judged) -> Iterator[Figure]:
    """All together with what is aimed at; then by domain and by language."""
    whole = score(judged)
    yield Figure(section, f"direct, of {whole.asked} of a domain", whole.coverage * 100, "%", DIRECT * 100, "more")
    yield Figure(section, "right, of the direct ones", whole.precision * 100, "%", RIGHT * 100, "more")
    yield Figure(section, f"direct, of {whole.elsewhere} of none", whole.strayed * 100, "%", ASTRAY * 100)
    for domain in dict.fromkeys(request.domain for request, _ in judged if request.domain != ELSEWHERE):
        part = score([one for one in judged if one[0].domain == domain])
        yield Figure(section, f"{domain}: direct", part.coverage * 100, "%")
        yield Figure(section, f"{domain}: right", part.precision * 100, "%")
    for language in dict.fromkeys(request.language for request, _ in judged):
        part = score([one for one in judged if one[0].language == language])
        yield Figure(section, f"{language}: direct", part.coverage * 100, "%")
        yield Figure(section, f"{language}: right", part.precision * 100, "%")
        yield Figure(section, f"{language}: direct, of none", part.strayed * 100, "%")
