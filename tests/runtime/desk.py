"""The whole app without a browser: real services over a folder, and how to ask them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.bootstrap import Services, build
from core.runtime.turn import Turn
from core.settings import Settings
from core.users import User, local_user
from telemetry.tables import Span

SECONDS = 30


@contextmanager
def services(folder: Path, **settings: Any) -> Iterator[Services]:
    """Services over a data folder, until the block ends; they remember no answers unless they are told to."""
    chosen = {"cache_entries": 0, **settings}
    built = build(Settings(_env_file=None, data_dir=folder, zone="Europe/Berlin", **chosen))
    try:
        yield built
    finally:
        built.close()


def sam(built: Services) -> User:
    return local_user(built.settings)


def ask(built: Services, question: str, conversation_id: str | None = None) -> dict[str, Any]:
    """The finished turn."""
    return built.runtime.start(sam(built), question, conversation_id).wait(SECONDS)


def start(built: Services, question: str, conversation_id: str | None = None) -> Turn:
    return built.runtime.start(sam(built), question, conversation_id)


def tree(built: Services, turn_id: str) -> list[Any]:
    """The turn's spans by name: a name, or (name, children) where it has any; siblings in order of start."""
    spans = built.glass.spans(sam(built).id, turn_id)
    roots = branches(spans, None)
    known = {span.span_id for span in spans}
    assert not [span.name for span in spans if span.parent_id is not None and span.parent_id not in known], "orphans"
    return roots


def branches(spans: list[Span], parent: str | None) -> list[Any]:
    found = [span for span in spans if span.parent_id == parent]
    grown = [(span.name, branches(spans, span.span_id)) for span in found]
    return [(name, children) if children else name for name, children in grown]
