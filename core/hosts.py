"""Hosts as they really are: one whose letters only look like another's is told by its ASCII form too."""

import re
from urllib.parse import urlsplit

DISGUISED = re.compile(r"(?:(?<=@)|(?<=//))(?=[^\s]*[^\x00-\x7f])[^\s@/?#:<>()\[\]{},;|`\\\"'“”‘’]++(?! \(xn--)")


def ascii_form(host: str) -> str | None:
    """A host in the letters that the network knows; None where it is no host."""
    try:
        return host.rstrip(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None


def unmasked(text: str) -> str:
    """The text, with its ASCII form behind each host of an address that has other letters."""

    def told(found: re.Match[str]) -> str:
        host = found[0]
        form = None if host.isascii() or "." not in host else ascii_form(host)
        return host if form is None else f"{host} ({form})"

    return DISGUISED.sub(told, text)


def disguised(address: str) -> bool:
    """Whether the host of a web address has letters beyond ASCII."""
    return not address.isascii() and not host_part(address).isascii()


def host_part(address: str) -> str:
    """The host of a web address as it is written; empty where there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def host_of(address: str) -> str:
    """Where a web address leads, in ASCII; for a mail address, all of it; empty where it leads nowhere else."""
    if address.lower().startswith("mailto:"):
        return address[len("mailto:") :].partition("?")[0].lower()
    host = host_part(address)
    return ascii_form(host) or host
