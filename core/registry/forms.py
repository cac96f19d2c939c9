"""Whole requests as patterns: which intent is meant literally, and the words that stand in its slots."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from core.datafile import read_data
from core.registry.manifests import Catalogue, Intent
from core.registry.needles import Needles
from core.settings import ROOT

FORMS = ROOT / "data" / "language" / "forms.yaml"
NAMED = re.compile(r"\{([a-z]\w*)\}")
AGAIN = re.compile(r"_\d$")
"""The same slot in another alternative of a form."""
OPEN = ".{1,120}?"
LONGEST = 2_000
REMEMBERED = 16
"""Texts of which it is known which forms fit them: one question is looked at several times."""
CLOSED = frozenset({"a1", "n", "role", "format", "colour", "part", "slide"})
"""Slots whose words are known beforehand; the words of others count against a form."""


class FormsFile(BaseModel):
    """The data.

    Attributes:
        pieces: parts of forms that stand for themselves.
        slots: slot → pattern of what it may hold.
        values: slot → value → words that mean it.
        before, after: what may stand around a request.
        kinds: words that only say what kind of thing a name is for.
        articles: what may stand before a name.
        it: what refers to what was shown.
        between: what stands between two requests.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    pieces: dict[str, str]
    slots: dict[str, str]
    values: dict[str, dict[str, tuple[str, ...]]]
    before: str
    after: str
    kinds: str
    articles: str
    it: str
    between: str


@dataclass(frozen=True)
class Form:
    """One pattern of an intent.

    Attributes:
        inside: without what may stand around any request.
        whole: with it.
    """

    domain: str
    tool: str
    intent: Intent
    inside: str
    whole: str
    loose: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Made when a text first holds what it needs: most are never tried, and all of them take a while."""
        return re.compile(self.whole, re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """What a request literally asks: the intent, and slot → the words that stood there.

    Attributes:
        loose: only words that nearly any domain has spoke for it.
        surplus: characters that no form foresaw; the fewer, the surer.
    """

    domain: str
    tool: str
    intent: Intent
    words: Mapping[str, str]
    loose: bool
    surplus: int

    @property
    def implies(self) -> bool:
        """Whether it works on a file that it does not name."""
        return "file" not in self.words and any("{file." in str(value) for value in self.intent.args.values())


class Forms:
    """All forms of a catalogue.

    Args:
        catalogue: the manifests.
        file: pieces, slots and what stands around a request.
    """

    def __init__(self, catalogue: Catalogue, file: FormsFile) -> None:
        self.file = file
        self._finders = {domain.agent.found_by for domain in catalogue.domains.values()}
        self._it = re.compile(file.it.replace("{kinds}", file.kinds), re.IGNORECASE)
        self._kind = re.compile(rf"(?: {file.kinds})+$|^(?:{file.kinds} (?=\S))", re.IGNORECASE)
        self._article = re.compile(rf"^(?:{file.articles} )+", re.IGNORECASE)
        self._forms = tuple(self._of(catalogue))
        self._needles = Needles(form.inside for form in self._forms)
        self._fits = lru_cache(maxsize=REMEMBERED)(lambda text: tuple(self._fitting(text)))

    def ready(self) -> None:
        """Compile all forms; otherwise each question does some of it."""
        for form in self._forms:
            _ = form.pattern

    def match(self, *texts: str, domains: Collection[str] = (), loose: bool = True) -> Asked | None:
        """What a request asks, the form with the fewest free words first; None where no form fits the whole of it.

        Args:
            texts: the request, as it was said and in English words.
            domains: only theirs, where any are given.
            loose: also by forms that nearly any domain could have.
        """
        plain = dict.fromkeys(text[:LONGEST].strip() for text in texts)
        found = [
            asked
            for text in plain
            for asked in self._fits(text)
            if (not domains or asked.domain in domains) and (loose or not asked.loose)
        ]
        return min(found, key=lambda one: (one.loose, one.surplus, one.domain not in self._finders), default=None)

    def pair(self, text: str, domains: Collection[str] = ()) -> tuple[str, str] | None:
        """The two requests of a text to one domain, of which the second is about what the first one found or made."""
        for cut in re.finditer(self.file.between, text, re.IGNORECASE):
            first, second = text[: cut.start()], text[cut.end() :]
            begun = self.match(first, domains=domains)
            ended = self.match(second, domains=[begun.domain]) if begun else None
            if ended and any(map(self.refers, ended.words.values())):
                return first, second
        return None

    def refers(self, words: str) -> bool:
        """Whether the words of a slot only refer to what was shown."""
        return bool(self._it.fullmatch(words.strip()))

    def name(self, words: str) -> str:
        """A name without article and without the word for its kind."""
        text = self._article.sub("", words.strip(" \"'“”„«»「」.,"))
        return self._kind.sub("", text).strip(" \"'“”„«»「」") or text

    def value(self, slot: str, words: str) -> str | None:
        """The value that words mean, for a slot of which the values are known."""
        plain = re.sub(r"^an? ", "", words.casefold().strip())
        return next((value for value, said in self.file.values.get(slot, {}).items() if plain in said), None)

    def _fitting(self, text: str) -> Iterator[Asked]:
        """By each form that fits the whole of a text, in their order."""
        for form, worth in zip(self._forms, self._needles.worth(text), strict=True):
            words = self.words(form.pattern, text) if worth else None
            if words is not None:
                surplus = sum(len(said) for slot, said in words.items() if slot not in CLOSED)
                yield Asked(form.domain, form.tool, form.intent, words, form.loose, surplus)

    def _of(self, catalogue: Catalogue) -> Iterator[Form]:
        for domain, tool in catalogue.tools():
            for intent in tool.intents:
                for text, loose in [*((t, False) for t in intent.forms), *((t, True) for t in intent.loose)]:
                    inside = self._filled(text)
                    yield Form(domain, tool.name, intent, inside, self._whole(inside), loose)

    def words(self, pattern: re.Pattern[str], text: str) -> dict[str, str] | None:
        """Slot → words, where a pattern fits the whole of a text."""
        match = pattern.fullmatch(text)
        return {AGAIN.sub("", slot): said for slot, said in match.groupdict().items() if said} if match else None

    def pattern(self, text: str) -> re.Pattern[str]:
        """A form, ready for use."""
        return re.compile(self._whole(self._filled(text)), re.IGNORECASE)

    def _whole(self, inside: str) -> str:
        """What may stand around any request, too."""
        return f"{self.file.before}(?:{inside}){self.file.after}"

    def _filled(self, text: str) -> str:
        """A form with its pieces, and patterns for its slots."""
        names: Counter[str] = Counter()

        def part(match: re.Match[str]) -> str:
            name = match[1]
            if name in self.file.pieces:
                return self.file.pieces[name]
            names[name] += 1
            group = f"{name}_{names[name]}" if names[name] > 1 else name
            return f"(?P<{group}>{self.file.slots.get(name, OPEN)})"

        return NAMED.sub(part, text)


def load_forms(catalogue: Catalogue, path: Path = FORMS) -> Forms:
    """Read the pieces, and compile the forms of all manifests."""
    return Forms(catalogue, FormsFile.model_validate(read_data(path)))
