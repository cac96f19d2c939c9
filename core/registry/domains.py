"""The index of domains: domain → agent → tools, and the utilities that belong to every domain."""

from collections.abc import Collection, Iterator

from core.registry.manifests import AgentManifest, Catalogue, DomainManifest, ToolManifest


class DomainIndex:
    """Look-ups over a catalogue.

    The tools of a utility go with those of every domain that has a specialist.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._domains, self._catalogue = catalogue.every, catalogue
        self._owners = {tool.name: name for name, tool in catalogue.all_tools()}

    def names(self) -> tuple[str, ...]:
        """The domains that have a specialist."""
        return tuple(self._catalogue.domains)

    def utilities(self) -> tuple[str, ...]:
        """The domains whose tools go with every other's."""
        return tuple(self._catalogue.utilities)

    def domain_of(self, tool: str) -> str:
        """The domain of a tool; empty where no manifest has it."""
        return self._owners.get(tool, "")

    def agent(self, domain: str) -> AgentManifest:
        """The agent of a domain.

        Raises:
            KeyError: names what exists.
        """
        return self._domain(domain).agent

    def tools(self, domain: str) -> tuple[ToolManifest, ...]:
        """The tools of a domain, its own first, then the utilities'.

        Raises:
            KeyError: names what exists.
        """
        own = self._domain(domain).tools
        return own + tuple(tool for name in self.utilities() if name != domain for tool in self._domains[name].tools)

    def own_tools(self, domain: str) -> frozenset[str]:
        """The names of a domain's own tools; none where there is no such domain any more."""
        return frozenset(tool for tool, owner in self._owners.items() if owner == domain)

    def selected(self, domains: Collection[str] | None) -> Iterator[tuple[str, DomainManifest]]:
        """Some domains (None: all), and always the utilities.

        Raises:
            KeyError: one of them is none; names what exists.
        """
        for name in domains or ():
            self._domain(name)
        for name, domain in self._domains.items():
            if domains is None or name in domains or name in self._catalogue.utilities:
                yield name, domain

    def _domain(self, name: str) -> DomainManifest:
        if name not in self._domains:
            raise KeyError(f"There is no domain {name!r}; there are: {', '.join(self._domains)}")
        return self._domains[name]
