"""Reads a JSON body, whose size the guard has limited: every wrong field is named."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from core.errors import BadInput

Body = TypeVar("Body", bound=BaseModel)


async def body(request: Request, model: type[Body]) -> Body:
    """The request's body.

    Raises:
        BadInput: names the field that is wrong.
        TooLarge: it is more than the guard lets through.
    """
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"]) or "body"
        raise BadInput(f"{field}: {problem['msg']}.") from error
