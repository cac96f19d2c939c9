"""Field masks of update requests, such as `outline.weight,shapeBackgroundFill.solidFill.color`."""

from copy import deepcopy
from typing import Any

from core.sandbox.docs.edits import refuse
from core.sandbox.docs.schema import schemas
from core.sandbox.docs.units import Json

API = "slides.v1"


def patched(old: Json, new: Json, mask: str, message: str) -> Json:
    """A message with the fields of a mask taken from another; what is not there is reset.

    Args:
        mask: the request's `fields`; `*` is all.
        message: the message's name in Google's description of the API.

    Raises:
        Refused: the mask is empty or names a field that there is not.
    """
    made = deepcopy(old)
    for path in paths(mask, message):
        put(made, path, value_at(new, path))
    return made


def paths(mask: str, message: str) -> list[list[str]]:
    """The paths of a mask."""
    if not mask.strip():
        refuse("At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)")
    if "*" in (name.strip() for name in mask.split(",")):
        return [[name] for name in schemas(API)[message]["properties"]]
    found = [[part.strip() for part in name.replace("/", ".").split(".")] for name in mask.split(",")]
    for path in found:
        check(path, message)
    return found


def check(path: list[str], message: str) -> None:
    """Refuse a path that leads nowhere."""
    schema: Json = {"$ref": message}
    for name in path:
        known = schemas(API)[schema["$ref"]]["properties"] if "$ref" in schema else {}
        if name not in known:
            refuse(f"Invalid field: {'.'.join(path)}")
        schema = known[name]


def value_at(value: Json, path: list[str]) -> Any:
    """What a message has at a path, None where it has nothing."""
    found: Any = value
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def put(value: Json, path: list[str], new: Any) -> None:
    """Set what a message has at a path; None takes it away."""
    *outer, last = path
    for name in outer:
        value = value.setdefault(name, {})
    if new is None:
        value.pop(last, None)
    else:
        value[last] = deepcopy(new)
