"""Which names this app is called by, so that no other name and no other site gets in."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.types import Scope

LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses to bind to that are nobody's name."""
HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(?P<port>\d{1,5}))?", re.IGNORECASE)
SCHEME_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Names:
    """The host names under which the app may be called.

    Attributes:
        hosts: lower case.
        public: scheme, host and port of the address that people open; empty where there is none but the local one.
    """

    hosts: frozenset[str] = LOCAL_NAMES
    public: str = ""

    def knows_host(self, header: str, local: bool) -> bool:
        """Whether a Host header names this app; `local`: only as this machine itself does."""
        name, _ = split(header)
        return name in (LOCAL_NAMES if local else self.hosts)

    def knows_origin(self, origin: str, host: str, local: bool) -> bool:
        """Whether an Origin header is this app's own: one of its names, and the port that was called."""
        scheme, _, rest = origin.lower().partition("://")
        if scheme not in SCHEME_PORTS:
            return False
        if not local and f"{scheme}://{rest}" == self.public:
            return True
        (name, port), (_, called) = split(rest), split(host)
        return name in (LOCAL_NAMES if local else self.hosts) and port == called


def names_of(public_url: str, address: str) -> Names:
    """The names of this app.

    Args:
        public_url: where people open it; empty: nowhere but here.
        address: to which it is bound.
    """
    hosts = set(LOCAL_NAMES)
    if address.lower() not in EVERYWHERE:
        hosts.add(address.lower().strip("[]"))
    url = urlsplit(public_url)
    if not url.hostname:
        return Names(frozenset(hosts))
    hosts.add(url.hostname.lower())
    port = "" if url.port is None or str(url.port) == SCHEME_PORTS.get(url.scheme) else f":{url.port}"
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return Names(frozenset(hosts), f"{url.scheme}://{host}{port}".lower())


def split(header: str) -> tuple[str, str]:
    """Name and port of a Host header; both empty where it is none."""
    found = HOST.fullmatch(header)
    if found is None:
        return "", ""
    return found["name"].lower().strip("[]"), found["port"] or ""


def header(scope: Scope, name: bytes) -> str | None:
    """The value of a header, None where it is missing; one that comes twice is nobody's."""
    values = [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]
    return values[0] if len(values) == 1 else "," if values else None


def is_loopback(address: str) -> bool:
    """Whether an IP address is this machine's own."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return bool((getattr(found, "ipv4_mapped", None) or found).is_loopback)
