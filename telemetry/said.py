"""What was said in a turn as one bounded text: question, answers, arguments, results, messages; each once."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import regex

from telemetry import attributes as names
from telemetry.messages import read_messages
from telemetry.wording import apart

log = logging.getLogger(__name__)

MOST: Final = 16_000
"""Characters of a turn."""
MOST_OF_ONE: Final = 4_000
"""Characters of one message, argument or result."""
LEFT_OUT: Final = regex.compile(r"\[[\d,]+ bytes\]")
"""What stands for a content of which the size alone is kept."""
ESCAPES: Final = regex.compile(r'\\+[nrt"]')
INPUTS: Final = ("input.value", names.INPUT_MESSAGES)
OUTPUTS: Final = (names.OUTPUT_MESSAGES, "output.value")
RESULTS: Final = (names.TOOL_ARGUMENTS, names.TOOL_RESULT)

Row = Mapping[str, Any]


def text_of(turn: Row, rows: Sequence[Row]) -> str:
    """What is kept of a turn; of one whose records cannot be read nothing, and its spans are stored all the same."""
    try:
        return words_of(contents(turn, rows))
    except Exception:
        log.exception("The texts of turn %s could not be indexed.", turn["turn_id"])
        return ""


def contents(turn: Row, rows: Sequence[Row]) -> Iterator[str]:
    """What was said in a turn, the most telling first; instructions are left out, they are the same everywhere."""
    yield plain(turn.get("question"))
    chats = [row for row in rows if row["type"] == "chat"]
    for row in (*reversed(chats), *(row for row in rows if row["type"] != "chat")):
        for recorded in those_of(row, OUTPUTS):
            yield from said_in(recorded)
    for row in rows:
        yield from map(plain, those_of(row, RESULTS))
    latest = {row["parent_id"]: row for row in chats}  # each call repeats what the one before was told
    for row in (*latest.values(), *(row for row in rows if row["type"] != "chat")):
        for recorded in those_of(row, INPUTS):
            yield from said_in(recorded)
    yield plain(turn.get("error"))


def those_of(row: Row, wanted: Sequence[str]) -> list[Any]:
    """The attributes of a span that are there, of some."""
    found = row["attributes"]
    return [found[name] for name in wanted if name in found]


def said_in(recorded: Any) -> Iterator[str]:
    """The texts of recorded messages, the newest first; what is no list of messages is one text."""
    if not isinstance(recorded, str) or not recorded:
        return
    messages = read_messages(recorded)
    if messages is None:
        yield plain(recorded)
        return
    for message in reversed(messages):
        if message.role not in ("system", "developer"):
            yield plain(message.text)


def plain(recorded: Any) -> str:
    """A recorded text without the escapes of JSON within JSON."""
    if not isinstance(recorded, str) or LEFT_OUT.fullmatch(recorded):
        return ""
    return str(ESCAPES.sub(" ", recorded[: 2 * MOST_OF_ONE]))


def words_of(texts: Iterable[str]) -> str:
    """Texts as the index keeps them: each once, cut, words apart; sizes are bounded by `MOST` and `MOST_OF_ONE`."""
    kept: dict[str, None] = {}
    room = MOST
    for one in texts:
        shown = " ".join(one[: 2 * MOST_OF_ONE].split())[:MOST_OF_ONE]
        if room > 0 and shown and shown not in kept:
            kept[shown[:room]] = None
            room -= len(shown) + 1
    return apart("\n".join(kept))
