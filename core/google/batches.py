"""Google's batches, with parts written at once: the client writes each as an e-mail, which takes longer than all else
that is done to send a search."""

from urllib.parse import urlsplit

from googleapiclient.http import BatchHttpRequest, HttpRequest


class Batch(BatchHttpRequest):  # type: ignore[misc]
    """A batch for one API; its requests carry no credentials of their own."""

    def _serialize_request(self, request: HttpRequest) -> str:
        """A part, letter for letter as the client writes it; what has a body is left to the client."""
        lines = [f"{name}: {value}" for name, value in request.headers.items() if name != "content-type"]
        if request.body is not None or not all(line.isascii() and line.isprintable() for line in lines):
            return str(super()._serialize_request(request))
        uri = urlsplit(request.uri)
        path = f"{uri.path}?{uri.query}" if uri.query else uri.path
        kind = request.headers.get("content-type", "application/json")
        first = [f"{request.method} {path} HTTP/1.1", f"Content-Type: {kind}", "MIME-Version: 1.0"]
        return "\n".join([*first, *lines, f"Host: {uri.netloc}", "\n"])
