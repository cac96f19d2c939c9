"""`GET /api/export` and `POST /api/import`: turns as files, out and in."""

import asyncio
from dataclasses import asdict
from tempfile import SpooledTemporaryFile
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from core.api.caller import Reader, api_of_numbers
from core.api.turns import line_of
from core.errors import BadInput
from telemetry.export import WRITERS
from telemetry.imports import NotImported, import_file
from telemetry.querylang.errors import QueryError
from telemetry.traces import Ask, Traces

MEDIA_TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
IN_MEMORY = 4_000_000
"""Bytes of a file that is being sent before it goes to the disk."""


@api_of_numbers
async def export(request: Request, caller: Reader) -> Response:
    """The caller's own turns that `q` finds, of `conversation_id`, in the `format` jsonl or csv; streamed."""
    query, user, store = request.query_params, caller.user, caller.services.telemetry.store
    kind = query.get("format", "jsonl")
    if kind not in WRITERS:
        raise BadInput("format: jsonl or csv is needed.")
    ask = Ask(user.id, line_of(query.get("q", "")), conversation_id=query.get("conversation_id"))
    try:
        which = await asyncio.to_thread(Traces(store).conditions, ask)
    except QueryError as error:
        raise BadInput(f"q: {error}") from error
    named = {"Content-Disposition": f'attachment; filename="turns.{kind}"'}
    return StreamingResponse(WRITERS[kind](store, user.id, which), media_type=MEDIA_TYPES[kind], headers=named)


@api_of_numbers
async def import_(request: Request, caller: Reader) -> Response:
    """Take an export, or OTLP's JSON, as the caller's turns: how many traces and spans are new."""
    with SpooledTemporaryFile(IN_MEMORY) as file:
        async for chunk in request.stream():
            await asyncio.to_thread(file.write, chunk)
        return JSONResponse(await asyncio.to_thread(imported, file, caller))


def imported(file: Any, caller: Reader) -> dict[str, int]:
    """What became of a file.

    Raises:
        BadInput: names line and field.
    """
    telemetry = caller.services.telemetry
    try:
        return asdict(import_file(telemetry.store, telemetry.redactor, caller.user.id, file))
    except NotImported as error:
        raise BadInput(str(error)) from error


ROUTES = [Route("/api/export", export), Route("/api/import", import_, methods=["POST"])]
