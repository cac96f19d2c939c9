"""Google's permissions: what each service needs for reading and for writing, what they are for, what covers what."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from core.datafile import read_data
from core.errors import BadInput
from core.registry.manifests import Catalogue, ToolManifest
from core.settings import ROOT

FILE = ROOT / "data" / "google" / "scopes.yaml"
PREFIX = "https://www.googleapis.com/auth/"
WHOLE = {"openid": "openid", "email": f"{PREFIX}userinfo.email", "profile": f"{PREFIX}userinfo.profile"}
EVERYTHING = "https://mail.google.com/"
"""Google's one scope of another form: all of Gmail but its settings."""


class Scope(BaseModel):
    """One permission: a sentence for the person, and the names that it covers as well."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    purpose: str = Field(alias="for")
    covers: tuple[str, ...] = ()


class ScopeFile(BaseModel):
    """`data/google/scopes.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    always: tuple[str, ...]
    services: dict[str, str]
    scopes: dict[str, Scope]


@dataclass(frozen=True)
class Permission:
    """A permission as a person sees it; `granted` as one account has it."""

    name: str
    purpose: str
    granted: bool


@dataclass(frozen=True)
class Scopes:
    """The permissions that the tools need.

    Attributes:
        catalogue: the tools; each names its scopes.
        file: what the scopes mean.
    """

    catalogue: Catalogue
    file: ScopeFile

    @cached_property
    def services(self) -> tuple[str, ...]:
        """The services that have tools, in the order of the file."""
        return tuple(name for name in self.file.services if name in self.catalogue.domains)

    @cached_property
    def _needs(self) -> Mapping[str, frozenset[str]]:
        return {tool.name: frozenset(tool.scopes) for _, tool in self.catalogue.tools()}

    @cached_property
    def _service_of(self) -> Mapping[str, str]:
        return {tool.name: domain for domain, tool in self.catalogue.tools()}

    def title(self, service: str) -> str:
        """A service's name for people.

        Raises:
            BadInput: there is no such service.
        """
        if service not in self.services:
            raise BadInput(f"There is no service {service[:40]!r}. Choose one of: {', '.join(self.services)}.")
        return self.file.services[service]

    def of(self, service: str, write: bool) -> tuple[str, ...]:
        """The scopes to ask for so that a service can be read, or read and written; without those others cover.

        Raises:
            BadInput: there is no such service.
        """
        self.title(service)
        tools = self.catalogue.domains[service].tools
        needed = {scope for tool in tools if write or tool.reads for scope in tool.scopes}
        return tuple(sorted(scope for scope in needed if not self._spared(scope, needed)))

    def all(self, write: bool = True) -> tuple[str, ...]:
        """The scopes of every service."""
        return tuple(sorted({scope for service in self.services for scope in self.of(service, write)}))

    def closed(self, granted: Iterable[str]) -> frozenset[str]:
        """The scopes that some scopes amount to, covered ones included."""
        found, open_ = set[str](), list(granted)
        while open_:
            scope = open_.pop()
            if scope not in found:
                found.add(scope)
                open_ += self.file.scopes[scope].covers if scope in self.file.scopes else ()
        return frozenset(found)

    def missing(self, tool: str, closed: Collection[str]) -> tuple[str, ...]:
        """What a tool lacks; empty where it may work, or no manifest has it.

        Args:
            closed: as `closed` gives it.
        """
        needed = self._needs.get(tool, frozenset())
        return () if needed <= frozenset(closed) else tuple(sorted(needed - frozenset(closed)))

    def lacking(self, granted: Iterable[str], service: str | None = None) -> dict[str, tuple[str, ...]]:
        """The tools that lack something, and what."""
        closed = self.closed(granted)
        tools = [tool for tool, of in self._service_of.items() if service in (None, of)]
        return {tool: lacks for tool in tools if (lacks := self.missing(tool, closed))}

    def service_of(self, tool: str) -> str:
        """The service that a tool belongs to."""
        return self._service_of[tool]

    def works(self, service: str, granted: Iterable[str], write: bool) -> bool:
        """Whether at least one tool of a service that reads (or writes) may work."""
        closed = self.closed(granted)
        tools = [tool for tool in self.catalogue.domains[service].tools if tool.reads is not write]
        return any(not self.missing(tool.name, closed) for tool in tools)

    def permissions(self, service: str, granted: Iterable[str], write: bool = True) -> Sequence[Permission]:
        """The permissions of a service, each with its sentence and whether it is granted."""
        closed = self.closed(granted)
        return [Permission(name, self.purpose(name), name in closed) for name in self.of(service, write)]

    def purpose(self, name: str) -> str:
        """What a permission is for, one sentence; its name where the file has none."""
        known = self.file.scopes.get(name)
        return known.purpose if known else name

    def tool(self, name: str) -> ToolManifest:
        """A tool's manifest."""
        return self.catalogue.tool(name)

    def urls(self, names: Iterable[str]) -> list[str]:
        """The scopes as Google spells them, with those that say who the account is."""
        return [spelled(name) for name in (*self.file.always, *names)]

    def _spared(self, scope: str, needed: Collection[str]) -> bool:
        """Whether another scope of the same family that is needed anyway covers this one.

        Across families it is asked for itself: who keeps Drive to themselves may still give a document away.
        """
        family = [other for other in needed if other != scope and other.split(".")[0] == scope.split(".")[0]]
        return any(scope in self.closed([other]) for other in family)


def load_scopes(catalogue: Catalogue, path: Path = FILE) -> Scopes:
    """Read what the scopes mean."""
    return Scopes(catalogue, ScopeFile.model_validate(read_data(path)))


def spelled(name: str) -> str:
    """A scope's name as Google spells it."""
    return WHOLE.get(name) or f"{PREFIX}{name}"


def names_of(urls: Iterable[str]) -> tuple[str, ...]:
    """Google's spelling as names; what is no permission for data is left out."""
    found = set[str]()
    for url in urls:
        if url == EVERYTHING:
            found.add("gmail.modify")
        elif url.startswith(PREFIX) and not url.startswith(f"{PREFIX}userinfo."):
            found.add(url.removeprefix(PREFIX))
    return tuple(sorted(found))
