"""A tool server that dies in the middle of a call when a file says so. Arguments: its folder."""

import os
import sys
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

FOLDER = Path(sys.argv[1])
server = MCPServer("mortal", log_level="ERROR")


def work(name: str) -> str:
    with (FOLDER / "calls").open("a") as file:
        file.write(f"{name}\n")
    order = FOLDER / "die"
    if order.exists():
        order.unlink()
        os._exit(9)
    return f"{name} done"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def read() -> str:
    return work("read")


@server.tool()
def write() -> str:
    return work("write")


if __name__ == "__main__":
    server.run("stdio")
