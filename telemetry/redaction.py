"""What may be stored of a span: secrets out, base64 out, sizes capped, content by the capture setting."""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from telemetry import attributes as names
from telemetry.secrets import HIDDEN, SECRET_NAME, Rule, hide, hide_known, suspects
from telemetry.texts import has_base64, head, is_sound, marked, size_of, sound, without_base64, without_last_word

log = logging.getLogger(__name__)

HEAD_BYTES: Final = 8_000
KEPT_BYTES: Final = 1_000_000
MARK_BYTES: Final = 100
"""What the mark of a cut takes at most."""
SHORT: Final = 100
"""Texts up to so many characters come again and again: what was found of them is remembered."""


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


@dataclass(frozen=True)
class Doubt:
    """What could be wrong with the texts of a span; false if nothing could."""

    rules: tuple[Rule, ...]
    known: bool
    coded: bool
    unsound: bool

    def __bool__(self) -> bool:
        return bool(self.rules) or self.known or self.coded or self.unsound


NO_DOUBT: Final = Doubt((), known=False, coded=False, unsound=False)


class Redactor:
    """Cleans spans before anything is stored.

    Args:
        secrets: Values to hide wherever they appear, such as the configured model key.
        room: Bytes that a text may have beyond the limits: of texts that were cut before, the mark.
    """

    def __init__(self, capture: Capture | str = Capture.FULL, secrets: Sequence[str] = (), room: int = 0) -> None:
        self.capture = Capture(capture)
        self._head, self._kept = HEAD_BYTES + room, KEPT_BYTES + room
        self._secrets = tuple(sorted({secret for secret in secrets if len(secret) >= 6}, key=len, reverse=True))
        self._is_harmless = lru_cache(maxsize=4_096)(lambda text: not self._doubt(text))

    def again(self) -> "Redactor":
        """One for what was cleaned and cut before: cleaning that changes nothing, unless there is more to hide."""
        return Redactor(self.capture, self._secrets, MARK_BYTES)

    def whole(self, text: str) -> str:
        """A long text that is kept beside its attribute."""
        return self._text(text, self._doubt(text), self._kept)

    def clean(self, name: str, attributes: Mapping[str, Any], events: Sequence[dict[str, Any]] = ()) -> Clean:
        """A span's texts without secrets; if that fails, without its content."""
        try:
            return self._clean(name, attributes, events)
        except Exception:
            log.warning("The content of a span was dropped because it could not be redacted.", exc_info=False)
            return skeleton(name, attributes)

    def _clean(self, name: str, attributes: Mapping[str, Any], events: Sequence[dict[str, Any]]) -> Clean:
        """As `clean`; may raise. Most spans hold nothing doubtful: what is short and plain there stays as it is."""
        shown = self._captured(attributes)
        if not events and self._is_plain(name, shown):
            return Clean(name, dict(shown))
        texts = [name, *texts_of(shown), *texts_of(events)]
        unknown = [text for text in texts if len(text) > SHORT or not self._is_harmless(text)]
        doubt = self._doubt("\n".join(unknown)) if unknown else NO_DOUBT
        wholes: list[Whole] = []
        clear = not doubt
        cleaned = {
            key: value
            if clear and is_plain(value) and not is_secret_name(key)
            else self._attribute(key, value, doubt, wholes)
            for key, value in shown.items()
        }
        name = name if clear and len(name) <= SHORT else self._text(name, doubt)
        return Clean(name, cleaned, [self._value("", event, doubt) for event in events], tuple(wholes))

    def _is_plain(self, name: str, shown: Mapping[str, Any]) -> bool:
        """Whether a span holds nothing but numbers and short texts that are known to be harmless."""
        harmless = self._is_harmless
        if len(name) > SHORT or not harmless(name):
            return False
        for key, value in shown.items():
            kind = type(value)
            if kind is str:
                if len(value) > SHORT or is_secret_name(key) or not harmless(value):
                    return False
            elif kind is not int and kind is not bool:
                return False
        return True

    def _doubt(self, text: str) -> Doubt:
        """What could be wrong with a span whose texts these are: looked up once, so that most spans are done then."""
        return Doubt(
            suspects(text),
            any(secret in text for secret in self._secrets),
            has_base64(text),
            not is_sound(text),
        )

    def _captured(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """The attributes with as much content as the capture setting wants."""
        if self.capture is Capture.FULL:
            return attributes
        shown = {key: value for key, value in attributes.items() if key not in names.CONTENT}
        if self.capture is Capture.METADATA:
            contents = names.CONTENT & attributes.keys()
            shown |= {key: f"[{size_of(str(attributes[key])):,} bytes]" for key in contents}
        return shown

    def _attribute(self, key: str, value: Any, doubt: Doubt, wholes: list[Whole]) -> Any:
        """A value for an attribute; a long text leaves its head there and goes whole to `wholes`."""
        if not isinstance(value, str) or len(value) * 4 <= HEAD_BYTES or is_secret_name(key):
            return self._value(key, value, doubt)
        kept = self._text(value, doubt, self._kept)
        if size_of(kept) <= self._head:
            return kept
        size = size_of(value)
        wholes.append(Whole(key, kept, size))
        return marked(head(kept, HEAD_BYTES), size)

    def _value(self, key: str, value: Any, doubt: Doubt) -> Any:
        """Any value without secrets."""
        if isinstance(value, str):
            return HIDDEN if value and is_secret_name(key) else self._text(value, doubt)
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, Mapping):
            return {self._text(str(name), doubt): self._value(str(name), item, doubt) for name, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._value(key, item, doubt) for item in value]
        return self.text(str(value))

    def text(self, text: str) -> str:
        """One text without secrets and base64, cut with a mark if it is long."""
        return self._text(text, self._doubt(text))

    def _text(self, text: str, doubt: Doubt, limit: int = 0) -> str:
        """As `text`; cut to `limit` bytes before secrets are looked for, so that the work is bounded."""
        limit = limit or self._head
        if len(text) * 4 <= HEAD_BYTES and not doubt:
            return text
        text = sound(text) if doubt.unsound else text
        text = without_base64(text) if doubt.coded else text
        size = size_of(text)
        if size > limit:
            text = without_last_word(head(text, limit))
        text = hide_known(text, self._secrets) if doubt.known else text
        text = hide(text, doubt.rules) if doubt.rules else text
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


@lru_cache(maxsize=4_096)
def is_secret_name(key: str) -> bool:
    """Whether what is called so is a secret whatever it looks like."""
    return SECRET_NAME.fullmatch(key) is not None


def is_plain(value: Any) -> bool:
    """Whether a value is a short text or a whole number."""
    kind = type(value)
    return kind is int or kind is bool or (kind is str and len(value) * 4 <= HEAD_BYTES)


def texts_of(value: Any) -> list[str]:
    """All texts within attributes or events; of names only those within values."""
    kind = type(value)
    if kind is str:
        return [value]
    if kind is int or kind is float or kind is bool or value is None:
        return []
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return [str(value)]
    found: list[str] = []
    for item in value:
        kind = type(item)
        if kind is str:
            found.append(item)
        elif kind is not int and kind is not bool:
            found += names_in(item)
            found += texts_of(item)
    return found


def names_in(value: Any) -> list[str]:
    """The names in a mapping."""
    return [str(name) for name in value] if isinstance(value, Mapping) else []
