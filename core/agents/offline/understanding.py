"""What a question means, in the light of the conversation before it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.agents.offline.conversation import Turn
from core.agents.offline.heard import UNRESOLVED, Heard, Setting
from core.agents.offline.holes import HOLE
from core.agents.offline.intents import Candidate, Operation
from core.agents.offline.mind import Mind
from core.agents.offline.shown import Item, Shown, shown_in
from core.agents.offline.spoken import spoken_day
from core.registry.glossary import ENGLISH
from core.registry.manifests import DomainManifest


@dataclass(frozen=True)
class Understood:
    """A question.

    Attributes:
        english: its words, glossed, from its `language`.
        heard: slots.
        shown: what was shown before.
        meaning: None where it was not understood; `score` says how sure that is.
        leans: it refers to what was shown.
    """

    english: str
    language: str
    heard: Heard
    shown: Shown | None
    setting: Setting
    meaning: Candidate | None
    score: float
    leans: bool

    @property
    def vague(self) -> bool:
        """Whether it gives nothing to go by, or means an item that was not shown."""
        nothing = not self.heard.has("filter") and (self.shown is None or self.heard.has(UNRESOLVED))
        return nothing and self.leans

    def kept(self) -> list[Item]:
        """The items shown that pass what was heard: people, words of a search, topic."""
        if self.shown is None:
            return []
        kind, items, values = self.shown.kind, list(self.shown.items), self.heard.values
        for slot in ("person", "guest"):
            items = [item for item in items if kind.about(item, values.get(slot, ""), kind.people)]
        for flag in str(values.get("flags", "")).split():
            items = [item for item in items if kind.holds(item, flag)]
        return [item for item in items if kind.about(item, values.get("topic", ""), kind.text)]


@dataclass(frozen=True)
class Understanding:
    """Understands questions for the tools that are offered.

    Attributes:
        tools: their names.
        now: aware, in the user's zone.
    """

    mind: Mind
    tools: Collection[str]
    now: datetime
    _known: dict[tuple[int, ...], tuple[Sequence[Turn], Understood]] = field(default_factory=dict, repr=False)

    def last(self, turns: Sequence[Turn]) -> Understood:
        """The last question; what these very turns come to is found out once."""
        key = tuple(map(id, turns))  # nothing else gets these as long as the turns are held here
        if key not in self._known:
            self._known[key] = (list(turns), self._last(turns))
        return self._known[key][1]

    def _last(self, turns: Sequence[Turn]) -> Understood:
        """As `last`; "and next week?" is the question before it with another time."""
        understood = self._one(turns[-1].question, self.shown_after(turns[:-1]))
        asked = [index for index, turn in enumerate(turns[:-1], start=1) if turn.calls and turn.question]
        again = self.mind.references.again.search(understood.english)
        if not (again and asked and understood.heard.has("filter")):
            return understood
        before = self.last(turns[: asked[-1]])
        heard = understood.heard.after(before.heard)
        meaning, score = self.mind.intents.weigh(heard, self.tools)
        return replace(understood, heard=heard, meaning=meaning, score=score) if meaning else understood

    def _one(self, question: str, shown: Shown | None) -> Understood:
        language = self.mind.languages.gloss(question).language
        said = self.mind.sayings.find(question, language)
        glossed = self.mind.languages.gloss_from(said.cut_from(question, HOLE) if said else question, language)
        domains = self.manifests()
        setting = Setting(
            now=self.now,
            tense=domains[0].agent.tense if domains else "future",
            shown=shown,
            words=merged(domains, reads=True),
            deeds=merged(domains, reads=False),
            said=said.text if said else None,
            nouns=frozenset(noun for domain in domains for noun in domain.agent.nouns),
            marks=self.mind.languages.marks(glossed.language) if glossed.language != ENGLISH else frozenset(),
            origins=glossed.origins,
        )
        english = self._with_day(glossed.text.strip(), shown)
        deed = said is not None or self.mind.ears.asks_for_a_deed(english, setting)
        heard = (self.mind.deeds if deed else self.mind.ears).hear(english, setting)
        meaning, score = self.mind.intents.weigh(heard, self.tools)
        leans = self.mind.references.refers_back(english) and not self._newest(english, setting)
        return Understood(english, glossed.language, heard, shown, setting, meaning, score, leans)

    def _with_day(self, english: str, shown: Shown | None) -> str:
        """A question with the day in it that "that day" means: of what was spoken of last, or of all that was shown."""
        match = self.mind.references.day.search(english)
        if match is None or shown is None:
            return english
        items = [shown.focus] if shown.focus else shown.items
        days = {spoken_day(one, shown.kind, self.mind.ears.times, self.mind.languages, self.now) for one in items}
        day = days.pop() if len(days) == 1 else None
        return f"{english[: match.start()]}on {day:%-d %B %Y}{english[match.end() :]}" if day else english

    def _newest(self, english: str, setting: Setting) -> bool:
        """Whether "the newest mail" is asked for with nothing shown: that needs no list."""
        words = set(english.casefold().strip(" ?.!").split())
        superlative = any(word in english.casefold() for word in self.mind.references.superlatives)
        return setting.shown is None and superlative and bool(words & setting.nouns)

    def manifests(self) -> list[DomainManifest]:
        """The domains of the tools."""
        domains = self.mind.catalogue.domains.values()
        return [domain for domain in domains if any(tool.name in self.tools for tool in domain.tools)]

    def shown_after(self, turns: Sequence[Turn]) -> Shown | None:
        """What a person sees last: the newest list or item, or what was chosen from it since."""
        results = [self._results(turn) for turn in turns]
        lists = [index for index, found in enumerate(results) if any(len(one.items) > 1 for one in found)]
        first = lists[-1] if lists else 0
        shown: Shown | None = None
        for turn, found in zip(turns[first:], results[first:], strict=True):
            if found:
                shown = self._with_list(found[-1], shown)
            elif shown:
                shown = self._chosen(turn, shown)
        return shown

    def _results(self, turn: Turn) -> list[Shown]:
        return [one for call in turn.calls if (one := shown_in(call, self.mind.catalogue, self.mind.kinds))]

    def _with_list(self, new: Shown, before: Shown | None) -> Shown:
        """One item read from a list leaves the list as it was, with that item in focus; what was known of it stays."""
        if before and len(new.items) == 1:
            new = new.knowing(before)
        if before and new.name == before.name and len(new.items) == 1 and len(before.items) > 1:
            return before.only(new.items[0])
        return new

    def _chosen(self, turn: Turn, shown: Shown) -> Shown:
        understood = self._one(turn.question, shown)
        operation = understood.meaning.intent if understood.meaning else None
        if not isinstance(operation, Operation):
            meant = understood.heard.values.get(shown.name)
            return shown.only(meant) if meant and understood.heard.has("writes") else shown
        if operation.op == "pick":
            return shown.only(understood.heard.values["item"])
        kept = understood.kept() if operation.op == "keep" else []
        return shown.kept(kept) if kept else shown


def merged(domains: Sequence[DomainManifest], reads: bool) -> dict[str, dict[str, tuple[str, ...]]]:
    """The words of all tools of some domains that read, or that change something, by slot."""
    words: dict[str, dict[str, tuple[str, ...]]] = {}
    for tool in (tool for domain in domains for tool in domain.tools if tool.reads == reads):
        for slot, meanings in tool.words.items():
            words.setdefault(slot, {}).update(meanings)
    return words
