"""The tool server on its own, for any MCP client: `python -m core.mcp_server --tools gmail calendar`."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from zoneinfo import ZoneInfo

from core.errors import GlassdeskError
from core.google.workspace import Workspace, open_workspace
from core.mcp_server.server import ToolServer, build_server
from core.mcp_server.web import serve_http
from core.registry.manifests import load_catalogue
from core.sandbox.sandbox import Sandbox
from core.settings import Settings, load_settings
from core.store.engine import open_database
from core.users import SANDBOX_ACCOUNTS, local_user

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
    found = ArgumentParser(
        "python -m core.mcp_server",
        description="Glassdesk's Workspace tools over MCP, for any MCP client.",
        epilog="A client's writes are made at once, without this app's approval cards; --read-only offers none.",
    )
    found.add_argument(
        "--tools",
        nargs="+",
        choices=domains,
        default=domains,
        metavar="SERVICE",
        help=f"some of: {', '.join(domains)}; default: all",
    )
    found.add_argument("--read-only", action="store_true", help="leave out the tools that change anything")
    found.add_argument(
        "--account",
        nargs="+",
        default=[],
        metavar="ADDRESS",
        help="Google accounts that may act; the first one where a request names none; default: the app's default one",
    )
    found.add_argument(
        "--transport", choices=["stdio", "streamable-http"], default="stdio", help="default: %(default)s"
    )
    found.add_argument("--port", type=port, default=8765, help="of http://127.0.0.1:…/mcp; default: %(default)s")
    found.add_argument("--trace", action="store_true", help="record spans in telemetry.db, in the caller's traces")
    return found


def port(text: str) -> int:
    """A port's number; 0 is any free one."""
    if not text.isdigit() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is no number from 0 to 65535")
    return int(text)


def serve(options: Namespace) -> int:
    """Build the server and run it; whatever prints while it is built must not reach the protocol's stream."""
    with redirect_stdout(sys.stderr):
        settings = load_settings()
        sandbox = Sandbox(settings.sandbox_db, settings.zone, accounts=SANDBOX_ACCOUNTS)
        workspace = open_workspace(settings, load_catalogue(), open_database(settings.app_url), sandbox)
        flush, close = recorder(settings) if options.trace else (None, sandbox.close)
        server = server_of(options, settings, workspace, flush)
    try:
        if options.transport == "stdio":
            server.run("stdio")
        else:
            serve_http(server, options.port, settings.api_token.get_secret_value())
    except KeyboardInterrupt:
        pass
    finally:
        close()
    return 0


def server_of(
    options: Namespace, settings: Settings, workspace: Workspace, flush: Callable[[], object] | None
) -> ToolServer:
    """The server that the options ask for. Over stdio, only who started it can speak to it, and is believed."""
    accounts = options.account or [workspace.accounts.acting(local_user(settings))]
    return build_server(
        load_catalogue(),
        options.tools,
        workspace.clients,
        account=accounts[0],
        accounts=None if options.transport == "stdio" else frozenset(accounts),
        zone=ZoneInfo(settings.zone),
        downloads=settings.downloads,
        uploads=settings.uploads,
        read_only=options.read_only or settings.read_only,
        flush=flush,
        permits=workspace.accounts.require,
    )


def recorder(settings: Settings) -> tuple[Callable[[], object], Callable[[], object]]:
    """Spans go into the app's store; how to flush them, and how to end."""
    from telemetry.setup import install  # it takes seconds to import, and most clients do not want it

    telemetry = install(
        settings.telemetry_url, capture=settings.capture.value, mark_interrupted=False, folder=settings.data_dir
    )
    return lambda: telemetry.flush(FLUSH_TIMEOUT), telemetry.shutdown


if __name__ == "__main__":
    sys.exit(main())
