"""Static word embeddings that ship with a package: meaning as a vector, in a fraction of a millisecond."""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import wordllama
from wordllama import WordLlama

Vectors = npt.NDArray[np.float32]


class Embeds(Protocol):
    """Makes vectors of texts."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one row a text."""
        ...


class Embedder:
    """Texts to unit vectors, and texts to token counts. Safe for any threads.

    The weights (16 MB) are read by `load()`, or at first use.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    def load(self) -> None:
        """Read the weights, once."""
        with self._lock:
            if self._model is None:
                folder = Path(wordllama.__file__).parent
                self._model = WordLlama.load(cache_dir=folder, disable_download=True)
                self._model.embedding = self._model.embedding.astype(np.float16)  # as it is on disk: half the memory

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one row a text; a text without a known word is a row of zeros."""
        self.load()
        vectors: Vectors = (
            self._mean(texts[0]) if len(texts) == 1 else self._model.embed([text or " " for text in texts])
        )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors

    def _mean(self, text: str) -> Vectors:
        """What the package's `embed` gives for one text, without its way of many: half the time of a question."""
        tokens = self._model.tokenizer.encode(text or " ", add_special_tokens=False).ids
        if not tokens:
            return np.zeros((1, self._model.embedding.shape[1]), np.float32)
        mean: Vectors = self._model.embedding[tokens].mean(axis=0, dtype=np.float32, keepdims=True)
        return mean

    def count_tokens(self, text: str) -> int:
        """How many tokens a text has for a typical language model: an estimate."""
        self.load()
        count: int = len(self._model.tokenizer.encode(text, add_special_tokens=False).ids)
        return count
