"""Whether a request's JSON is what Google's description of the API says; unknown names and wrong types are refused."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from core.sandbox.docs.edits import bad_request
from core.sandbox.docs.units import Json

KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}


@cache
def schemas(api: str) -> Json:
    """The messages of an API such as `docs.v1`, as googleapiclient has them; read once."""
    text = (files("googleapiclient.discovery_cache") / "documents" / f"{api}.json").read_text(encoding="utf-8")
    found: Json = json.loads(text)["schemas"]
    return found


def check(value: Any, name: str, api: str = "docs.v1") -> None:
    """Check a body.

    Args:
        name: the message that it should be.
        api: whose message it is.

    Raises:
        ApiError: 400, with Google's words and the place.
    """
    check_value(value, {"$ref": name}, "", schemas(api))


def check_value(value: Any, schema: Json, place: str, messages: Json) -> None:
    """Check one value and all inside it."""
    known = messages[schema["$ref"]] if "$ref" in schema else schema
    kind = known["type"]
    fits = isinstance(value, KINDS[kind]) and (kind not in ("integer", "number") or not isinstance(value, bool))
    if not fits:
        raise bad_request(f"Invalid value at '{place}' ({schema.get('$ref', kind)}), {json.dumps(value)}")
    if "enum" in known and value not in known["enum"]:
        raise bad_request(f"Invalid value at '{place}' (TYPE_ENUM), {json.dumps(value)}")
    if kind == "array":
        for number, item in enumerate(value):
            check_value(item, known["items"], f"{place}[{number}]", messages)
    elif kind == "object":
        check_object(value, known, place, messages)


def check_object(value: Json, known: Json, place: str, messages: Json) -> None:
    """Check the fields of an object."""
    fields = known.get("properties", {})
    for name, inner in value.items():
        path = f"{place}.{name}" if place else name
        if name in fields:
            check_value(inner, fields[name], path, messages)
        elif "additionalProperties" not in known:
            where = f" at '{place}'" if place else ""
            raise bad_request(f'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.')
