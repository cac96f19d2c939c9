"""What a call will do, in words, from its manifest."""

from collections.abc import Mapping
from typing import Any

from jinja2.sandbox import SandboxedEnvironment

from core.registry.manifests import Catalogue

ENVIRONMENT = SandboxedEnvironment(autoescape=False, trim_blocks=True, lstrip_blocks=True)


def summary_of(catalogue: Catalogue, tool: str, arguments: Mapping[str, Any]) -> str:
    """One plain sentence; a tool that has none in its manifest is named with its arguments."""
    manifest = next((known for _, known in catalogue.tools() if known.name == tool), None)
    if manifest is None or manifest.confirm is None:
        title = manifest.title if manifest else tool
        return f"{title}: " + ", ".join(f"{name} = {value}" for name, value in arguments.items())
    return " ".join(ENVIRONMENT.from_string(manifest.confirm).render(arguments).split())
