"""The tools that an agent is shown in a turn, and the one by which it has its others shown."""

from collections.abc import Iterable
from typing import Any

from agents import FunctionTool, RunContextWrapper, Tool

from core.agents.context import Offers
from core.registry.display import MORE

NO_PARAMETERS = {"type": "object", "properties": {}, "additionalProperties": False}
SHOWN = "These tools can be called now: {names}."
DESCRIPTION = "Makes your other tools callable: {names}."


def offered(tools: Iterable[Tool], run_context: RunContextWrapper[Any]) -> list[Tool]:
    """Those of an agent's tools that are shown in its turn; where some are hidden, also the way to them."""
    offers = getattr(run_context.context, "offers", None)
    known = list(tools)
    if not isinstance(offers, Offers):
        return known
    shown = [tool for tool in known if offers.shows(tool.name)]
    hidden = offers.later(frozenset(tool.name for tool in known))
    return [*shown, more_tools(hidden)] if hidden else shown


def more_tools(hidden: frozenset[str]) -> FunctionTool:
    """The tool by which an agent has its hidden tools shown, from its next model call on."""
    names = ", ".join(sorted(hidden))

    async def show(context: RunContextWrapper[Any], _: str) -> str:
        context.context.offers.show(hidden)
        return SHOWN.format(names=names)

    return FunctionTool(
        name=MORE,
        description=DESCRIPTION.format(names=names),
        params_json_schema=NO_PARAMETERS,
        on_invoke_tool=show,
        strict_json_schema=False,
    )
