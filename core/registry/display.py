"""Which tools of its domain a specialist is shown for a question; the others are one call away."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.registry.domains import DomainIndex
from core.registry.manifests import ToolManifest

MORE = "more_tools"
"""The tool by which a specialist has its other tools shown."""
FEWEST = 2
"""Fewer tools than these are not worth hiding: asking for them costs a model call."""


@dataclass(frozen=True)
class Display:
    """Chooses by the scores of routing.

    Attributes:
        most: tools that are shown for their scores; 0 shows all. Basic tools, and those that a chosen one works with,
            come on top.
        sizes: tool → tokens of its definition; asked for at first need.
    """

    index: DomainIndex
    most: int
    sizes: Callable[[], Mapping[str, int]]

    def hidden(self, domain: str, scores: Mapping[str, float]) -> frozenset[str]:
        """The domain's own tools that are not shown for a question; none where nothing is known of what it needs.

        Args:
            scores: tool → 0…1.
        """
        tools = self.index.tools(domain)
        known = [tool for tool in tools if scores.get(tool.name, 0.0) > 0]
        if not self.most or not known:
            return frozenset()
        best = sorted(known, key=lambda tool: scores[tool.name], reverse=True)[: self.most]
        shown = {tool.name for tool in tools if tool.basic} | set(self._with_helpers(domain, best))
        hidden = self.index.own_tools(domain) - shown
        return hidden if len(hidden) >= FEWEST else frozenset()

    def tokens(self, tools: Iterable[str]) -> int:
        """The tokens of some tools' definitions: an estimate."""
        sizes = self.sizes()
        return sum(sizes.get(tool, 0) for tool in tools)

    def _with_helpers(self, domain: str, chosen: Iterable[ToolManifest]) -> Iterator[str]:
        """The chosen tools, and those that find what they work on or finish what they begin."""
        for searches in self.index.agent(domain).finds.values():
            yield from (search.tool for search in searches)
        for tool in chosen:
            yield tool.name
            for intent in tool.intents:
                yield from (step.tool for step in (*intent.first, *intent.then))
