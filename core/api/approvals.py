"""`POST /api/approvals/{approval_id}`: a person's decision about a write."""

import asyncio
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.api.body import body
from core.api.caller import Caller, api
from core.runtime.asked import shown


class DecisionRequest(BaseModel):
    """The body: `arguments` replace what the model proposed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    decision: Literal["approve", "reject"]
    arguments: dict[str, Any] | None = None
    reason: str | None = None


@api
async def decide(request: Request, caller: Caller) -> Response:
    """Take the decision; with the last one of a turn, the turn goes on."""
    said = await body(request, DecisionRequest)
    row = await asyncio.to_thread(
        caller.services.runtime.decide,
        caller.user,
        request.path_params["approval_id"],
        said.decision,
        said.arguments,
        said.reason,
    )
    return JSONResponse(shown(row))


ROUTES = [Route("/api/approvals/{approval_id}", decide, methods=["POST"])]
