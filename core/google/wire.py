"""The sign-in libraries send over the same line as everything else: httplib2, or the sandbox."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import httplib2
import requests
from google.auth.exceptions import TransportError
from google.auth.transport import Request as AuthRequest
from google.auth.transport import Response as AuthResponse
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict
from urllib3 import HTTPResponse

from core.google.transport import HttpLike


class WireAdapter(BaseAdapter):
    """Lets a `requests` session send over an httplib2-shaped line."""

    def __init__(self, http: HttpLike) -> None:
        super().__init__()
        self._http = http

    def send(self, request: requests.PreparedRequest, stream: bool = False, *_: Any, **__: Any) -> requests.Response:
        """One request and its answer.

        Raises:
            requests.ConnectionError: no answer came.
        """
        headers = {name: str(value) for name, value in request.headers.items()}
        try:
            body: Any = request.body
            answer, content = self._http.request(str(request.url), str(request.method), body, headers)
        except Exception as error:
            raise requests.ConnectionError(type(error).__name__) from error
        response = requests.Response()
        response.status_code = int(answer.status)
        response.headers = CaseInsensitiveDict({name: str(value) for name, value in answer.items()})
        response.raw = HTTPResponse(BytesIO(content), preload_content=False)
        response.url, response.request = str(request.url), request
        response.encoding = "utf-8"
        return response

    def close(self) -> None:
        """Nothing is held open."""


class WireAnswer(AuthResponse):
    """An answer as google-auth reads it."""

    def __init__(self, answer: httplib2.Response, content: bytes) -> None:
        self._answer, self._content = answer, content

    @property
    def status(self) -> int:
        """HTTP status."""
        return int(self._answer.status)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers."""
        return dict(self._answer)

    @property
    def data(self) -> bytes:
        """The body."""
        return self._content


class WireRequest(AuthRequest):
    """google-auth's way to send, over an httplib2-shaped line.

    Trouble on Google's side (429, 5xx) is no answer: google-auth would wait and try again by itself, and take the page
    of a broken proxy for a refusal.
    """

    def __init__(self, http: HttpLike) -> None:
        self._http = http

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **_: Any,
    ) -> WireAnswer:
        """One request and its answer.

        Raises:
            TransportError: none came that is Google's.
        """
        try:
            answer, content = self._http.request(url, method, body, dict(headers or {}))
        except Exception as error:
            raise TransportError(type(error).__name__) from error  # type: ignore[no-untyped-call]
        if int(answer.status) == 429 or int(answer.status) >= 500:
            raise TransportError(f"Google answered {answer.status}")  # type: ignore[no-untyped-call]
        return WireAnswer(answer, content)
