"""A tool call up to its first write: everything is read and checked as in earnest, and nothing is changed."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from googleapiclient.http import HttpRequest
from pydantic import ConfigDict, validate_call

from core.google.clients import Google, is_read
from core.mcp_server.desk import Desk
from core.mcp_server.guard import ToolFunction

Json = dict[str, Any]


class Reached(Exception):
    """The call has come to its first write."""

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request.methodId)
        self.request = request


class RehearsingGoogle(Google):
    """An account's Google that can be read and not written; it remembers the last thing that was read."""

    def __init__(self, google: Google) -> None:
        super().__init__(google.account, google._clients, google._transports, google._patience, google.user_id)
        self.read: Json = {}

    def execute(self, request: HttpRequest) -> Json:
        """Send a read.

        Raises:
            Reached: the request would write.
            GoogleError: as in earnest.
        """
        if not is_read(request):
            raise Reached(request)
        self.read = super().execute(request)
        return self.read


def rehearse(
    desk: Callable[[Google], Desk], google: Google, function: ToolFunction, arguments: Mapping[str, Any]
) -> tuple[Json, Json]:
    """Run a tool that sends one JSON body, up to where it would send it.

    Args:
        desk: makes the desk over a Google.

    Returns:
        What was read last, and the body; `{}` each where there is none.

    Raises:
        ValidationError: arguments do not fit the tool.
        GlassdeskError: the tool refuses them, or what they name is not there.
    """
    rehearsing = RehearsingGoogle(google)
    checked = validate_call(config=ConfigDict(arbitrary_types_allowed=True))(function)
    try:
        checked(desk(rehearsing), **arguments)
    except Reached as reached:
        return rehearsing.read, json.loads(reached.request.body) if reached.request.body else {}
    return rehearsing.read, {}
