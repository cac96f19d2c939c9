"""Which handler answers which method and path."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from core.sandbox.calls import ApiError, Handler


@dataclass(frozen=True)
class Route:
    """A method, a path template such as `/gmail/v1/users/{user}/messages/{id}`, and its handler."""

    method: str
    template: str
    handler: Handler

    def pattern(self) -> re.Pattern[str]:
        """The template as a pattern over the raw (still percent-encoded) path."""
        parts = re.split(r"(\{\w+\})", self.template)
        return re.compile("".join(f"(?P<{p[1:-1]}>[^/]+?)" if p.startswith("{") else re.escape(p) for p in parts))


class Router:
    """Finds the handler for a request; templates are tried in order."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._routes = [(route, route.pattern()) for route in routes]

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        """The route for a raw path, and its decoded path parameters.

        Raises:
            ApiError: 404 where nothing matches, 405 where only the method does not.
        """
        found = [(route, match) for route, pattern in self._routes if (match := pattern.fullmatch(path))]
        for route, match in found:
            if route.method == method:
                return route, {name: unquote(value) for name, value in match.groupdict().items()}
        status, reason = (405, "httpMethodNotAllowed") if found else (404, "notFound")
        raise ApiError(status, reason, f"{method} {path} is not part of the sandbox")
