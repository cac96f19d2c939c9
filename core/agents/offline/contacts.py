"""Whose address is which: people in what tools returned."""

import re
from collections.abc import Iterator, Mapping, Sequence
from email.utils import getaddresses
from typing import Any

from core.agents.offline.conversation import Done, Turn

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
PAIRS = (("sender", "sender_email"), ("name", "email"))
WRITTEN = ("to", "cc")


def address_in(words: str) -> str | None:
    """An address that was said itself."""
    found = ADDRESS.search(words)
    return found[0] if found else None


def known(name: str, calls: Sequence[Done]) -> dict[str, str]:
    """Address → name of everybody of this name in what calls returned; every word begins a word of the name."""
    words = [re.compile(rf"(?<![^\W_]){re.escape(word)}", re.IGNORECASE) for word in name.split()]
    people = (one for call in calls if call.output and call.output.value for one in people_in(call.output.value))
    return {
        address.casefold(): person
        for person, address in people
        if all(word.search(person) or word.search(address.split("@")[0]) for word in words)
    }


def calls_of(turns: Sequence[Turn]) -> list[Done]:
    """All calls of a conversation."""
    return [call for turn in turns for call in turn.calls]


def people_in(value: Any) -> Iterator[tuple[str, str]]:
    """(name, address), anywhere in a result."""
    if isinstance(value, Mapping):
        for name, address in PAIRS:
            if value.get(name) and "@" in str(value.get(address)):
                yield str(value[name]), str(value[address])
        for field in WRITTEN:
            if isinstance(value.get(field), list):
                yield from ((name or address, address) for name, address in getaddresses(map(str, value[field])))
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from people_in(one)
