"""Texts as they are stored: sound UTF-8, cut with a mark, without base64. Sizes are bytes of UTF-8."""

import base64
import binascii
import hashlib
import re
from typing import Final

BASE64: Final = re.compile(r"(?:[\w+/-]{60,}+(?:\\[rn]|[\r\n])*+)++[\w+/-]*+={0,2}", re.ASCII)
DATA_URI: Final = re.compile(r"data:([\w.+/-]{1,80});base64,\Z")
BASE64_LENGTH: Final = 256
CODED: Final = bytes(
    65 if chr(one).isascii() and (chr(one).isalnum() or chr(one) in "_+/-") else 32 for one in range(256)
)
LONG: Final = b"A" * 60
"""What a text becomes by `CODED` where base64 may be in it; looked for ten times as fast as by the pattern."""
SIZE: Final = re.compile(r"… \[cut: [\d,]+ of ([\d,]+) bytes\]\Z|\A\[([\d,]+) bytes\]\Z")
MAGIC: Final = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
)


def is_sound(text: str) -> bool:
    """Whether a database takes the text: no half surrogates, no NUL."""
    if text.isascii():
        return "\x00" not in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


def sound(text: str) -> str:
    """The text as a database takes it."""
    return text.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode(errors="replace").decode()


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


def original_size(text: str) -> int:
    """Bytes of what a stored text was before it was cut, or left out but for its size."""
    found = SIZE.search(text)
    return size_of(text) if found is None else int((found[1] or found[2]).replace(",", ""))


def has_base64(text: str) -> bool:
    """Whether there may be base64 in it."""
    if len(text) < BASE64_LENGTH or LONG not in text.encode("ascii", "replace").translate(CODED):
        return False
    return BASE64.search(text) is not None


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
