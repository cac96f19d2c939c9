"""Readable text: from HTML, and cut to a size with words that say so."""

import re
import unicodedata
from html import unescape
from typing import Any

from html2text import HTML2Text

FILLERS = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u202a-\u202e\u2060-\u2069\ufeff]"  # mean nothing in text
    "|(?<!\\S)[\u200c\u200d]+|[\u200c\u200d]+(?!\\S)"  # joiners mean something only between two characters
)
JOINERS = "\u200c\u200d"
BLANK_LINES = re.compile(r"\n\s*\n\s*\n+")
TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
Attributes = dict[str, str | None]


class Reader(HTML2Text):
    """Turns HTML into plain text: links as `text (url)`, no images, no hidden parts, line breaks kept.

    Args:
        hide: leave out what the mail's own styles hide, such as preview texts.
    """

    def __init__(self, hide: bool) -> None:
        super().__init__(bodywidth=0)
        self.ignore_images = self.ignore_emphasis = self.ignore_tables = self.unicode_snob = True
        self.tag_callback = self._tag  # type: ignore[assignment]  # html2text declares None
        self._hide = hide
        self._links: list[tuple[str, int]] = []
        self._written: list[str] = []
        self._cells = 0
        self.hidden_tag, self.hidden_depth = "", 0

    def handle_data(self, data: str, entity_char: bool = False) -> None:
        """Take text as it is: what a mail says is not Markdown, so nothing in it is escaped."""
        if data and not self.hidden_depth:
            self._written.append(data)
            self.o(data, puredata=True)

    def _tag(self, _: object, tag: str, attributes: Attributes | None, start: bool) -> bool:
        if self._hides(tag, attributes or {}, start):
            return True
        if tag == "tr":
            self._cells = 0
        if tag in ("td", "th") and start:
            self._cells += 1
            self.o(" | " if self._cells > 1 else "")
        if tag != "a":
            return False
        if start:
            self._links.append(((attributes or {}).get("href") or "", len(self._written)))
        elif self._links:
            self._close_link(*self._links.pop())
        return True

    def _hides(self, tag: str, attributes: Attributes, start: bool) -> bool:
        if self.hidden_depth:
            self.hidden_depth += (1 if start else -1) * (tag == self.hidden_tag)
            return True
        if self._hide and start and tag not in VOID and HIDDEN.search(attributes.get("style") or ""):
            self.hidden_tag, self.hidden_depth = tag, 1
        return bool(self.hidden_depth)

    def _close_link(self, url: str, begin: int) -> None:
        text = "".join(self._written[begin:]).strip()
        address = url.removeprefix("mailto:")
        if address and not address.startswith(("#", "javascript:")) and address.rstrip("/") != text.rstrip("/"):
            self.o(f" ({address})" if text else f"({address})", puredata=True)


def html_to_text(html: str) -> str:
    """The text that a reader of the HTML sees."""
    reader = Reader(hide=True)
    text = str(reader.handle(html))
    if reader.hidden_depth:  # a hidden part that never closes would swallow the rest
        text = str(Reader(hide=False).handle(html))
    return tidy(text)


def tidy(text: str) -> str:
    """Without invisible characters, trailing spaces and piles of blank lines; line ends are LF."""
    text = FILLERS.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " "))
    return BLANK_LINES.sub("\n\n", TRAILING.sub("", text)).strip()


def better_body(plain: str, html: str) -> str:
    """The plain part, unless it says far less than the HTML does ("open this mail in a browser").

    Args:
        plain: text of the plain parts.
        html: readable text of the HTML parts.
    """
    return tidy(plain) if letters(plain) and letters(plain) * 5 >= letters(html) * 2 else html


def letters(text: str) -> int:
    """How much a text says: its letters and digits, addresses of links apart."""
    return sum(character.isalnum() for character in re.sub(r"https?://\S+", "", text))


def one_line(text: str) -> str:
    """Google's snippet as a person reads it."""
    return " ".join(tidy(unescape(text)).split())


def cut(text: str, limit: int, offset: int = 0, rest: str = "") -> str:
    """At most `limit` characters of a text from `offset` on, with words about what was left out.

    Args:
        rest: how to get more; `{offset}` stands for where to go on.
    """
    end = offset + limit
    part = text[offset:end]
    if not offset and len(text) <= limit:
        return text
    if offset >= len(text):
        return f"[nothing is left: the text has {len(text):,} characters]"
    if end >= len(text):
        return f"[characters {offset:,} to {len(text):,} of {len(text):,}, the end]\n{part}"
    how = f" {rest.format(offset=end)}" if rest else ""
    return f"{part}\n[cut: characters {offset:,} to {end:,} of {len(text):,} are shown.{how}]"


def decode(data: bytes, charset: str | None) -> str:
    """Bytes of a text part. Gmail hands most of them out as UTF-8 whatever the part's header says.

    Args:
        charset: what the part's header says.
    """
    wanted = (charset or "").lower()
    tries = [wanted, "utf-8"] if wanted.startswith(("iso-2022", "utf-16", "utf-7", "hz")) else ["utf-8", wanted]
    for name in [name for name in tries if name]:
        try:
            return data.decode(name)
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode("windows-1252", errors="replace")


def plain_name(text: str) -> str:
    """Text in its composed form, without characters that control or reorder what is seen."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(c for c in composed if c in JOINERS or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))


def fields_of(value: Any) -> dict[str, Any]:
    """A JSON object, `{}` for anything else."""
    return value if isinstance(value, dict) else {}
