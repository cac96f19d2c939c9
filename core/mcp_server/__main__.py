"""The tool server on its own, for any MCP client: `python -m core.mcp_server --tools gmail calendar`."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from zoneinfo import ZoneInfo

from core.errors import GlassdeskError
from core.google.clients import GoogleClients
from core.mcp_server.server import build_server
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from core.settings import Settings, load_settings
from core.users import SANDBOX_ACCOUNT

FLUSH_TIMEOUT = 2.0  # seconds; an answer must not wait long for a disk that is full


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the client closes the connection; 1 where that cannot begin."""
    try:
        return serve(parser().parse_args(arguments))
    except GlassdeskError as error:
        print(error.sentence, file=sys.stderr)
        return 1


def parser() -> ArgumentParser:
    """What the command takes."""
    domains = list(load_catalogue().domains)
    found = ArgumentParser("python -m core.mcp_server", description="Glassdesk's Workspace tools over MCP.")
    found.add_argument(
        "--tools", nargs="+", choices=domains, default=domains, metavar="DOMAIN", help=", ".join(domains)
    )
    found.add_argument("--read-only", action="store_true", help="leave out the tools that change anything")
    found.add_argument("--account", default=SANDBOX_ACCOUNT, help="acts where the client names no account")
    found.add_argument("--transport", choices=["stdio", "streamable-http"], default="stdio")
    found.add_argument("--port", type=int, default=8765, help="of streamable-http, on 127.0.0.1, path /mcp")
    found.add_argument("--trace", action="store_true", help="record spans in telemetry.db, in the caller's traces")
    return found


def serve(options: Namespace) -> int:
    """Build the server and run it; whatever prints while it is built must not reach the protocol's stream."""
    with redirect_stdout(sys.stderr):
        settings = load_settings()
        sandbox = Sandbox(settings.sandbox_db, settings.zone)
        sandbox.open()
        flush, close = recorder(settings) if options.trace else (None, sandbox.close)
        server = build_server(
            load_catalogue(),
            options.tools,
            GoogleClients(sandbox.http),
            account=options.account,
            zone=ZoneInfo(settings.zone),
            downloads=settings.downloads,
            uploads=settings.uploads,
            read_only=options.read_only,
            flush=flush,
        )
    try:
        if options.transport == "stdio":
            server.run("stdio")
        else:
            server.run("streamable-http", port=options.port, stateless_http=True, json_response=True)
    except KeyboardInterrupt:
        pass
    finally:
        close()
    return 0


def recorder(settings: Settings) -> tuple[Callable[[], object], Callable[[], object]]:
    """Spans go into the app's store; how to flush them, and how to end."""
    from telemetry.setup import install  # it takes seconds to import, and most clients do not want it

    telemetry = install(settings.telemetry_db, capture=settings.capture.value, mark_interrupted=False)
    return lambda: telemetry.flush(FLUSH_TIMEOUT), telemetry.shutdown


if __name__ == "__main__":
    sys.exit(main())
