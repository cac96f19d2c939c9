"""Texts as words that an index can find: in one normal form, apart in scripts that write no spaces.

A character of such a script, and each emoji, is a word of its own, so that `製品` is found as a phrase within a
sentence.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final

import regex

BEFORE, AFTER = 40, 60
"""Characters of an excerpt around what was found."""
JOINER: Final = "\u2060"
"""Stands between words that have no space between them; invisible, and no part of a word."""
ALONE: Final = r"[\p{Han}\p{Hiragana}\p{Katakana}\u30fc\u3005\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{So}]\p{M}*"
RUN: Final = regex.compile(rf"(?:{ALONE})+")
ONE: Final = regex.compile(ALONE)
MARKS: Final = regex.compile(r"[\p{Cf}\ufe00-\ufe0f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u064b-\u0652\u0670]+")
"""What changes how letters look but not which they are: variation selectors, vowel points, signs of direction."""
WORD: Final = regex.compile(r"[\p{L}\p{N}\p{M}\p{Co}\p{So}]+")
LONGEST_WORD: Final = 500


def apart(said: str) -> str:
    """A text in one normal form, with a joiner between words of scripts that write none."""
    if said.isascii():
        return said
    normal = MARKS.sub("", unicodedata.normalize("NFKC", said))
    return str(RUN.sub(lambda run: JOINER + JOINER.join(ONE.findall(run[0])) + JOINER, normal))


def shown(said: str) -> str:
    """A kept text as people read it."""
    return said.replace(JOINER, "")


def folded(said: str) -> list[str]:
    """The words of a text in small letters without accents, for PostgreSQL; SQLite's index finds them itself."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", said) if not "\u0300" <= one <= "\u036f")
    return [word[:LONGEST_WORD] for word in WORD.findall(bare.lower())]


def excerpt(said: str, texts: Iterable[str]) -> str:
    """A part of a kept text around the first of some texts that stands in it; empty where none stands so."""
    text = " ".join(shown(said).split())
    letters = "".join(letter_of(letter) for letter in text)
    for one in texts:
        wanted = "".join(letter_of(letter) for letter in shown(apart(one)))
        at = letters.find(wanted)
        if at >= 0:
            start, end = max(0, at - BEFORE), min(len(text), at + len(wanted) + AFTER)
            return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
    return ""


def letter_of(letter: str) -> str:
    """A letter, small and without accents; one sign for one."""
    return unicodedata.normalize("NFD", letter)[0].lower()[0]
