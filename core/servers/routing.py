"""Questions for added servers: found by what they say they do, or by their names, beside the app's own domains."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.datafile import read_data
from core.registry.display import Display
from core.registry.embeddings import Embeds
from core.registry.router import (
    BUILT_IN,
    ELSEWHERE,
    ENOUGH,
    NOWHERE,
    Decision,
    Examples,
    Router,
    embedded,
    ranked,
)
from core.servers.manifests import Own, Server

NAMED, EXACT = 0.9, 1.0
SHORTEST_NAME = 3
BY_NAME = "It names {title}."
REFERS = "It refers to what was shown before."


@dataclass(frozen=True)
class Added:
    """What users have added, for whoever decides where their questions go.

    Attributes:
        own: user id → what the user works with.
        router: the one by the built-in embeddings; it reads questions.
        embedder: its.
    """

    own: Callable[[str], Own]
    router: Router
    embedder: Embeds
    _kept: "Kept"

    @classmethod
    def by(cls, own: Callable[[str], Own], router: Router, embedder: Embeds) -> "Added":
        """With nothing embedded yet."""
        return cls(own, router, embedder, Kept())

    def display(self, user_id: str, display: Display) -> Display:
        """Which tools are shown, of the user's own domains too."""
        return self.own(user_id).display(display)

    def routed(self, user_id: str, text: str, last_domain: str | None, decision: Decision) -> Decision:
        """A decision among the app's domains, with the user's own beside them; theirs must be clearly ahead."""
        own = self.own(user_id)
        if not own.servers:
            return decision
        text = text[:ENOUGH]
        english = self.router.languages.gloss(text).text
        near = self._kept.examples(own, self.embedder).near(self.embedder.embed([english])[0])
        tools, scores = ({name: round(max(value, 0.0), 4) for name, value in found.items()} for found in near)
        elsewhere = scores.pop(NOWHERE)
        named = [server for server in own.servers if names(text, server.row.title)]
        scores |= {server.row.domain: NAMED for server in named}
        heard = replace(decision, scores={**decision.scores, **scores}, tool_scores={**decision.tool_scores, **tools})
        if named:
            return by_name(heard, decision.domains, named)
        if max(decision.scores.values(), default=0.0) >= EXACT:
            return heard
        if last_domain in scores and self.router.references.refers_back(english):
            return replace(heard, route="direct", domains=(last_domain,), reason=REFERS)
        return by_score(heard, decision, scores, elsewhere)


class Kept:
    """The examples of users' servers, embedded once for what they have."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Own, Examples]] = {}

    def examples(self, own: Own, embedder: Embeds) -> Examples:
        """Those of what a user works with."""
        user_id = own.servers[0].row.user_id
        with self._lock:
            known = self._known.get(user_id)
            if known is None or known[0] is not own:
                known = self._known[user_id] = (own, embedded(groups(own), embedder))
            return known[1]


def groups(own: Own) -> Iterator[tuple[str, str, list[str]]]:
    """(domain, tool, texts) of the servers' tools and of the servers themselves, and what belongs to no domain."""
    for server in own.servers:
        for tool in server.tools:
            yield server.row.domain, tool.name, list(dict.fromkeys([tool.description, tool.title]))
        yield server.row.domain, "", [server.row.description, server.row.title]
    yield NOWHERE, "", read_data(ELSEWHERE)["examples"]


def names(text: str, title: str) -> bool:
    """Whether a question has a server's name in it."""
    return len(title) >= SHORTEST_NAME and bool(re.search(rf"(?<!\w){re.escape(title)}(?!\w)", text, re.IGNORECASE))


def by_name(heard: Decision, others: Sequence[str], named: Sequence[Server]) -> Decision:
    """To whom it names, and to those for whom it was anyway."""
    domains = tuple(dict.fromkeys([*(server.row.domain for server in named), *others]))
    reason = BY_NAME.format(title=", ".join(server.row.title for server in named))
    return replace(heard, route="direct" if len(domains) == 1 else "orchestrated", domains=domains, reason=reason)


def by_score(heard: Decision, decision: Decision, scores: Mapping[str, float], elsewhere: float) -> Decision:
    """Clearly ahead of all else → direct; as near as another → the orchestrator, told of both."""
    best, *others = ranked(scores)
    rest = max([elsewhere, *decision.scores.values(), *(scores[name] for name in others)])
    lead = scores[best] - rest
    if scores[best] < BUILT_IN.confident or scores[best] < elsewhere:
        return heard
    if lead >= BUILT_IN.margin and len(decision.domains) < 2:
        reason = f"Confident: {scores[best]:.2f}, {lead:.2f} ahead of anything else."
        return replace(heard, route="direct", domains=(best,), reason=reason)
    if decision.route == "direct" and lead <= -BUILT_IN.margin:
        return heard
    domains = tuple(sorted({*decision.domains, best}, key=lambda name: heard.scores[name], reverse=True))
    reason = f"Uncertain: best {scores[best]:.2f}, {lead:+.2f} to the next."
    return replace(heard, route="orchestrated", domains=domains, reason=reason)
