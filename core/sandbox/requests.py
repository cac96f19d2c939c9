"""HTTP requests and answers as they are on the line."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from core.sandbox.calls import Reply


@dataclass(frozen=True)
class Request:
    """A request: the path still percent-encoded, header names in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def make(cls, uri: str, method: str, body: Any, headers: Mapping[str, str]) -> Self:
        """A request from what googleapiclient gives to its transport: text, bytes, a stream or nothing as a body."""
        parts = urlsplit(uri)
        body = body.read() if hasattr(body, "read") else body or b""
        body = body.encode() if isinstance(body, str) else body
        lowered = {name.lower(): value for name, value in headers.items()}
        return cls(method, parts.path, parts.query, lowered, body)

    def meant(self) -> Self:
        """The request that is meant: one too long for a URL comes as a POST that names its real method."""
        method = self.headers.get("x-http-method-override", "").upper()
        if self.method != "POST" or not method:
            return self
        query = "&".join(part for part in (self.query, self.body.decode()) if part) if method == "GET" else self.query
        return replace(self, method=method, query=query, body=b"" if method == "GET" else self.body)

    def values(self) -> dict[str, list[str]]:
        """The query's parameters."""
        return parse_qs(self.query, keep_blank_values=True)


def content(reply: Reply) -> tuple[int, dict[str, str], bytes]:
    """A reply as status, headers and bytes."""
    body = reply.body if isinstance(reply.body, bytes) else b""
    if isinstance(reply.body, dict):
        body = json.dumps(reply.body, ensure_ascii=False).encode()
    status = 204 if reply.body is None and reply.status == 200 else reply.status
    length = str(len(body))
    return status, {"content-type": "application/json; charset=UTF-8", "content-length": length, **reply.headers}, body
