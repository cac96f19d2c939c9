"""What may be stored of a span: secrets out, base64 out, sizes capped, content by the capture setting."""

import base64
import binascii
import hashlib
import logging
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from telemetry import attributes as names
from telemetry.secrets import HIDDEN, SECRET_NAME, Rule, hide, hide_known, suspects

log = logging.getLogger(__name__)

HEAD_BYTES: Final = 8_000
KEPT_BYTES: Final = 1_000_000
BASE64: Final = re.compile(r"(?:[\w+/-]{60,}+(?:\\[rn]|[\r\n])*+)++[\w+/-]*+={0,2}", re.ASCII)
DATA_URI: Final = re.compile(r"data:([\w.+/-]{1,80});base64,\Z")
BASE64_LENGTH: Final = 256
MAGIC: Final = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)


class Capture(StrEnum):
    """How much of messages, arguments and results is stored."""

    OFF = "off"
    METADATA = "metadata"
    FULL = "full"


@dataclass(frozen=True)
class Whole:
    """A text that was too long for its attribute; `size` in bytes is the original's, which may be more."""

    key: str
    text: str
    size: int


@dataclass(frozen=True)
class Clean:
    """What may be stored: flat attributes, events as dicts, the long texts."""

    name: str
    attributes: dict[str, Any]
    events: list[dict[str, Any]] = field(default_factory=list)
    wholes: tuple[Whole, ...] = ()


class Redactor:
    """Cleans spans before anything is stored.

    Args:
        secrets: Values to hide wherever they appear, such as the configured model key.
    """

    def __init__(self, capture: Capture | str = Capture.FULL, secrets: Sequence[str] = ()) -> None:
        self.capture = Capture(capture)
        self._secrets = tuple(sorted({secret for secret in secrets if len(secret) >= 6}, key=len, reverse=True))

    def clean(self, name: str, attributes: Mapping[str, Any], events: Sequence[dict[str, Any]] = ()) -> Clean:
        """A span's texts without secrets; if that fails, without its content."""
        try:
            return self._clean(name, attributes, events)
        except Exception:
            log.warning("The content of a span was dropped because it could not be redacted.", exc_info=False)
            return skeleton(name, attributes)

    def _clean(self, name: str, attributes: Mapping[str, Any], events: Sequence[dict[str, Any]]) -> Clean:
        """As `clean`; may raise."""
        shown = {key: self._captured(value) if key in names.CONTENT else value for key, value in attributes.items()}
        shown = {key: value for key, value in shown.items() if value is not None}
        rules = suspects("\n".join((name, *texts_of(shown), *texts_of(events))))
        wholes: list[Whole] = []
        cleaned = {key: self._attribute(key, value, rules, wholes) for key, value in shown.items()}
        return Clean(
            self.text(name, rules), cleaned, [self._value("", event, rules) for event in events], tuple(wholes)
        )

    def _captured(self, content: Any) -> Any:
        """Content as the capture setting wants it; None if not at all."""
        if self.capture is Capture.FULL:
            return content
        return f"[{size_of(str(content)):,} bytes]" if self.capture is Capture.METADATA else None

    def _attribute(self, key: str, value: Any, rules: Sequence[Rule], wholes: list[Whole]) -> Any:
        """A value for an attribute; a long text leaves its head there and goes whole to `wholes`."""
        if not isinstance(value, str) or len(value) * 4 <= HEAD_BYTES:
            return self._value(key, value, rules)
        if SECRET_NAME.fullmatch(key):
            return HIDDEN
        text = sound(value)
        size = size_of(text)
        kept = self._capped(without_base64(text), rules, KEPT_BYTES)
        if size_of(kept) <= HEAD_BYTES:
            return kept
        wholes.append(Whole(key, kept, size))
        return marked(head(kept, HEAD_BYTES), size)

    def _value(self, key: str, value: Any, rules: Sequence[Rule]) -> Any:
        """Any value without secrets."""
        if isinstance(value, str):
            return HIDDEN if value and SECRET_NAME.fullmatch(key) else self.text(value, rules)
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        if isinstance(value, Mapping):
            return {str(name): self._value(str(name), item, rules) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._value(key, item, rules) for item in value]
        return value if value is None or isinstance(value, (bool, int, float)) else self.text(str(value), rules)

    def text(self, text: str, rules: Sequence[Rule] | None = None) -> str:
        """One text without secrets and base64, cut with a mark if it is long.

        Args:
            rules: Those that could apply; by default they are looked up.
        """
        return self._capped(without_base64(sound(text)), suspects(text) if rules is None else rules, HEAD_BYTES)

    def _capped(self, text: str, rules: Sequence[Rule], limit: int) -> str:
        """The text without secrets, cut to `limit` bytes; cut first, so that the work is bounded."""
        size = size_of(text)
        if size > limit:
            text = without_last_word(head(text, limit))
        if rules:
            text = hide(text, rules)
        text = hide_known(text, self._secrets)
        return marked(text, size) if size > limit else text


def skeleton(name: str, attributes: Mapping[str, Any]) -> Clean:
    """What is left of a span whose content cannot be redacted: its numbers and the names that roll-ups need."""
    kept = {
        key: value
        for key, value in attributes.items()
        if key in names.STRUCTURAL
        or isinstance(value, (bool, int))
        or (isinstance(value, float) and math.isfinite(value))
    }
    operation = str(attributes.get(names.OPERATION) or attributes.get(names.MCP_METHOD) or "")
    known = name if name.isidentifier() else operation or "span"
    return Clean(known, {**kept, names.REDACTION: "failed"})


def texts_of(value: Any) -> list[str]:
    """All texts within attributes or events, names included."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for item in value.items() for part in item for text in texts_of(part)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in texts_of(item)]
    return []


def sound(text: str) -> str:
    """The text as a database takes it: no half surrogates, no NUL."""
    if "\x00" in text:
        text = text.replace("\x00", "\N{REPLACEMENT CHARACTER}")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def size_of(text: str) -> int:
    """Bytes of UTF-8."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def head(text: str, limit: int) -> str:
    """The first `limit` bytes, without half a character at the end."""
    return text[:limit].encode(errors="replace")[:limit].decode(errors="ignore")


def without_last_word(text: str) -> str:
    """The text without what may be the first half of a secret; a very long last word stays, it is none."""
    return text[: max(len(text) - 4_096, text.rfind(" ") + 1, text.rfind("\n") + 1)] if text else text


def marked(text: str, size: int) -> str:
    """A cut text with the mark that says so."""
    return f"{text}… [cut: {size_of(text):,} of {size:,} bytes]"


def without_base64(text: str) -> str:
    """The text with each long stretch of base64 replaced by its type, size and hash."""
    return BASE64.sub(described, text) if len(text) >= BASE64_LENGTH else text


def described(match: re.Match[str]) -> str:
    """What stands for a stretch of base64; a long word that is none stays."""
    code = re.sub(r"\\[rn]|[\r\n]", "", match[0]).rstrip("=")
    uri = DATA_URI.search(match.string[max(0, match.start() - 100) : match.start()])
    if len(code) < BASE64_LENGTH or not (uri or looks_coded(code)):
        return match[0]
    try:
        data = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_" if "-" in code or "_" in code else None)
    except binascii.Error:
        data = code.encode()
    kind = uri[1] if uri else next((mime for magic, mime in MAGIC if data.startswith(magic)), "data")
    return f"[base64 {kind}, {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()[:12]}]"


def looks_coded(code: str) -> bool:
    """Whether a long word has the mix of letters and digits of base64."""
    sample = code[:1_000]
    return len(set(sample)) >= 20 and sample != sample.lower() and any(letter.isdigit() for letter in sample)
