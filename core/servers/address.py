"""Where an outside server is: an address or a command, checked against what the operator allows."""

import ipaddress
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import httpx2

from core.errors import BadInput, NotAllowed

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
MOST_PARTS, PART_LENGTH = 50, 2000
HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
OWN_HEADERS = frozenset({"host", "content-length", "content-type", "transfer-encoding", "connection", "accept"})
UNSAFE = re.compile(
    r"PATH|HOME|SHELL|IFS|ENV|BASH_ENV|SSL_.*|LD_.*|DYLD_.*|PYTHON.*|NODE_.*|NPM_.*|UV_.*|PIP_.*|DENO_.*|BUN_.*"
    r"|PERL.*|RUBY.*|JAVA_.*|_JAVA.*|GIT_.*|DOCKER_.*|GLASSDESK_.*",
    re.IGNORECASE,
)
"""Variables that change what a command runs, not what it is told."""
INLINE = re.compile(r"-[ce].*|--(?:call|eval|exec|command|print|require|import)(?:=.*)?")
"""Options by which a command runs code from its own command line."""
Kind = Literal["http", "stdio"]


@dataclass(frozen=True)
class Address:
    """An address (`url`, `headers`) or a command (`command`, `args`, `env`); what is in it may be secret."""

    kind: Kind
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    env: Mapping[str, str] = field(default_factory=dict, repr=False)

    def json(self) -> str:
        """As JSON, to be sealed."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def of(cls, text: str) -> "Address":
        """From JSON."""
        known: dict[str, Any] = json.loads(text)
        return cls(**{**known, "args": tuple(known["args"])})

    @property
    def shown(self) -> str:
        """What may be seen of it: the host, or the command up to the program that it starts."""
        if self.kind == "http":
            url = httpx2.URL(self.url)
            return f"{url.scheme}://{url.netloc.decode('ascii')}"
        first = next((at for at, arg in enumerate(self.args) if not arg.startswith("-")), len(self.args) - 1)
        rest = " …" if first + 1 < len(self.args) else ""
        return shlex.join([self.command, *self.args[: first + 1]]) + rest

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be said to anybody."""
        path = httpx2.URL(self.url).raw_path.decode("ascii") if self.url else ""
        return tuple(value for value in (*self.headers.values(), *self.env.values(), path) if len(value) > 4)


@dataclass(frozen=True)
class Rules:
    """What the operator allows.

    Attributes:
        commands: beginnings of commands, each with the arguments that belong to it; none: no commands at all.
    """

    commands: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def of(cls, setting: str) -> "Rules":
        """From the setting: `npx, uvx mcp-server-time`."""
        return cls(tuple(tuple(entry.split()) for entry in setting.split(",") if entry.strip()))

    def commands_for(self, administers: bool) -> tuple[tuple[str, ...], ...]:
        """Those that a person may use: without the program to run, one runs anything, and is for administrators."""
        return tuple(entry for entry in self.commands if administers or any(arg[0] != "-" for arg in entry[1:]))

    def check(self, address: Address, administers: bool) -> None:
        """Refuse what is not allowed.

        Raises:
            BadInput: it is not as it must be.
            NotAllowed: the person, or anybody, may not add it.
        """
        if address.kind == "http":
            self._check_url(address, administers)
        else:
            self._check_command(address, administers)

    def _check_url(self, address: Address, administers: bool) -> None:
        try:
            url = httpx2.URL(address.url)
        except (httpx2.InvalidURL, TypeError, UnicodeError) as error:
            raise BadInput("This is no address. Give one such as https://mcp.example.com/mcp.") from error
        if not url.host or (url.scheme != "https" and not (url.scheme == "http" and url.host in LOOPBACK)):
            raise BadInput("The address must begin with https://; http:// is for servers on this machine alone.")
        if url.userinfo or url.fragment:
            raise BadInput("Take the name and password out of the address, and put them into a header.")
        if not administers and private(url.host):
            raise NotAllowed("Only an administrator may add a server of this machine or of its network.")
        for name, value in address.headers.items():
            if not HEADER.fullmatch(name) or name.lower() in OWN_HEADERS or name.lower().startswith("mcp-"):
                raise BadInput(f"{name[:60]!r} cannot be given as a header. Take it out.")
            if not printable(value):
                raise BadInput(f"The value of the header {name} has characters that headers do not take.")

    def _check_command(self, address: Address, administers: bool) -> None:
        if not self.commands:
            raise NotAllowed(
                "Commands may not be added here. Whoever runs Glassdesk can allow some with GLASSDESK_MCP_COMMANDS."
            )
        words = (address.command, *address.args)
        allowed = self.commands_for(administers)
        entry = next((one for one in sorted(allowed, key=len, reverse=True) if words[: len(one)] == one), None)
        if entry is None:
            known = ", ".join(" ".join(one) for one in allowed) or "none for you"
            raise NotAllowed(f"This command is not allowed. Allowed beginnings of commands: {known}.")
        if len(address.args) > MOST_PARTS or any(len(arg) > PART_LENGTH for arg in address.args):
            raise BadInput(f"A command takes at most {MOST_PARTS} arguments of {PART_LENGTH:,} characters.")
        if not all(arg.isprintable() for arg in address.args):
            raise BadInput("The arguments have characters that cannot be seen. Write them anew.")
        if code := inline(words[len(entry) :]):
            raise BadInput(f"The command may not run code from its own line: take {code} out.")
        for name, value in address.env.items():
            if not VARIABLE.fullmatch(name) or UNSAFE.fullmatch(name):
                raise BadInput(f"{name[:60]!r} cannot be given as a variable. Take it out.")
            if "\0" in value or len(value) > PART_LENGTH:
                raise BadInput(f"The value of {name} is too long, or has characters that variables do not take.")


def inline(args: Sequence[str]) -> str:
    """The option, of those before the first other argument, by which a command runs code; empty for none."""
    for arg in args:
        if not arg.startswith("-"):
            return ""
        if INLINE.fullmatch(arg):
            return arg[:20]
    return ""


def printable(value: str) -> bool:
    """Whether it can be sent as a header's value."""
    return value.isascii() and value.isprintable() and len(value) <= PART_LENGTH


def private(host: str) -> bool:
    """Whether a host is, as it is written, this machine or in its network."""
    name = host.rstrip(".").lower()
    if name in LOOPBACK or name.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        return not ipaddress.ip_address(name.strip("[]")).is_global
    except ValueError:
        return "." not in name


def from_url(url: str, headers: Mapping[str, str]) -> Address:
    """A server at an address."""
    return Address("http", url=url.strip(), headers={name.strip(): value.strip() for name, value in headers.items()})


def from_line(line: str, env: Mapping[str, str]) -> Address:
    """A server that a command line starts; no shell ever sees it.

    Raises:
        BadInput: a quotation mark is open, or nothing is said.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise BadInput("A quotation mark in the command is not closed.") from error
    if not words:
        raise BadInput("Give the command that starts the server, such as npx -y @scope/server.")
    return Address("stdio", command=words[0], args=tuple(words[1:]), env=dict(env))


def pairs(text: str, sign: str) -> dict[str, str]:
    """Lines of `name<sign>value`.

    Raises:
        BadInput: a line has no sign.
    """
    found = {}
    for line in filter(None, (line.strip() for line in text.splitlines())):
        name, cut, value = line.partition(sign)
        if not cut or not name.strip():
            raise BadInput(f"Each line needs a name, then “{sign}”, then a value.")
        found[name.strip()] = value.strip()
    return found
