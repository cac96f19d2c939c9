"""Whether requests are what Google's description of an API says, with sentences that say what would be right."""

import json
from functools import cache
from typing import Any

from googleapiclient.discovery_cache import get_static_doc
from rapidfuzz import process

from core.mcp_server.desk import BadArgument

Json = dict[str, Any]
KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}


@cache
def messages(api: str, version: str) -> Json:
    """The messages of an API, from the description that Google's client brings along; read once."""
    found: Json = json.loads(get_static_doc(api, version))["schemas"]
    return found


def check(value: Any, message: str, place: str, known: Json) -> None:
    """Check a message and all inside it.

    Args:
        message: its name.
        place: where it is, for the sentence.
        known: the API's messages.

    Raises:
        BadArgument: a field that there is not, or a value of another type.
    """
    check_value(value, {"$ref": message}, place, known)


def check_value(value: Any, schema: Json, place: str, known: Json) -> None:
    """Check one value."""
    meant = known[schema["$ref"]] if "$ref" in schema else schema
    kind = meant["type"]
    fits = isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if not fits:
        raise BadArgument("requests", f"{place} must be {article(kind)}, not {json.dumps(value)[:80]}.")
    if "enum" in meant and value not in meant["enum"]:
        raise BadArgument("requests", f"{place} cannot be {value!r}; {hint(value, allowed(meant['enum']))}.")
    if kind == "array":
        for number, item in enumerate(value):
            check_value(item, meant["items"], f"{place}[{number}]", known)
    elif kind == "object" and "properties" in meant:
        for name, inner in value.items():
            if name not in meant["properties"]:
                names = hint(name, list(meant["properties"]))
                raise BadArgument("requests", f"{place} has no field {name!r}; {names}.")
            check_value(inner, meant["properties"][name], f"{place}.{name}", known)


def allowed(names: list[str]) -> list[str]:
    """The values of an enumeration that mean something."""
    return [name for name in names if not name.endswith("_UNSPECIFIED")]


def hint(name: str, names: list[str]) -> str:
    """What would be right: all of it where that is short, else what is nearest."""
    if len(names) <= 12:
        return f"there are: {', '.join(names)}"
    near = [match for match, *_ in process.extract(name, names, limit=4)]
    return f"near to it are: {', '.join(near)}"


def article(kind: str) -> str:
    """A type in words."""
    return {"integer": "an integer", "array": "a list", "object": "an object"}.get(kind, f"a {kind}")
