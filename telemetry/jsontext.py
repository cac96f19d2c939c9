"""JSON as it is stored: readable in any script, and never a reason to lose a span."""

import json
from typing import Any, Final


def plain(value: Any) -> Any:
    """What JSON does not know, as something that it does."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json", exclude_none=True)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)


ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=plain, separators=(",", ":"))


def dumps(value: Any) -> str:
    """JSON text; Japanese stays Japanese, and what JSON does not know becomes its text."""
    return ENCODER.encode(value)
