"""The fields by which a person changes a call before approving it, from the tool's own parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from core.mcp_server.desk import Desk
from core.mcp_server.server import made, tool_functions
from core.mcp_server.workers import Workers
from core.registry.manifests import Catalogue

LONG = 80
"""Characters from which on a text gets more than one line."""
PROSE = ("body", "description", "content", "text")
Json = dict[str, Any]


class Kind(StrEnum):
    """How a value is asked for."""

    TEXT = "text"
    LONG = "long text"
    MOMENT = "date and time"
    YES_NO = "yes or no"
    NUMBER = "number"
    CHOICE = "choice"
    LINES = "one a line"
    JSON = "JSON"


@dataclass(frozen=True)
class Field:
    """One parameter of a tool.

    Attributes:
        value: what it is now; None where it is not given.
        required: whether the tool needs it.
        choices: of a choice, all that there are.
    """

    name: str
    kind: Kind
    value: Any
    required: bool
    choices: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name as a person reads it."""
        return self.name.replace("_", " ").capitalize()


def fields_of(
    catalogue: Catalogue, tool: str, arguments: Mapping[str, Any], known_schema: Mapping[str, Any] | None = None
) -> list[Field]:
    """The fields of a call: those that are given and those that are needed first.

    What the model named that is no parameter stays a field, so that it can be seen and taken away.

    Args:
        known_schema: of a tool that is none of the app's own.
    """
    schema = known_schema or parameters(catalogue, tool)
    needed = schema.get("required", [])
    known = schema.get("properties", {})
    names = [*known, *(name for name in arguments if name not in known)]
    fields = [field_of(name, known.get(name, {}), arguments, name in needed) for name in names]
    return sorted(fields, key=lambda field: not (field.required or field.value is not None))


def parameters(catalogue: Catalogue, tool: str) -> Json:
    """The JSON schema of a tool; `{}` where there is no such tool."""
    domain = next((domain for domain, known in catalogue.tools() if known.name == tool), None)
    if domain is None:
        return {}
    schema = made(domain, catalogue.tool(tool), tool_functions(domain)[tool], nowhere, Workers()).parameters
    return dict(schema)


def nowhere(meta: Mapping[str, Any]) -> Desk:
    """Stands in for desks: nothing is called here."""
    raise AssertionError("a form calls no tool")


def field_of(name: str, schema: Json, arguments: Mapping[str, Any], required: bool) -> Field:
    """The field of one parameter."""
    value = arguments.get(name)
    plain = plain_schema(schema)
    choices = tuple(str(one) for one in plain.get("enum", ()))
    kind = kind_of(name, plain, value)
    return Field(name, kind, value, required, choices)


def plain_schema(schema: Json) -> Json:
    """What a parameter is where it is given: the schema without `null`."""
    others = [one for one in schema.get("anyOf", []) if one.get("type") != "null"]
    return others[0] if len(others) == 1 else schema


def kind_of(name: str, schema: Json, value: Any) -> Kind:
    """How to ask; a value that is not what it should be is asked for as JSON, to the letter."""
    type_ = schema.get("type")
    if type_ == "boolean" and isinstance(value, bool | None):
        return Kind.YES_NO
    if type_ in ("integer", "number") and isinstance(value, int | float | None):
        return Kind.NUMBER
    if type_ == "array" and schema.get("items", {}).get("type") == "string" and strings(value or []):
        return Kind.LINES
    if type_ != "string" or not isinstance(value, str | None):
        return Kind.JSON
    if "enum" in schema:
        return Kind.CHOICE if value is None or value in schema["enum"] else Kind.TEXT
    if name.endswith("_time") and (value is None or local_moment(value)):
        return Kind.MOMENT
    return Kind.LONG if name in PROSE or len(value or "") > LONG or "\n" in (value or "") else Kind.TEXT


def strings(value: Any) -> bool:
    """Whether it is a list of texts of one line each."""
    return isinstance(value, list) and all(isinstance(one, str) and "\n" not in one for one in value)


def local_moment(text: str) -> datetime | None:
    """A date with a time and without an offset; None where the text is anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is None and "T" in text else None
