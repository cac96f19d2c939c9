"""Which permissions a method of Google's APIs needs, read from Google's own description of them."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from typing import Any

DESCRIBED = ("gmail.v1", "calendar.v3", "drive.v3", "docs.v1", "sheets.v4", "slides.v1")
HOLE = re.compile(r"\{[^}]*\}")
Key = tuple[str, str]


class Permissions:
    """Any one of a method's scopes will do; read when it is first asked."""

    def needed(self, method: str, template: str) -> frozenset[str] | None:
        """The scopes of which one is needed, as Google spells them; None where Google describes no such method.

        Args:
            template: path with its parameters in braces, whatever their names.
        """
        return self._scopes.get((method, HOLE.sub("{}", template)))

    @cached_property
    def _scopes(self) -> Mapping[Key, frozenset[str]]:
        folder = files("googleapiclient") / "discovery_cache" / "documents"
        found = dict[Key, frozenset[str]]()
        for name in DESCRIBED:
            described = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
            found |= dict(methods(described, f"/{described['servicePath']}"))
        return found


def methods(described: Mapping[str, Any], root: str) -> Iterator[tuple[Key, frozenset[str]]]:
    """Each method of an API, its uploads too, with its scopes."""
    for method in described.get("methods", {}).values():
        scopes = frozenset(method.get("scopes", ()))
        yield (method["httpMethod"], HOLE.sub("{}", root + method.get("flatPath", method["path"]))), scopes
        for protocol in method.get("mediaUpload", {}).get("protocols", {}).values():
            yield (method["httpMethod"], HOLE.sub("{}", protocol["path"])), scopes
    for resource in described.get("resources", {}).values():
        yield from methods(resource, root)
