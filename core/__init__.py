"""Glassdesk: a Google Workspace assistant that you can see through.

`from core import service, service_streaming` asks it from Python; nothing is loaded before one of them is wanted.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.entry import service, service_streaming

__all__ = ["service", "service_streaming"]


def __getattr__(name: str) -> Any:
    """The entry points, imported when they are wanted."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from core import entry

    return getattr(entry, name)
