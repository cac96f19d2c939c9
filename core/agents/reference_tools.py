"""The tools by which every agent refers to what was shown in the conversation; they call no service."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from agents import AgentBase, FunctionTool, RunContextWrapper, Tool
from agents.tool_context import ToolContext
from agents.tracing import get_current_span
from opentelemetry.trace import Span
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.agents.context import TurnContext
from core.agents.offline.shown import load_kinds
from core.agents.recollection import CHOICE, Recollection, Ways, by_id, meant
from core.registry.manifests import MANIFESTS, DomainManifest, load_domain
from core.registry.references import load_references
from core.registry.router import Router, nouns
from core.registry.toolcards import Schema

CONTEXT = MANIFESTS / "utilities" / "context.yaml"
SHOWN = 50
LOCAL = "glassdesk.tool.local"
"""Marks the span of a call that no tool server serves."""
NOTHING = (
    "Nothing like that was shown in this conversation. Look for it with your own tools, or ask which one is meant."
)
SEVERAL = "Several items fit. Ask which one is meant, or call again with more words."
Result = dict[str, Any]


class Arguments(BaseModel):
    """Base of all: what is not known is an error."""

    model_config = ConfigDict(extra="forbid")


class Reference(Arguments):
    """Of `resolve_reference`."""

    reference: str = Field(min_length=1, max_length=300, description="The person's words for it")
    kind: str | None = Field(default=None, description="mail, event, calendar, file, comment or slide, if known")


class ListOf(Arguments):
    """Of `get_context_list`."""

    list_id: str | None = Field(default=None, description="From get_context_state; none: the newest list")
    limit: int = Field(default=20, ge=1, le=SHOWN)


class Choice(Arguments):
    """Of `set_current_item`."""

    kind: str = Field(description="As resolve_reference or get_context_list gave it")
    item_id: str = Field(min_length=1, description="Likewise")


class Nothing(Arguments):
    """Of the others."""


def resolve_reference(known: Recollection, ways: Ways, asked: Reference) -> Result:
    """The item that is meant."""
    found = meant(known, ways, asked.reference, asked.kind)
    items = [listed.item(item) for listed, item in found.items]
    if found.status == "found":
        return {"status": found.status, "item": items[0]}
    return {"status": found.status, "candidates": items, "note": SEVERAL if items else NOTHING}


def get_context_list(known: Recollection, ways: Ways, asked: ListOf) -> Result:
    """A list that was shown."""
    lists = known.lists(ways)
    wanted = [one for one in lists if one.list_id == asked.list_id] if asked.list_id else newest(lists)
    if not wanted:
        return {"items": [], "note": f"Lists that were shown: {', '.join(one.list_id for one in lists) or 'none'}."}
    listed = wanted[0]
    items = [listed.item(item) for item in listed.shown.items[: asked.limit]]
    return {"list_id": listed.list_id, "total": len(listed.shown.items), "shown_for": listed.question, "items": items}


def newest(lists: Sequence[Any]) -> list[Any]:
    """The newest list of several items, else the newest of all."""
    several = [one for one in lists if len(one.shown.items) > 1]
    return list((several or lists)[-1:])


def set_current_item(known: Recollection, ways: Ways, asked: Choice) -> Result:
    """Choose an item; the conversation keeps the call, and with it the choice."""
    for listed in reversed(known.lists(ways)):
        if listed.shown.name == asked.kind and (item := by_id(listed, asked.item_id)):
            return {"current": listed.item(item)}
    return {"note": NOTHING}


def get_context_state(known: Recollection, ways: Ways, _: Nothing) -> Result:
    """The current item, and all lists."""
    current = known.current(ways)
    lists = [
        {
            "list_id": one.list_id,
            "kind": one.shown.name,
            "domain": one.domain,
            "tool": one.tool,
            "count": len(one.shown.items),
            "shown_for": one.question,
        }
        for one in reversed(known.lists(ways))
    ]
    return {"current": current[0].item(current[1]) if current else None, "lists": lists[:SHOWN]}


def list_active_domains(known: Recollection, ways: Ways, _: Nothing) -> Result:
    """The domains from which something was shown, the latest first."""
    lists = known.lists(ways)
    counts = Counter({one.domain: 0 for one in reversed(lists)})
    for one in lists:
        counts[one.domain] += len(one.shown.items)
    titles = {name: domain.agent.title for name, domain in ways.catalogue.domains.items()}
    return {"domains": [{"domain": name, "title": titles[name], "items": count} for name, count in counts.items()]}


DOES: dict[str, tuple[type[Arguments], Callable[..., Result]]] = {
    "resolve_reference": (Reference, resolve_reference),
    "get_context_list": (ListOf, get_context_list),
    CHOICE: (Choice, set_current_item),
    "get_context_state": (Nothing, get_context_state),
    "list_active_domains": (Nothing, list_active_domains),
}


def context_tools(ways: Callable[[], Ways], current_span: Callable[[], Span], path: Path = CONTEXT) -> list[Tool]:
    """The five tools, as their manifest describes them; shown once there is anything to refer to.

    Args:
        ways: made when first needed.
        current_span: the OpenTelemetry span of the Agents SDK's current span.
    """
    manifest = load_domain(path)
    return [made(manifest, name, ways, current_span) for name in DOES]


def context_schemas() -> dict[str, Schema]:
    """Tool → its parameters."""
    return {name: Schema(lean(arguments), None) for name, (arguments, _) in DOES.items()}


def made(
    manifest: DomainManifest, name: str, ways: Callable[[], Ways], current_span: Callable[[], Span]
) -> FunctionTool:
    """One tool."""
    described = next(tool for tool in manifest.tools if tool.name == name)
    arguments, does = DOES[name]
    return FunctionTool(
        name=name,
        description=described.description,
        params_json_schema=lean(arguments),
        on_invoke_tool=partial(called, ways, current_span, arguments, does),
        strict_json_schema=False,
        is_enabled=partial(offered, name),
    )


def lean(arguments: type[Arguments]) -> dict[str, Any]:
    """The schema without what costs tokens and says nothing."""
    schema = arguments.model_json_schema()
    properties = {
        name: {key: value for key, value in one.items() if key != "title"}
        for name, one in schema.get("properties", {}).items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


async def called(
    ways: Callable[[], Ways],
    current_span: Callable[[], Span],
    arguments: type[Arguments],
    does: Callable[..., Result],
    context: ToolContext[TurnContext],
    text: str,
) -> str:
    """Make a call; what is wrong with it is said in a sentence."""
    current_span().set_attribute(LOCAL, True)
    try:
        asked = arguments.model_validate_json(text or "{}")
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"])) or "arguments"
        return refused(f"{where}: {problem['msg']}. Call again with this corrected.")
    result = does(context.context.recollection, ways(), asked)
    context.context.succeeded.add(context.tool_call_id)
    return json.dumps(result, ensure_ascii=False)


def refused(sentence: str) -> str:
    """What is told of a call that failed; its span is marked, too."""
    span = get_current_span()
    if span is not None:
        span.set_error({"message": sentence, "data": {"error_type": "tool_error"}})
    return sentence


def offered(name: str, context: RunContextWrapper[TurnContext], _: AgentBase[Any]) -> bool:
    """Whether a tool is shown: it is not switched off, and there is anything to refer to.

    Of a parked run that is taken up again neither is known yet.
    """
    who = context.context
    return not isinstance(who, TurnContext) or (who.recollection.anything and who.offers.shows(name))


def ways_of(router: Router, catalogue: Any) -> Callable[[], Ways]:
    """How references are understood, made once."""

    @cache
    def ways() -> Ways:
        return Ways(
            catalogue, load_kinds(), load_references(nouns(catalogue)), lambda text: router.languages.gloss(text).text
        )

    return ways
