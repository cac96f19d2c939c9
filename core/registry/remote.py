"""Routing by the embeddings of a server: any OpenAI-compatible `/embeddings`; by the built-in ones where it fails."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from openai import OpenAI, OpenAIError

from core.errors import GlassdeskError
from core.registry.embeddings import Vectors
from core.registry.router import Decision, Router

BATCH = 256
TIMEOUT = 5.0
REST = 60.0
"""Seconds for which a server that failed is left alone."""
NOTE = "The embeddings server did not answer, so the built-in embeddings decided."
API_KEY = "none"


class EmbeddingsFailed(GlassdeskError):
    """A server gave no vectors."""

    code = "embeddings"


class RemoteEmbedder:
    """Vectors from a server.

    Args:
        model: its name there.
        base_url: of the server; None: OpenAI's.
        api_key: may be empty.
    """

    def __init__(self, model: str, base_url: str | None, api_key: str) -> None:
        self.model = model
        self._client = OpenAI(api_key=api_key or API_KEY, base_url=base_url, timeout=TIMEOUT, max_retries=1)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one row a text; blocks.

        Raises:
            EmbeddingsFailed: the server is away, refuses, or answers something else.
        """
        rows: list[list[float]] = []
        try:
            for start in range(0, len(texts), BATCH):
                asked = [text or " " for text in texts[start : start + BATCH]]
                answer = self._client.embeddings.create(model=self.model, input=asked, encoding_format="float")
                rows += [one.embedding for one in sorted(answer.data, key=lambda one: one.index)]
            if len(rows) != len(texts):
                raise ValueError("another number of vectors than of texts")
            vectors: Vectors = np.array(rows, dtype=np.float32).reshape(len(texts), -1)
        except (OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise EmbeddingsFailed(f"The embeddings server failed ({type(error).__name__}).") from error
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors


class RemoteRouter:
    """A router by a server's vectors, with the built-in one behind it; blocks for the server's answer.

    Args:
        remote: whose embedder may fail.
        local: whose embedder cannot.
        clock: seconds.
    """

    def __init__(self, remote: Router, local: Router, clock: Callable[[], float] = time.monotonic) -> None:
        self._remote, self._local, self._clock = remote, local, clock
        self._rests_until = float("-inf")

    waits = True

    def route(self, text: str, last_domain: str | None = None) -> Decision:
        """Decide for a question; arguments as of `Router.route`. The reason says where the server failed."""
        if self._clock() >= self._rests_until:
            try:
                return self._remote.route(text, last_domain)
            except EmbeddingsFailed:
                self._rests_until = self._clock() + REST
        decision = self._local.route(text, last_domain)
        return replace(decision, reason=f"{decision.reason} {NOTE}")

    def refers_back(self, text: str) -> bool:
        """As `Router.refers_back`."""
        return self._local.refers_back(text)
