"""A tool server for tests, over stdio or streamable HTTP. Arguments: its folder, and a port for HTTP.

Files in its folder change what it does: `die` ends it in the next call, `hang` lets a call wait, `version` is in a
tool's description, `tools` are names of further tools, a line each. `calls` lists what was called.
"""

import asyncio
import json
import os
import sys
import time
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations

FOLDER = Path(sys.argv[1])
server = MCPServer("station", instructions="Knows when trains leave, and books seats on them.", log_level="ERROR")


def there(name: str) -> bool:
    return (FOLDER / name).exists()


def noted(call: str) -> None:
    with (FOLDER / "calls").open("a") as file:
        file.write(call + "\n")
    if there("die"):
        (FOLDER / "die").unlink()
        print("the station burns, and so does sk-secret-9", file=sys.stderr, flush=True)
        os._exit(9)


def version() -> str:
    return (FOLDER / "version").read_text() if there("version") else ""


@server.tool(
    title="Departures",
    description=f"Lists when trains leave a station.{version()}",
    annotations=ToolAnnotations(read_only_hint=True),
)
async def departures(station: str) -> str:
    noted(f"departures {station}")
    await asyncio.sleep(60 if there("hang") else 0)
    return f"From {station}: 10:04 to Ulm, 10:31 to Bern."


@server.tool(title="Book a seat", description="Books a seat on a train.")
def bookSeat(train: str, seats: int = 1) -> str:
    noted(f"bookSeat {train} {seats}")
    return f"Booked {seats} on {train}."


@server.tool(description="Tells the whole timetable.", annotations=ToolAnnotations(read_only_hint=True))
def timetable(size: int) -> str:
    noted(f"timetable {size}")
    return "x" * size


@server.tool(description="Tells what it was started with.", annotations=ToolAnnotations(read_only_hint=True))
def surroundings() -> str:
    return json.dumps({"env": dict(os.environ), "cwd": str(Path.cwd()), "args": sys.argv[2:]})


def empty() -> str:
    noted("further")
    return "done"


for line in (FOLDER / "tools").read_text().splitlines() if there("tools") else ():
    tool = Tool.from_function(empty, name=json.loads(line)["name"], description=json.loads(line)["description"])
    server._tool_manager._tools[tool.name] = tool


if __name__ == "__main__":
    if there("slow"):
        time.sleep(60)
    if len(sys.argv) > 2 and sys.argv[2].isdigit():
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[2]))
    else:
        server.run("stdio")
