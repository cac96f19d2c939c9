"""Vectors of texts kept on disk by content, so that no text is embedded twice by the same model."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.registry.embeddings import Embeds, Vectors


class KeptVectors:
    """An embedder that remembers: what it has embedded stays in a file of the data folder.

    A file that cannot be read or written costs time, nothing else.

    Args:
        inner: embeds what is not known.
        path: of the file; another model has another file.
    """

    def __init__(self, inner: Embeds, path: Path) -> None:
        self._inner, self._path = inner, path
        self._known = read(path)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, one row a text; raises as the inner embedder."""
        keys = [key_of(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}
        if new:
            vectors = self._inner.embed(list(new.values()))
            self._known = {**self._known, **dict(zip(new, vectors, strict=True))}
            write(self._path, self._known)
        return np.stack([self._known[key] for key in keys])


def key_of(text: str) -> str:
    """The content's hash."""
    return hashlib.sha256(text.encode()).hexdigest()


def read(path: Path) -> dict[str, Vectors]:
    """What is in a file; nothing where it is not there or not ours."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(zip(file["keys"].tolist(), file["vectors"], strict=True))
    except (OSError, ValueError, KeyError, EOFError):
        return {}


def write(path: Path, known: dict[str, Vectors]) -> None:
    """Put all in a file, whole or not at all."""
    draft = path.with_suffix(".part")
    try:
        with draft.open("wb") as file:
            np.savez(file, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
