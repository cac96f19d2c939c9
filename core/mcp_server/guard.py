"""Runs a tool function for a request: at the right desk, off the event loop, and with failures as sentences."""

import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_type_hints

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import CallToolResult, TextContent
from pydantic import ValidationError

from core.errors import GlassdeskError
from core.google.errors import NOT_ALLOWED, GoogleError
from core.google.needs import CONNECT, ConnectNeeded
from core.mcp_server.desk import Desk
from core.mcp_server.meta import OUTCOME
from core.mcp_server.results import Result
from core.mcp_server.workers import Workers
from core.registry.manifests import ToolManifest

logger = logging.getLogger(__name__)
Desks = Callable[[Mapping[str, Any]], Desk]
ToolFunction = Callable[..., Result]
Permits = Callable[[str, str, ToolManifest], object]
"""Raises what keeps a user's account from a tool; may block."""
CONTEXT = "context"
BROKEN = "A fault in this app ended the call in the middle. Whether the change was made is unknown: check first."


def guarded(
    function: ToolFunction, desks: Desks, manifest: ToolManifest, service: str, workers: Workers, permits: Permits
) -> Callable[..., Any]:
    """The function as the server registers it: without its desk, with the request's context.

    Args:
        desks: finds the desk of a request from its `_meta`.
        manifest: of the tool; a read may be left behind when the caller gives up, a write is waited for.
        service: whose tool it is.
        workers: run it.
        permits: lets an account pass.
    """
    reads = manifest.reads

    def serve(desk: Desk, arguments: Mapping[str, Any]) -> CallToolResult:
        permits(desk.google.user_id, desk.google.account, manifest)
        return answer(function(desk, **arguments))

    async def run(**arguments: Any) -> CallToolResult:
        context: Context[Any, Any] = arguments.pop(CONTEXT)
        try:
            desk = desks(context.request_context.meta or {})
            return await workers.run(lambda: serve(desk, arguments), abandon=reads)
        except ConnectNeeded as error:
            return offered(error if error.service else error.about(service, not reads))
        except GoogleError as error:
            if error.outcome_unknown:
                return unknown(error.sentence)
            if error.status == 401 or error.reason in ("signIn", *NOT_ALLOWED):
                return offered(ConnectNeeded(error.sentence, desk.google.account, service, not reads))
            raise ToolError(error.sentence) from error
        except GlassdeskError as error:
            raise ToolError(error.sentence) from error
        except Exception:
            if reads:
                raise
            logger.exception("the tool %s failed unexpectedly", function.__name__)
            return unknown(BROKEN)

    run.__name__, run.__doc__ = function.__name__, function.__doc__
    run.__signature__, run.__annotations__ = outside(function)  # type: ignore[attr-defined]
    return run


def outside(function: ToolFunction) -> tuple[inspect.Signature, dict[str, Any]]:
    """The signature that the SDK reads: the desk's place is taken by the request's context."""
    hints = get_type_hints(function, include_extras=True)
    returned = Annotated[CallToolResult, hints.pop("return")]
    first, *others = inspect.signature(function).parameters.values()
    hints.pop(first.name)
    kept = [parameter.replace(annotation=hints[parameter.name]) for parameter in others]
    context = inspect.Parameter(CONTEXT, inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    signature = inspect.Signature([*kept, context], return_annotation=returned)
    return signature, {**hints, CONTEXT: Context, "return": returned}


def answer(result: Result) -> CallToolResult:
    """A result twice: structured for programs, and as compact JSON for the model."""
    text = TextContent(type="text", text=result.model_dump_json())
    return CallToolResult(content=[text], structured_content=result.model_dump(mode="json"))


def offered(error: ConnectNeeded) -> CallToolResult:
    """A failure for want of a connection: programs hear what to connect."""
    text = TextContent(type="text", text=error.sentence)
    return CallToolResult(content=[text], is_error=True, _meta={CONNECT: error.offer()})


def anybody(user_id: str, account: str, manifest: ToolManifest) -> None:
    """Let every account pass: what it may not do, Google says."""


def unknown(sentence: str) -> CallToolResult:
    """A change that may have been made: a failure that says so to programs too."""
    text = TextContent(type="text", text=sentence)
    return CallToolResult(content=[text], is_error=True, _meta={OUTCOME: "unknown"})


def fitting(name: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without nulls, which models send for what they leave out.

    Raises:
        ToolError: names a parameter that the tool does not have.
    """
    known = schema.get("properties", {})
    unknown = [one for one in arguments if one not in known]
    if unknown:
        takes = ", ".join(known) or "no parameters"
        raise ToolError(f"{name} has no parameter {', '.join(unknown)}; it takes {takes}.")
    return {key: value for key, value in arguments.items() if value is not None}


def said(name: str, error: ToolError) -> ToolError:
    """A tool's failure in words for the model.

    Args:
        error: what the SDK made of it: it puts its own words before the sentence.
    """
    cause = error.__cause__
    if isinstance(cause, ValidationError):
        return ToolError(f"The arguments of {name} are wrong: {'; '.join(map(problem, cause.errors()))}.")
    if isinstance(error, UnexpectedToolError):
        logger.error("the tool %s failed unexpectedly", name, exc_info=cause)
        return ToolError(f"{name} failed because of a fault in this app. Try another way, or tell the person.")
    return cause if isinstance(cause, ToolError) else error


def problem(detail: Mapping[str, Any]) -> str:
    """One wrong argument."""
    place = ".".join(str(part) for part in detail["loc"])
    return f"{place}: {detail['msg'][:1].lower()}{detail['msg'][1:]}"
