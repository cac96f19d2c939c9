"""A tool as a whole: what its manifest says, joined with the schemas of its function."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.registry.manifests import Cost, ToolManifest


@dataclass(frozen=True)
class Schema:
    """JSON schemas of a tool, from its typed function; the response is None where it returns plain text."""

    parameters: Mapping[str, Any]
    response: Mapping[str, Any] | None


@dataclass(frozen=True)
class ToolCard:
    """One tool.

    Attributes:
        domain: that it belongs to.
        schema: None where its function is not here, as with a tool of an outside server that is away.
    """

    manifest: ToolManifest
    domain: str
    schema: Schema | None

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameter → its schema."""
        properties: Mapping[str, Any] = self.schema.parameters.get("properties", {}) if self.schema else {}
        return properties

    @property
    def cost(self) -> Cost:
        """What one call takes, as the manifest has it."""
        return self.manifest.cost

    @property
    def permissions(self) -> dict[str, Any]:
        """Who must agree to a call, and what Google must have granted."""
        return {
            "access": self.manifest.access.value,
            "approval": self.manifest.approval.value,
            "destructive": self.manifest.destructive and not self.manifest.reads,
            "idempotent": self.manifest.idempotent or self.manifest.reads,
            "scopes": list(self.manifest.scopes),
        }
