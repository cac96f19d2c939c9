"""Mail addresses as people and models write them, read strictly; nothing else gets into a header."""

import re
import unicodedata
from email.headerregistry import Address
from email.utils import parseaddr

from core.mcp_server.desk import BadArgument

PIECE = re.compile(r'(?:"(?:\\.|[^"\\])*"|<[^<>]*>|[^,;"<>])+|[<">]')
ADDRESS = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@(?:[\w](?:[\w-]*[\w])?\.)*[\w](?:[\w-]*[\w])?", re.ASCII)
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that make an address look like another."""
MESSAGE_ID = re.compile(r"<[^<>\s@]+@[^<>\s@]+>")


def addresses(name: str, text: str | None) -> tuple[Address, ...]:
    """The addresses of a list such as `Ana <ana@x.example>, Doe, John <j@x.example>`, each once.

    Args:
        name: of the argument, for the error.

    Raises:
        BadArgument: names what is no address.
    """
    written = one_line(name, text or "")
    found: dict[str, Address] = {}
    for piece in joined([piece.strip() for piece in PIECE.findall(written) if piece.strip()]):
        one = address(name, piece)
        found.setdefault(one.addr_spec.casefold(), one)
    return tuple(found.values())


def joined(pieces: list[str]) -> list[str]:
    """Pieces between commas; one without an address is the beginning of the next one's unquoted name."""
    whole: list[str] = []
    begun = ""
    for piece in pieces:
        text = f"{begun}, {piece}" if begun else piece
        begun = "" if "@" in piece or (begun and "<" in piece) else text
        if not begun:
            whole.append(text)
    return [*whole, begun] if begun else whole


def address(name: str, text: str) -> Address:
    """One address, with its display name where it has one.

    Raises:
        BadArgument: it is none.
    """
    shown, spec = "", text
    if text.endswith(">") and "<" in text:
        shown, _, spec = text[:-1].rpartition("<")
        shown = parseaddr(f"{shown}<x@x>")[0] if shown.lstrip().startswith('"') else shown
    spec = with_plain_domain(spec.strip())
    if not ADDRESS.fullmatch(spec) or ".." in spec or spec.startswith("."):
        raise BadArgument(
            name, f"{text!r} is no mail address. Write it as ana@example.com or Ana Ruiz <ana@example.com>."
        )
    local, _, domain = spec.rpartition("@")
    return Address(" ".join(shown.split()), local, domain)


def with_plain_domain(spec: str) -> str:
    """The address with its domain in ASCII, as mail needs it."""
    local, at, domain = spec.rpartition("@")
    try:
        return f"{local}{at}{domain.encode('idna').decode()}" if not domain.isascii() else spec
    except UnicodeError:
        return spec


def one_line(name: str, text: str) -> str:
    """Text for a header.

    Raises:
        BadArgument: it holds a line break or another control character, with which it could add headers or deceive.
    """
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") or letter in TURNING for letter in text):
        raise BadArgument(name, "it holds a line break or a control character. Write it in one line.")
    return text.strip()


def known_ids(text: str) -> tuple[str, ...]:
    """The Message-IDs in a header of a mail that came; whatever else is in it is left out."""
    return tuple(dict.fromkeys(re.findall(r"<[^<>\s]+>", text)))


def message_ids(name: str, text: str | None) -> tuple[str, ...]:
    """Message-IDs such as `<abc@x.example>`, separated by spaces.

    Raises:
        BadArgument: something else is among them.
    """
    words = one_line(name, text or "").replace(",", " ").split()
    found = tuple(word if word.startswith("<") else f"<{word}>" for word in words)
    wrong = next((one for one in found if not MESSAGE_ID.fullmatch(one)), None)
    if wrong is not None:
        raise BadArgument(name, f"{wrong} is no Message-ID. Leave it out and give the thread_id instead.")
    return found
