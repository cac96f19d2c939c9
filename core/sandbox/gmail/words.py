"""Text as a search sees it: words without case and accents, in a row with spaces around each."""

import re
import unicodedata
from collections.abc import Iterable

# Scripts written without spaces, and Hangul with its endings: a word of them is found anywhere in a text.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
VOICED_MARKS = {"\u3099", "\u309a"}
GAP = "\n"


def normal(text: str) -> str:
    """Fold case, width and accents; Japanese voicing marks stay, because they make other letters."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    kept = (c for c in letters if c in VOICED_MARKS or unicodedata.category(c) != "Mn")
    return unicodedata.normalize("NFC", "".join(kept))


def words(text: str) -> list[str]:
    """The words of a text: runs of letters and digits, and each emoji."""
    return re.findall(r"[^\W_]+|[\u2600-\u27bf\U0001f300-\U0001faff]", normal(text))


def row(texts: Iterable[str]) -> str:
    """Several texts as one searchable row; no phrase reaches from one into the next."""
    return f" {GAP} ".join(["", *(" ".join(words(text)) for text in texts), ""])


def needles(text: str) -> list[str]:
    """What must be contained in a row for a text to be found in it: phrases in spaces, unspaced words bare."""
    found: list[str] = []
    run: list[str] = []
    for word in [*words(text), ""]:
        if word and not UNSPACED.search(word):
            run.append(word)
            continue
        found += [f" {' '.join(run)} "] if run else []
        found += [word] if word else []
        run = []
    return found


def variants(needle: str) -> list[str]:
    """A single word with its singular and plural, as Gmail finds them both."""
    word = needle.strip()
    if not re.fullmatch(r"[a-z]{3,}", word) or needle == word:
        return [needle]
    other = word[:-1] if word.endswith("s") and not word.endswith("ss") else f"{word}s"
    return [needle, f" {other} "]


def near(text: str, left: str, right: str, distance: int) -> bool:
    """Whether two words of a row stand at most `distance` words apart, in either order."""
    row_words = text.split(" ")
    lefts = [i for i, word in enumerate(row_words) if word == left.strip()]
    rights = [i for i, word in enumerate(row_words) if word == right.strip()]
    return any(abs(a - b) - 1 <= distance for a in lefts for b in rights)
