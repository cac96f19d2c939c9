"""The catalogue as text for a prompt: whole, or what some domains need."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from core.registry.domains import DomainIndex
from core.registry.manifests import DomainManifest, ToolManifest


@dataclass(frozen=True)
class Export:
    """A text, and its size by the tokenizer in use."""

    text: str
    tokens: int


def exported(
    index: DomainIndex, domains: Collection[str] | None, needed: Collection[str], count: Callable[[str], int]
) -> Export:
    """The export of some domains, or of all (None): then every tool is described.

    Raises:
        KeyError: one of the domains is none.
    """
    whole = domains is None
    text = "\n\n".join(
        "\n".join(section(domain, lambda tool: whole or tool.basic or tool.name in needed))
        for _, domain in index.selected(domains)
    )
    return Export(text, count(text))


def section(domain: DomainManifest, described: Callable[[ToolManifest], bool]) -> Iterator[str]:
    """The lines of one domain."""
    yield f"## {domain.agent.title} ({domain.agent.name})"
    yield domain.agent.description
    for tool in domain.tools:
        if described(tool):
            yield f"- {tool.name}{'' if tool.reads else ' [writes]'}: {tool.description}"
    if others := [tool.name for tool in domain.tools if not described(tool)]:
        yield f"Also: {', '.join(others)}"
