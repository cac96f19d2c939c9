"""Content that a tool was told to take from elsewhere: files of the account's own folder, and public web addresses."""

import http.client
import ipaddress
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from core.mcp_server.desk import BadArgument, Desk

LARGEST = 25 * 1024 * 1024
HOPS = 4
SECONDS = 15.0
REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Taken:
    """Content, what the source says of its type (empty: nothing), and its name there."""

    data: bytes
    mime_type: str
    name: str


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the internet, and not to this machine or its network."""
    ip = ipaddress.ip_address(address)
    mapped = getattr(ip, "ipv4_mapped", None)
    return (mapped or ip).is_global and not ip.is_multicast


def from_url(desk: Desk, url: str, argument: str = "fileUrl", allowed: Callable[[str], bool] = is_public) -> Taken:
    """What an address holds: `http`, `https`, or `file` within the account's own folder.

    Args:
        argument: the tool's name for it, for the error.
        allowed: tells which IP addresses may be asked.

    Raises:
        BadArgument: it may not be asked, or did not answer with content.
    """
    for _ in range(HOPS):
        parts = urlsplit(url)
        if parts.scheme == "file":
            return from_path(desk, unquote(parts.path), argument)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadArgument(argument, "give an address that begins with https://, http:// or file://.")
        found = asked(url, argument, allowed)
        if isinstance(found, Taken):
            return found
        url = urljoin(url, found)
        if urlsplit(url).scheme == "file":
            break
    raise BadArgument(argument, "the address leads on and on without content.")


def asked(url: str, argument: str, allowed: Callable[[str], bool]) -> Taken | str:
    """The content of a web address, or the address that it leads to."""
    parts = urlsplit(url)
    connection = connected(url, argument, allowed)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("GET", path, headers={"User-Agent": "Glassdesk", "Accept-Encoding": "identity"})
        answer = connection.getresponse()
        if answer.status in REDIRECTS and answer.getheader("Location"):
            return str(answer.getheader("Location"))
        if answer.status != 200:
            raise BadArgument(argument, f"{parts.hostname} answered {answer.status}, not with the file.")
        data = answer.read(LARGEST + 1)
    except (OSError, http.client.HTTPException) as error:
        raise BadArgument(argument, f"{parts.hostname} did not answer. Check the address.") from error
    finally:
        connection.close()
    if len(data) > LARGEST:
        raise BadArgument(argument, f"the file is larger than {LARGEST // 1024**2} MB.")
    return Taken(data, answer.getheader("Content-Type", "").split(";")[0].strip(), Path(unquote(parts.path)).name)


def connected(url: str, argument: str, allowed: Callable[[str], bool]) -> http.client.HTTPConnection:
    """A connection to exactly the IP address that was checked, whatever the name says a moment later."""
    parts = urlsplit(url)
    host, secure = str(parts.hostname), parts.scheme == "https"
    try:
        port = parts.port or (443 if secure else 80)
        found = [str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, ValueError) as error:
        raise BadArgument(argument, f"there is no {host}. Check the address.") from error
    if not found or not all(map(allowed, found)):
        raise BadArgument(argument, f"{host} is not on the public internet, so it is not asked.")
    made: http.client.HTTPConnection = (
        http.client.HTTPSConnection(host, port, timeout=SECONDS, context=ssl.create_default_context())
        if secure
        else http.client.HTTPConnection(host, port, timeout=SECONDS)
    )

    def connect(*_: object, **__: object) -> socket.socket:
        return socket.create_connection((found[0], port), SECONDS)

    made._create_connection = connect  # type: ignore[attr-defined]
    return made


def from_path(desk: Desk, path: str, argument: str = "file_path") -> Taken:
    """A file of the account's own folder, where downloads are put; a name alone is meant there.

    Raises:
        BadArgument: there is none, or it lies elsewhere.
    """
    folder = desk.downloads.resolve()
    place = (folder / Path(path).expanduser()).resolve()
    if not place.is_relative_to(folder):
        raise BadArgument(argument, f"files are taken only from {folder}; put it there first.")
    if not place.is_file():
        raise BadArgument(argument, f"there is no file {Path(path).name} in {folder}.")
    if place.stat().st_size > LARGEST:
        raise BadArgument(argument, f"the file is larger than {LARGEST // 1024**2} MB.")
    return Taken(place.read_bytes(), "", place.name)
