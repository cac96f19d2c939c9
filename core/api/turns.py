"""`GET /api/turns` and one turn with its phases and spans."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.api.caller import Reader, api_of_numbers
from core.errors import BadInput, NotFound
from core.runtime.asked import shown
from telemetry.contract import finished_turn, span_tree, turn_summary
from telemetry.querylang.errors import QueryError
from telemetry.querylang.line import Line
from telemetry.querylang.parser import parse
from telemetry.tables import Turn
from telemetry.traces import Ask, Traces

MOST = 200


@api_of_numbers
async def turns(request: Request, caller: Reader) -> Response:
    """Summaries, newest first: `limit`, `before` (the last id of the page before), `conversation_id`, `q`."""
    return JSONResponse({"turns": [turn_summary(turn) for turn in await asyncio.to_thread(listed, request, caller)]})


def listed(request: Request, caller: Reader) -> list[Turn]:
    """The turns that are asked for; an unknown `before` gives none.

    Raises:
        BadInput: `limit` or `q` is wrong.
    """
    query, glass, user = request.query_params, caller.services.glass, caller.user
    limit, before, conversation_id = (
        limit_of(query.get("limit", "50")),
        query.get("before"),
        query.get("conversation_id"),
    )
    line = line_of(query.get("q", ""))
    if not line.terms:
        return glass.turns(user.id, before=before, conversation_id=conversation_id, limit=limit)
    if before is not None and glass.turn(user.id, before) is None:
        return []
    ask = Ask(user.id, line, administers=user.administers, conversation_id=conversation_id)
    try:
        return Traces(caller.services.telemetry.store).page(ask, limit, before).turns
    except QueryError as error:
        raise BadInput(f"q: {error}") from error


def line_of(text: str) -> Line:
    """A query line.

    Raises:
        BadInput: says what is wrong at which character.
    """
    try:
        return parse(text)
    except QueryError as error:
        raise BadInput(f"q: {error}") from error


@api_of_numbers
async def turn(request: Request, caller: Reader) -> Response:
    """One turn."""
    return JSONResponse(await asyncio.to_thread(whole_turn, caller, request.path_params["turn_id"]))


def whole_turn(caller: Reader, turn_id: str) -> dict[str, Any]:
    """The finished turn (or what there is of a running one) and its span tree.

    Raises:
        NotFound: there is none of this id that belongs to the caller.
    """
    glass, user_id = caller.services.glass, caller.user.id
    row = glass.turn(user_id, turn_id)
    if row is None:
        raise NotFound("There is no such turn. Check its id, or look at GET /api/turns.")
    numbers = finished_turn(row, glass.llm_calls(user_id, turn_id), glass.tool_calls(user_id, turn_id))
    try:
        response: str | None = caller.services.conversations.exchange(user_id, turn_id).answer
    except NotFound:  # the conversation was deleted for good; what the turn took is kept
        response = None
    asked = [shown(one) for one in caller.services.approvals.of_turn(user_id, turn_id)]
    if numbers["status"] == "running" and any(one["state"] == "pending" for one in asked):
        numbers["status"] = "waiting_approval"
    return {**numbers, "response": response, "approvals": asked, "spans": span_tree(glass.spans(user_id, turn_id))}


def limit_of(text: str) -> int:
    """A page's size.

    Raises:
        BadInput: it is no number from 1 to 200.
    """
    if not text.isdigit() or not 1 <= int(text) <= MOST:
        raise BadInput(f"limit: a number from 1 to {MOST} is needed.")
    return int(text)


ROUTES = [Route("/api/turns", turns), Route("/api/turns/{turn_id}", turn)]
