"""Connections to servers of others: real ones, over stdio and HTTP, that die, hang, say too much or lead elsewhere."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from core.servers.link import Link, Patience, ServerFailed
from core.servers.pipe import Pipe
from core.servers.results import LONGEST, shaped
from core.servers.web import LARGEST, Web
from tests.servers.depot import calls, command, over_http

PATIENCE = Patience(connect=20, call=1)
BERN = {"station": "Bern"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("station")


@pytest.fixture(scope="module")
def url(folder) -> Iterator[str]:
    with over_http(folder) as found:
        yield found


def piped(folder, patience=PATIENCE, longest=2**20, **env):
    address = command(folder, **env)
    secrets = tuple(env.values())
    return Link("Trains", lambda: Pipe([address.command, *address.args], env, longest), "pipe", patience, secrets)


def reached(url, headers=None, public_only=False):
    return Link("Trains", lambda: Web(url, headers or {}, public_only), "tcp", PATIENCE)


async def fails(link, tool="departures", arguments=BERN):
    with pytest.raises(ServerFailed) as caught:
        await link.call(tool, arguments)
    return caught.value


async def test_over_stdio_it_lives_through_all_that_can_happen(folder):
    """One start for many cases: each costs a second."""
    link = piped(folder, KEY="sk-secret-9")
    try:
        listing = await link.list()
        assert [tool.name for tool in listing.tools] == ["departures", "bookSeat", "timetable", "surroundings"]
        assert listing.instructions == "Knows when trains leave, and books seats on them."

        known = json.loads((await link.call("surroundings", {})).content[0].text)
        assert {"KEY"} == known["env"].keys() - {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LC_CTYPE"}
        assert "glassdesk-server-" in known["cwd"]

        result = shaped(await link.call("timetable", {"size": 400_000}))
        assert result.content[0].text.endswith("[Cut: 350,000 of 400,000 characters are left out.]")

        answers = await asyncio.gather(*(link.call("departures", {"station": str(one)}) for one in range(20)))
        assert [answer.content[0].text[:7] for answer in answers][10] == "From 10"

        (folder / "hang").touch()
        hanging = await fails(link)
        assert hanging.sentence == "Trains: It did not answer in time." and hanging.unsure and not hanging.lost
        (folder / "hang").unlink()
        assert not (await link.call("departures", BERN)).is_error

        huge = await fails(link, "timetable", {"size": 2_000_000})
        assert huge.sentence == "Trains: It sent a message of more than 1 MB." and huge.lost

        (folder / "die").touch()
        dead = await fails(link)
        assert dead.unsure and dead.lost
        assert dead.sentence.startswith("Trains: It ended in the middle. Its last words: “the station burns")
        assert "sk-secret-9" not in dead.sentence
        assert not (await link.call("departures", BERN)).is_error

        unknown = await link.call("nothing_such", {})
        assert unknown.is_error
    finally:
        await link.close()


async def test_a_command_that_is_not_there_or_says_nothing_is_a_sentence(folder):
    gone = Link("Trains", lambda: Pipe(["no-such-command"], {}), "pipe", PATIENCE)
    with pytest.raises(ServerFailed, match="The command no-such-command is not on this machine"):
        await gone.list()
    mute = Link("Trains", lambda: Pipe(["sleep", "60"], {}), "pipe", Patience(connect=0.3))
    with pytest.raises(ServerFailed, match="It did not answer in time"):
        await mute.list()
    noisy = Link("Trains", lambda: Pipe(["echo", "hello, I am no server"], {}), "pipe", Patience(connect=5))
    with pytest.raises(ServerFailed, match="It ended in the middle"):
        await noisy.list()


async def test_nothing_is_left_behind_of_a_command(tmp_path):
    shell = f"sleep 600 & echo $! > {tmp_path}/child; wait"
    link = Link("Trains", lambda: Pipe(["sh", "-c", shell], {}), "pipe", Patience(connect=0.5))
    with pytest.raises(ServerFailed):
        await link.list()
    child = int((tmp_path / "child").read_text())
    for _ in range(200):
        if not alive(child):
            break
        await asyncio.sleep(0.02)
    assert not alive(child)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_over_http_it_is_reached_and_kept(url, folder):
    link = reached(url, {"Authorization": "Bearer sk-1"})
    try:
        assert len((await link.list()).tools) == 4
        assert (await link.call("departures", BERN)).content[0].text.startswith("From Bern")
        huge = await fails(link, "timetable", {"size": LARGEST})
        assert "more than 4 MB" in huge.sentence or "as it should" in huge.sentence
        assert (await link.call("departures", BERN)).content[0].text.startswith("From Bern")
    finally:
        await link.close()
    assert "departures Bern" in calls(folder)


async def test_a_server_at_a_name_of_the_apps_own_network_is_refused_to_who_is_no_administrator(url):
    with pytest.raises(ServerFailed, match="only an administrator may add servers"):
        await reached(url, public_only=True).list()


@contextmanager
def answering(status: int, headers: dict[str, str], body: bytes = b"") -> Iterator[tuple[str, list[str]]]:
    """A web server that gives everybody the same answer, and notes who asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(str(self.headers.get("Authorization")))
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_DELETE = do_POST

        def log_message(self, *_: object) -> None:
            """Be quiet."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", asked
    finally:
        server.shutdown()
        server.server_close()


async def test_a_redirect_to_another_host_is_not_followed_and_no_key_goes_there():
    with answering(200, {}) as (elsewhere, asked), answering(307, {"Location": elsewhere}) as (url, _):
        with pytest.raises(ServerFailed, match="It sends on to another address, which is not followed"):
            await reached(url, {"Authorization": "Bearer sk-1"}).list()
        assert asked == []


@pytest.mark.parametrize(
    ("status", "headers", "body", "sentence"),
    [
        (401, {}, b"", "It asks for a key"),
        (404, {}, b"", "There is nothing at this address"),
        (200, {"Content-Type": "text/html"}, b"<h1>Hello</h1>", "Trains cannot be reached"),
        (200, {"Content-Type": "application/json"}, b"{" * 500, "Trains cannot be reached"),
        (200, {"Content-Type": "application/json", "Content-Encoding": "gzip"}, b"x", "a compressed answer"),
        (200, {"Content-Type": "application/json"}, b" " * (LARGEST + 1), "more than 4 MB"),
    ],
)
async def test_what_is_no_server_is_a_sentence(status, headers, body, sentence):
    with answering(status, headers, body) as (url, _), pytest.raises(ServerFailed) as caught:
        await reached(url).list()
    assert sentence in caught.value.sentence


async def test_where_nothing_answers_it_says_so():
    with pytest.raises(ServerFailed, match="Nothing answers at its address"):
        await reached("http://127.0.0.1:9/mcp").list()


def test_what_is_no_text_is_named_and_not_passed_on():
    from mcp_types import CallToolResult, ImageContent, TextContent

    image = ImageContent(type="image", data="AAAA", mime_type="image/png")
    words = TextContent(type="text", text="a\u202eb")
    result = shaped(CallToolResult(content=[image, words], structured_content={"x": 1}))
    assert result.content[0].text == "[image, which is not shown here]\nab" and result.structured_content is None
    assert (
        len(shaped(CallToolResult(content=[TextContent(type="text", text="y" * 10**6)])).content[0].text) < LONGEST + 99
    )
