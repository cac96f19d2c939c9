"""What an outside server says of its tools, made fit to use: names made ours, texts cleaned, schemas checked."""

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from jsonschema import SchemaError
from jsonschema.validators import validator_for
from mcp_types import Tool, ToolAnnotations

MOST_TOOLS = 128
SEPARATOR = "__"
"""Between a server's name and its tool's; none of the app's own tools has it."""
NAME_LENGTH, TITLE_LENGTH, TEXT_LENGTH, PARAMETER_LENGTH = 36, 60, 1000, 400
SCHEMA_LENGTH, SCHEMA_DEPTH = 16_000, 12
PARAMETER = re.compile(r"[A-Za-z0-9_.-]{1,64}")
"""What model providers take as a parameter's name."""
DROPPED = frozenset({"title", "examples", "$comment", "$schema", "$id"})
"""Parts of a schema that a model needs not."""
CUT = "…"


class Unfit(ValueError):
    """A tool cannot be used; says why, as the end of a sentence."""


@dataclass(frozen=True)
class Definition:
    """A tool of an outside server.

    Attributes:
        original: its name there.
        name: its name here, unique among the person's tools.
        title, description: cleaned; the server's words all the same.
        schema: of its parameters.
        claims: what the server says of it (`reads`, `destructive`, `idempotent`); None where it says nothing.
        digest: of all that the server said of it; another one is another tool.
    """

    original: str
    name: str
    title: str
    description: str
    schema: dict[str, Any]
    claims: dict[str, bool | None]
    digest: str

    def json(self) -> dict[str, Any]:
        """As JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Found:
    """The tools of a server; `left_out`: a tool's name → why it is not used."""

    tools: tuple[Definition, ...]
    left_out: Mapping[str, str]


def found_in(listed: Sequence[Tool], slug: str) -> Found:
    """What can be used of a list of tools.

    Args:
        slug: the server's name here; the tools' names begin with it.
    """
    known = {tool.name: tool for tool in reversed(listed[:MOST_TOOLS])}
    names = named(known, slug)
    tools, left_out = [], {}
    for original in reversed(known):
        try:
            tools.append(definition(known[original], names[original]))
        except Unfit as problem:
            left_out[clean(original, TITLE_LENGTH)] = str(problem)
    for tool in listed[MOST_TOOLS:]:
        left_out[clean(tool.name, TITLE_LENGTH)] = f"the server has more than {MOST_TOOLS} tools"
    return Found(tuple(tools), left_out)


def named(originals: Iterable[str], slug: str) -> dict[str, str]:
    """Original name → name here; those that would be the same, or are cut, all end with what tells them apart.

    So a name never comes to mean another tool: where a second one wants it, nobody has it.
    """
    plain = {original: plain_name(original) for original in originals}
    wanted = Counter(name[:NAME_LENGTH] for name in plain.values())
    return {
        original: f"{slug}{SEPARATOR}{name}"
        if wanted[name[:NAME_LENGTH]] == 1 and len(name) <= NAME_LENGTH
        else f"{slug}{SEPARATOR}{name[:NAME_LENGTH]}_{digest_of(original)[:6]}"
        for original, name in plain.items()
    }


def plain_name(text: str) -> str:
    """A name of lower-case letters, digits and single underscores; `searchDocs` becomes `search_docs`."""
    ascii_ = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", ascii_)
    return re.sub(r"[^a-z0-9]+", "_", parts.lower()).strip("_") or "tool"


def definition(tool: Tool, name: str) -> Definition:
    """One tool.

    Raises:
        Unfit: its parameters are not described as they must be.
    """
    claims = tool.annotations or ToolAnnotations()
    title = clean(tool.title or claims.title or "", TITLE_LENGTH) or clean(tool.name, TITLE_LENGTH) or name
    return Definition(
        original=tool.name,
        name=name,
        title=title,
        description=clean(tool.description or "", TEXT_LENGTH) or title,
        schema=checked_schema(tool.input_schema),
        claims={
            "reads": claims.read_only_hint,
            "destructive": claims.destructive_hint,
            "idempotent": claims.idempotent_hint,
        },
        digest=digest_of(tool.model_dump(mode="json", by_alias=True, exclude={"meta", "icons"}, exclude_none=True)),
    )


def clean(text: str, length: int) -> str:
    """Text on one line without characters that nobody sees, at most so many characters long."""
    seen = "".join(" " if char.isspace() else char for char in text[: 4 * length] if visible(char))
    line = " ".join(seen.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + CUT


def visible(char: str) -> bool:
    """Whether a character shows, or is white space: no marks of direction, no joiners, no letters for machines only."""
    return char.isspace() or not unicodedata.category(char).startswith("C")


def checked_schema(raw: Any) -> dict[str, Any]:
    """A schema of parameters, its texts cleaned.

    Raises:
        Unfit: it is none, or too large, or refers to elsewhere.
    """
    try:
        text = json.dumps(raw)
    except (TypeError, ValueError, RecursionError) as error:
        raise Unfit("its parameters are not described in JSON") from error
    if len(text) > SCHEMA_LENGTH:
        raise Unfit(f"the description of its parameters is longer than {SCHEMA_LENGTH:,} characters")
    if not isinstance(raw, dict) or raw.get("type", "object") != "object":
        raise Unfit("its parameters are not described as an object")
    schema = {"properties": {}, **cleaned_schema(raw, 0), "type": "object"}
    if not all(PARAMETER.fullmatch(name) for name in schema["properties"]):
        raise Unfit("a parameter has a name that models do not take")
    try:
        validator_for(schema).check_schema(schema)
    except (SchemaError, RecursionError) as error:
        raise Unfit("the description of its parameters is no JSON Schema") from error
    return schema


def cleaned_schema(part: Any, depth: int, named: bool = False) -> Any:
    """A part of a schema; `named`: its keys are names of parameters, and not words of JSON Schema."""
    if depth > SCHEMA_DEPTH:
        raise Unfit("its parameters are nested too deeply")
    if isinstance(part, list):
        return [cleaned_schema(one, depth + 1) for one in part]
    if not isinstance(part, dict):
        return part
    kept = part if named else {key: value for key, value in part.items() if key not in DROPPED}
    return {key: cleaned_value(key, value, depth, named) for key, value in kept.items()}


def cleaned_value(key: str, value: Any, depth: int, named: bool) -> Any:
    """What a schema has under a key."""
    if not named and key == "description":
        return clean(str(value), PARAMETER_LENGTH)
    if not named and key in ("$ref", "$dynamicRef") and not str(value).startswith("#"):
        raise Unfit("its parameters are described elsewhere")
    return cleaned_schema(value, depth + 1, not named and key in ("properties", "$defs", "definitions"))


def digest_of(value: Any) -> str:
    """The SHA-256 of a value in canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
