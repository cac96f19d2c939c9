"""What a call will do, in words, from its manifest."""

import re
from collections.abc import Mapping
from typing import Any

from jinja2 import ChainableUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from core.hosts import unmasked
from core.registry.manifests import Catalogue

ENVIRONMENT = SandboxedEnvironment(autoescape=False, trim_blocks=True, lstrip_blocks=True, undefined=ChainableUndefined)
DECEIVING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that nobody sees and that turn the order of others round."""


def summary_of(catalogue: Catalogue, tool: str, arguments: Mapping[str, Any]) -> str:
    """One plain sentence; a tool that has none in its manifest, or arguments that do not fit it, are just named."""
    manifest = next((known for _, known in catalogue.tools() if known.name == tool), None)
    named = f"{manifest.title if manifest else tool}: " + ", ".join(f"{key} = {one}" for key, one in arguments.items())
    sentence = None
    if manifest is not None and manifest.confirm is not None:
        sentence = sentence_of(manifest.confirm, arguments)
    return honest(sentence or named)


def honest(text: str) -> str:
    """A text on one line in which nothing passes for something else: neither by the order of letters nor by a host."""
    return " ".join(unmasked(DECEIVING.sub("\ufffd", text)).split())


def sentence_of(template: str, arguments: Mapping[str, Any]) -> str | None:
    """The template's sentence; None where a model wrote arguments that it cannot say."""
    try:
        return ENVIRONMENT.from_string(template).render(arguments)
    except (TemplateError, TypeError, ValueError, AttributeError):
        return None
