"""Foreign text in Markdown: shown as it is, with no power over the page. `Markup` marks what is Markdown already."""

import re

from markupsafe import Markup

URL = re.compile(r"https?://[^\s<>\"'`|\\]+")
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$^])")
DIRECTIVE = re.compile(r":(?=[A-Za-z+])")
LINE_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))", re.MULTILINE)


def escape(text: str) -> Markup:
    """Text with everything that Markdown would act on made harmless; web addresses stay usable."""
    parts, end = [], 0
    for match in URL.finditer(text):
        parts += [escape_words(text[end : match.start()]), match[0]]
        end = match.end()
    return Markup("".join([*parts, escape_words(text[end:])]))


def escape_words(text: str) -> str:
    """Text without web addresses, escaped."""
    escaped = DIRECTIVE.sub(r"\\:", SPECIAL.sub(r"\\\1", text))
    return LINE_START.sub(lambda m: f"{m[1]}{m[2]}\\" if m[2].isdigit() else f"{m[1]}\\{m[2]}", escaped)


def inline(text: object) -> Markup:
    """One line of escaped text."""
    if isinstance(text, Markup):
        return text
    return escape(" ".join(str(text if text is not None else "").split()))


def quote(text: object) -> Markup:
    """Escaped text as a block quote; empty lines end no quote."""
    lines = escape(str(text or "").strip()).splitlines() if not isinstance(text, Markup) else text.splitlines()
    return Markup("\n".join(f"> {line.strip()}  " if line.strip() else ">" for line in lines))


def cut(text: object, length: int) -> str:
    """At most so many characters, with an ellipsis where something is missing."""
    plain = str(text or "")
    shorter = plain[:length].rsplit(" ", 1)[0] if " " in plain[:length] else plain[:length]
    result = plain if len(plain) <= length else f"{shorter} …"
    return type(text)(result) if isinstance(text, Markup) else result
