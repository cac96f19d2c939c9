"""Text that others wrote, made safe to show as Markdown: no formulas, images, HTML, icons or odd links.

What is code is told apart line by line, and whatever could make a Markdown parser see it differently is escaped, so
that nothing hides in what looks like code here and is prose there.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from textwrap import dedent

from core.hosts import disguised, host_of

JOINER = "\u2060"
"""Invisible; keeps `:name:` from becoming an icon, which no backslash can."""
PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
TABLE_MARKS = frozenset(" \t>|:+*.)-0123456789")
FENCE = re.compile(r"(?P<indent> {0,3})(?P<run>`{3,}|~{3,})(?P<info>.*)")
LANGUAGE = re.compile(r"[\w+#-]*")
DRAWN = {"mermaid", "math"}
"""Languages that would be drawn instead of shown."""
ADDRESS = r"[^\s()<>\[\]|`\\]*"
TOKEN = re.compile(
    rf"""
    (?P<pair>\\[!-/:-@\[-`{{-~])
    |(?P<ticks>`+)
    |(?P<tildes>~{{3,}})
    |(?P<autolink><(?:https?://|mailto:){ADDRESS}>)
    |(?P<url>(?:https?://|www\.){ADDRESS})
    |(?P<target>\]\([ ]*(?:https?://|mailto:|/(?!/)|[#?]){ADDRESS}(?:\({ADDRESS}\){ADDRESS})*
        (?:[ ]+"[^"`\\<>\[\]|$]*")?[ ]*\))
    |(?P<link>\]\()
    |(?P<definition>\]:)
    |(?P<empty>!\[(?=\]))
    |(?P<image>!\[(?=[^\]]{{0,500}}\][(\[]))
    |(?P<mark>!(?=\[)|\$|<|&(?=\#))
    |(?P<colon>:(?=[^\W\d]|:|[+\w-]+:))
    """,
    re.VERBOSE | re.IGNORECASE,
)
ADDRESS_END = re.compile(r"[\s<]")
"""Up to here a parser may take everything for an address that began before, backticks too."""
ICON = re.compile(r"material/|[+\w-]+:")
NAMED = re.compile(
    r"""
    (?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    |(?P<strict>https?://|www\.)?(?P<host>(?<![\w@.-])[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,})
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What a reader takes for an address; a name of a file looks like one too."""
GOOGLE = re.compile(r"(?:.+\.)?google\.com")
"""Where files lie whose names are a link's text."""


def safe(text: str) -> str:
    """Model text as Markdown that `st.markdown` shows as it is meant; code blocks and code spans stay as they are."""
    lines = dedent(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")).strip().split("\n")
    tables, shown, number = table_lines(lines), [], 0
    while number < len(lines):
        end = fence_end(lines, number)
        if end is None:
            shown.append(prose(lines[number], number in tables))
            number += 1
        else:
            shown += [opening(lines[number]), *lines[number + 1 : end]]
            number = end
    return "\n".join(shown)


def literal(text: str) -> str:
    """Any text as one line of Markdown that shows exactly its characters; for labels."""
    line = " ".join(text.split())
    return "".join(
        f"\\{char}{JOINER if char == ':' and ICON.match(line, place + 1) else ''}" if PUNCTUATION.match(char) else char
        for place, char in enumerate(line)
    )


def code(text: str) -> str:
    """Any text as a code span of one line; nothing for nothing."""
    line = " ".join(text.split()).replace(":material/", f":{JOINER}material/")
    if not line:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{space}{line}{space}{fence}"


def table_lines(lines: list[str]) -> set[int]:
    """The lines that may belong to a table: a cell's border ends a code span there."""
    found: set[int] = set()
    for _, group in groupby(enumerate(lines), key=lambda entry: bool(entry[1].strip())):
        block = list(group)
        if any("-" in line and TABLE_MARKS.issuperset(line) for _, line in block):
            found.update(number for number, _ in block)
    return found


def fence_end(lines: list[str], start: int) -> int | None:
    """The line after the code block that begins at `start`, None where none certainly does.

    An indented fence may belong to a list; it counts only if every parser would close it at the same line.
    """
    fence = FENCE.fullmatch(lines[start])
    if fence is None or (fence["run"][0] == "`" and "`" in fence["info"]):
        return None
    indent = len(fence["indent"])
    closing = re.compile(rf"(\s*){fence['run'][0]}{{{len(fence['run'])},}}[ \t]*")
    for number in range(start + 1, len(lines)):
        line = lines[number]
        closes = closing.fullmatch(line)
        if not indent and closes and len(closes[1].expandtabs(4)) <= 3:
            return number + 1
        if indent and closes:
            return number + 1 if closes[1] == " " * indent else None
        if indent and line.strip() and not line.startswith(" " * indent):
            return None
    return None if indent else len(lines)


def opening(line: str) -> str:
    """The first line of a code block; its language stays if it is one that is shown as text."""
    fence = FENCE.fullmatch(line)
    assert fence is not None
    language = LANGUAGE.match(fence["info"].strip())
    name = language[0] if language else ""
    return fence["indent"] + fence["run"] + ("text" if name.lower() in DRAWN else name)


def prose(line: str, in_table: bool) -> str:
    """One line outside code blocks."""
    return "".join(pieces(line, in_table))


def pieces(line: str, in_table: bool) -> Iterator[str]:
    """The line, piece by piece: code spans as they are, all else made safe."""
    place, glued, linked, spans = 0, 0, 0, span_ends(line, in_table)
    while token := TOKEN.search(line, place):
        yield line[place : token.start()]
        place = token.end()
        if token["ticks"] and token.start() >= glued and token.start() in spans:
            place = spans[token.start()]
            yield line[token.start() : place]
            continue
        if token["url"] and token.start() >= glued:
            end = ADDRESS_END.search(line, token.start())
            glued = end.start() if end else len(line)
        yield tamed(token, line)
        if token["target"]:
            yield where(token["target"], line[linked : token.start()])
            linked = token.end()
    yield line[place:]


def where(target: str, before: str) -> str:
    """Where a link leads, to be shown behind it; nothing for Google, or where the text says so itself.

    Args:
        before: the line from the last link to the end of this one's text; a text that began on an earlier line may
            have named anything.
    """
    address = target[2:].strip(" )").split(" ")[0]
    place = host_of(address)
    names = {named[0]: named for named in NAMED.finditer(before)}.values()
    known = "@" in place or GOOGLE.fullmatch(place) or any(shown(named) == bare(place) for named in names)
    honest = "[" in before and not disguised(address) and not any(misleads(named, place) for named in names)
    return "" if not place or (known and honest) else f" ({literal(place)})"


def misleads(named: re.Match[str], place: str) -> bool:
    """Whether a text names another place than its link leads to."""
    if ("@" in place) != bool(named["mail"]) or shown(named) == bare(place):
        return False
    return bool(named["mail"] or named["strict"]) or not GOOGLE.fullmatch(place)


def shown(named: re.Match[str]) -> str:
    """The place that a text names."""
    return host_of(f"mailto:{named['mail']}") if named["mail"] else bare(host_of(f"//{named['host']}"))


def bare(host: str) -> str:
    """A host without what does not matter about it."""
    return host.removeprefix("www.")


def span_ends(line: str, in_table: bool) -> dict[int, int]:
    """Where a code span would end that begins at a run of backticks; only for runs that are closed."""
    ends: dict[int, int] = {}
    later: dict[int, tuple[int, int]] = {}
    border = len(line)
    marks = list(re.finditer(r"`+|(?<!\\)\|" if in_table else "`+", line))
    for mark in reversed(marks):
        if mark[0] == "|":
            border = mark.start()
            continue
        size = len(mark[0])
        start, end = later.get(size, (border, border))
        if start < border:
            ends[mark.start()] = end
        later[size] = mark.span()
    return ends


def tamed(token: re.Match[str], line: str) -> str:
    """A token of prose so that it does nothing but show itself, or link to where a link may go."""
    text = token[0]
    match token.lastgroup:
        case "ticks" | "tildes":
            return "".join(f"\\{char}" for char in text)
        case "link":
            return "]\\("
        case "definition":
            return "]\\:"
        case "empty":
            return "[image"
        case "image":
            return "["
        case "mark":
            return f"\\{text}"
        case "colon":
            return "\\:" + (JOINER if ICON.match(line, token.end()) else "")
        case "pair" if text == "\\:":
            return text + (JOINER if ICON.match(line, token.end()) else "")
        case "url" | "autolink" if disguised(address_in(text)):
            return f"{text} ({literal(host_of(address_in(text)))})"
    return text


def address_in(token: str) -> str:
    """The address of a bare link, as a parser completes it."""
    bare = token.strip("<>")
    return f"//{bare}" if bare.lower().startswith("www.") else bare
