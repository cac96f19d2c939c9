"""The shapes of secrets in a text, and how each is hidden."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

HIDDEN: Final = "[redacted]"
SECRET_NAME: Final = re.compile(
    r"(?:.*[._-])?(?:passw(?:or)?d|passphrase|secret|api[_-]?key|private[_-]?key|credentials?|(?:proxy-)?authorization"
    r"|(?:set-)?cookie|token|(?:access|refresh|id|auth|session|bearer|api|csrf)[_-]?token|client[_-]?secret)",
    re.IGNORECASE,
)
"""Names whose value is a secret. Token counts (`input_tokens`) are not among them."""

SIGN: Final = r"""(?:\\*["'])?\s*[:=]\s*"""
QUOTED: Final = (
    r"""(?:(?P<nested>\\+["']).+?(?:(?<!\\)(?=(?P=nested))|\Z)|(?P<quote>["'])(?:(?!(?P=quote))[^\\]|\\.)+)"""
)
BARE: Final = (
    r"""(?!null\b|true\b|false\b|none\b|\[redacted)(?:(?:bearer|basic|digest|negotiate)\s+)?[^\s"'\\,;&{}\[\]()]"""
)


@dataclass(frozen=True)
class Rule:
    """One shape: a pattern that is tried only where one of its needles (lower case) stands, which makes it fast.

    What the pattern's group `keep` holds stays, the rest of the match is hidden. A text with none of the `gates`,
    which are few and short, holds none of the needles.
    """

    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    gates: tuple[str, ...]


def rule(needles: str, pattern: str, flags: int = 0, gate: str = "") -> Rule:
    """A rule; needles are separated by spaces."""
    words = tuple(needles.split(" "))
    return Rule(words, re.compile(pattern, flags), (gate,) if gate else words)


def named(needles: str, rest: str, bare: str, gate: str = "") -> Rule:
    """A rule for `name: value`, `name=value` and their JSON, also inside strings.

    Args:
        rest: What may follow the needle within the name.
        bare: The rest of a value without quotes.
    """
    names = "|".join(re.escape(needle) for needle in needles.split(" "))
    value = rf"(?P<keep>(?:{names}){rest}{SIGN})(?:{QUOTED}|{BARE}{bare})"
    return rule(needles, value, re.IGNORECASE | re.DOTALL, gate)


END: Final = r"""[^\s"'\\,;&{}\[\]()]"""
LONG: Final = rf"""(?:(?=[^\s"'\\,;&{{}}]{{0,99}}\d)|(?=\S{{15}})){END}{{3,}}"""
RULES: Final = (
    rule("-----begin", r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    rule("cookie", r"""(?P<keep>cookie["'\\]*\s*[:=,]\s*[\["'\\]*)[^"'\\\r\n=]{1,100}=[^"'\\\r\n]+""", re.IGNORECASE),
    rule(
        "bearer basic",
        r"(?P<keep>(?:bearer|basic)(?:\s{1,9}|%20|\+))(?=\S{0,99}[\d=]|\S{20})[\w.~+/=-]{8,}",
        re.IGNORECASE,
    ),
    named("passw passphrase", r"\w{0,40}", rf"{END}{{3,}}"),
    named("secret credential", r"(?:s|[_-]?key|[_-]?value)?", LONG),
    named("api_key api-key apikey private_key private-key privatekey access_key", r"(?:_?id)?", LONG, gate="key"),
    named(
        "access_token refresh_token id_token auth_token accesstoken refreshtoken idtoken authtoken",
        "",
        LONG,
        gate="token",
    ),
    named("session_token api_token x-csrf-token", "", LONG, gate="token"),
    named("authorization", "", LONG),
    named("token", r"(?<![\w.-]token)", LONG),
    rule("eyj", r"\beyJ[\w-]{8,999}\.(?:[\w-]{8,}|\[base64[^\]]*\])(?:\.(?:[\w-]*|\[base64[^\]]*\]))?"),
    rule("sk- pk- rk-", r"\b[spr]k-[A-Za-z0-9_-]{16,}", gate="k-"),
    rule("sk_live_ sk_test_ rk_live_ pk_live_", r"\b[spr]k_(?:live|test)_[A-Za-z0-9]{10,}", gate="k_"),
    rule("ya29.", r"\bya29\.[\w.~+/-]+"),
    rule("1//", r"(?<![\w/])1//[\w-]{10,}"),
    rule("aiza", r"\bAIza[\w-]{30,}"),
    rule("gocspx-", r"\bGOCSPX-[\w-]{10,}"),
    rule("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\b(?:gh[pousr]|github_pat)_\w{16,}"),
    rule("xox", r"\bxox[abeoprs]-[\w-]{10,}"),
    rule("akia asia", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    rule("hf_ gsk_ glpat- npm_ xai-", r"\b(?:hf_|gsk_|glpat-|npm_|xai-)[A-Za-z0-9_-]{16,}"),
    rule("://", r"(?P<keep>://[^\s/:@\"']{0,99}:)[^\s/@\"']{1,200}(?=@)"),
)


def sign_of(gate: str) -> str:
    """The first of `SIGNS` in a gate; empty if it holds none."""
    return next((sign for sign in SIGNS if sign in gate), "")


SIGNS: Final = ("//", "_", "-", "pass")
"""Most gates hold one of these: a text without it needs no look for them."""
GATES: Final = tuple(
    (sign, tuple((gate, place) for place, rule in enumerate(RULES) for gate in rule.gates if sign_of(gate) == sign))
    for sign in (*SIGNS, "")
)


def suspects(text: str) -> tuple[Rule, ...]:
    """The rules that could apply to a text: a quick look that spares most texts the rest."""
    lower = text.lower()
    found = {place for sign, gates in GATES if sign in lower for gate, place in gates if gate in lower}
    return tuple(RULES[place] for place in sorted(found)) if found else ()


def hide(text: str, rules: Sequence[Rule] = RULES) -> str:
    """The text without anything that has the shape of a secret."""
    lower = lowered(text)
    found = sorted(span for rule in rules for span in matches(rule, text, lower))
    return replaced(text, found) if found else text


def hide_known(text: str, secrets: Iterable[str]) -> str:
    """The text without these very words."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def lowered(text: str) -> str:
    """The text in lower case with each character at its place, which `lower` alone does not promise."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def matches(rule: Rule, text: str, lower: str) -> Iterator[tuple[int, int]]:
    """Where the rule finds what must be hidden: start and end."""
    for needle in rule.needles:
        at = lower.find(needle)
        while at >= 0:
            match = rule.pattern.match(text, at)
            if match:
                yield value_of(match)
            at = lower.find(needle, max(at + 1, match.end() if match else 0))


def value_of(match: re.Match[str]) -> tuple[int, int]:
    """The part of a match to hide: without what is kept and without an opening quote."""
    groups = match.groupdict()
    opening = groups.get("nested") or groups.get("quote") or ""
    start = match.end("keep") if groups.get("keep") is not None else match.start()
    return start + len(opening), match.end()


def replaced(text: str, found: list[tuple[int, int]]) -> str:
    """The text with the found stretches, in order and perhaps overlapping, hidden."""
    parts: list[str] = []
    done = 0
    for start, end in found:
        if start >= done:
            parts += (text[done:start], HIDDEN)
        done = max(done, end)
    return "".join((*parts, text[done:]))
