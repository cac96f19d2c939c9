"""What a user has switched off, in the light of the catalogue: an agent that is off takes its tools with it."""

from collections.abc import Collection
from dataclasses import replace

from core.registry.domains import DomainIndex
from core.registry.router import Decision
from core.store.switches import Off


def expanded(off: Off, index: DomainIndex) -> Off:
    """The switches, with the tools of the agents that are off."""
    theirs = {tool for domain in off.domains for tool in index.own_tools(domain)}
    return replace(off, tools=off.tools | theirs) if theirs else off


def without(decision: Decision, off: Collection[str]) -> Decision:
    """A decision in which no agent takes part that is switched off."""
    gone = [name for name in decision.domains if name in off]
    if not gone:
        return decision
    left = tuple(name for name in decision.domains if name not in off)
    reason = f"{decision.reason} Switched off: {', '.join(gone)}."
    return replace(decision, route="orchestrated", domains=left, reason=reason)
