"""JSON as it is stored: readable in any script, and never a reason to lose a span."""

import json
from typing import Any, Final

import orjson


def plain(value: Any) -> Any:
    """What JSON does not know, as something that it does."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json", exclude_none=True)
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    return str(value)


ENCODER: Final = json.JSONEncoder(ensure_ascii=False, default=plain, separators=(",", ":"))
PASSED_ON: Final = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def dumps(value: Any) -> str:
    """JSON text; Japanese stays Japanese, and what JSON does not know becomes its text."""
    try:
        return orjson.dumps(value, plain, PASSED_ON).decode()
    except TypeError:  # half characters, names that are no text, numbers beyond 64 bits
        return ENCODER.encode(value)


def loads(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        ValueError: It is none.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # the standard one reads NaN too
        return json.loads(text)
