"""Reads a JSON body: not too large, and every wrong field is named."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from core.errors import BadInput

MAX_BODY = 1_000_000
"""Bytes."""
Body = TypeVar("Body", bound=BaseModel)


async def body(request: Request, model: type[Body]) -> Body:
    """The request's body.

    Raises:
        BadInput: names the field that is wrong.
    """
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_BODY:
            raise BadInput(f"The body is larger than {MAX_BODY:,} bytes. Send a shorter message.")
    try:
        return model.model_validate_json(bytes(content))
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"]) or "body"
        raise BadInput(f"{field}: {problem['msg']}.") from error
