"""Each tool reaches the sandbox with a token of exactly the permissions that its manifest names."""

import threading
from collections.abc import Mapping
from functools import cache
from typing import Any

from core.google.scopes import load_scopes
from core.google.transport import HttpLike
from core.registry.manifests import ToolManifest, load_catalogue
from core.sandbox.sandbox import Sandbox


class Exact:
    """A transport for `GoogleClients`, and the `permits` of a server that tells it whose call comes next."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox, self._local = sandbox, threading.local()
        self._scopes = load_scopes(load_catalogue())
        self._token = cache(self._lent)

    def permits(self, user_id: str, account: str, tool: ToolManifest) -> None:
        """Called in the tool's own thread, right before it runs."""
        self._local.tool = tool

    def __call__(self, account: str) -> HttpLike:
        exact, line = self, self._sandbox.line()

        class Http:
            def request(
                self, uri: str, method: str = "GET", body: Any = None, headers: Mapping[str, str] | None = None
            ) -> Any:
                token = exact._token(account, exact._local.tool.scopes)
                return line.request(uri, method, body, {**(headers or {}), "authorization": f"Bearer {token}"})

        http: HttpLike = Http()
        return http

    def _lent(self, account: str, scopes: tuple[str, ...]) -> str:
        return self._sandbox.office.lend(" ".join(scopes), account, self._scopes.urls(scopes)).access
