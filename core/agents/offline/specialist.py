"""The assistant as a specialist: picks a tool of its own, fills its arguments, answers from the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core.agents.offline.acts import Acts, Call, Offer, Say
from core.agents.offline.conversation import Done, Turn
from core.agents.offline.fill import fill
from core.agents.offline.intents import Candidate, Operation
from core.agents.offline.mind import Mind
from core.agents.offline.shown import Item, Shown, shown_in
from core.agents.offline.slots import UNRESOLVED, Heard, Setting
from core.registry.glossary import ENGLISH
from core.registry.manifests import DomainManifest, Intent, Step

WEAK = frozenset({"filter", "topic", "range", "count", "read_it", "how_many"})
"""Slots that nearly any question has."""
TOKEN, NEXT = "page_token", "next_page_token"


@dataclass(frozen=True)
class Understood:
    """A question with what was heard in it, what was shown before, and what it means (None: not understood)."""

    heard: Heard
    shown: Shown | None
    setting: Setting
    meaning: Candidate | None
    score: float

    @property
    def vague(self) -> bool:
        """Whether it gives nothing to go by, or means an item that was not shown."""
        return not self.heard.has("filter") and (self.shown is None or self.heard.has(UNRESOLVED))


@dataclass(frozen=True)
class Specialist:
    """One model call of a specialist.

    Attributes:
        offers: the tools that it was given.
        now: aware, in the user's zone.
    """

    mind: Mind
    offers: Mapping[str, Offer]
    now: datetime

    def act(self, turns: Sequence[Turn]) -> Acts:
        """What to do next in a conversation; the last turn is to be answered."""
        turn, english = turns[-1], self._english(turns[-1])
        if self.mind.references.more.search(english.strip()):
            return self._more(turns)
        understood = self._understood(turns)
        if understood.heard.has("writes"):
            return [self._say("cannot_write", domains=self.mind.about(self._domains()))]
        if understood.vague and not self._newest(understood, english) and self.mind.references.refers_back(english):
            return [self._which_one(understood.shown)]
        if understood.meaning is None:
            return [self._not_understood(turn.question, understood)]
        if isinstance(understood.meaning.intent, Operation):
            return [self._from_shown(understood, understood.meaning.intent)]
        return self._work(turn, understood, understood.meaning, understood.meaning.intent)

    def confidence(self, turns: Sequence[Turn]) -> float:
        """How sure it is that the last question is for its tools; 0 where only loose words speak for that."""
        understood = self._understood(turns)
        meaning = understood.meaning
        if meaning is None or meaning.tool is None:
            return 0.0
        evidence = {*meaning.intent.needs, *understood.heard.values} - WEAK
        return understood.score if evidence else 0.0

    def _work(self, turn: Turn, understood: Understood, meaning: Candidate, intent: Intent) -> Acts:
        slots = self._slots(understood, intent)
        assert meaning.tool is not None
        steps = [Step(tool=meaning.tool, args=intent.args), *intent.then]
        if turn.calls and (failed := failure(turn.calls)):
            return [self._say("failed", sentence=failed)]
        done = len(turn.calls)
        named = steps[done].named if done < len(steps) else None
        found = self._items(turn.calls[-1], slots.get(named or "")) if turn.calls else []
        if done < len(steps) and (not done or found):
            values = {**slots, "found": found[0]} if found else slots
            return [self._call(steps[done], values)]
        first = self._items(turn.calls[0])
        template = intent.answer if done >= len(steps) else intent.missing
        return [self._answer(turn.calls[-1], template, slots, understood.heard, len(first) if done > 1 else 0)]

    def _answer(
        self, call: Done, template: str | None, slots: Mapping[str, Any], heard: Heard, found_count: int = 0
    ) -> Say:
        name = template or self.mind.catalogue.tool(call.name).answer or "failed"
        asked = dict.fromkeys(heard.signals, True)
        result = call.output.value if call.output else None
        return self._say(name, result=result, args=call.args, slots=slots, asked=asked, found_count=found_count)

    def _more(self, turns: Sequence[Turn]) -> Acts:
        calls = [call for turn in turns for call in turn.calls if call.name in self.offers]
        fresh = turns[-1].calls
        last = calls[-1] if calls else None
        if last is None or last.output is None:
            return [self._which_one(None)]
        if fresh:
            failed = failure(fresh)
            slots = {"range": None}
            return [self._say("failed", sentence=failed) if failed else self._answer(last, None, slots, NOTHING)]
        token = (last.output.value or {}).get(NEXT)
        if not token or TOKEN not in self.offers[last.name].parameters:
            return [self._say("no_more")]
        return [Call(last.name, {**last.args, TOKEN: token})]

    def _from_shown(self, understood: Understood, operation: Operation) -> Say:
        kept, heard = self._kept(understood), understood.heard
        shown = understood.shown
        assert shown is not None
        if operation.op == "pick":
            return self._say(shown.kind.answer, item=heard.values["item"])
        name = "counted" if operation.op == "count" else "kept"
        return self._say(name, kept=kept, of=len(shown.items))

    def _kept(self, understood: Understood) -> list[Item]:
        shown, values = understood.shown, understood.heard.values
        if shown is None:
            return []
        kind, items = shown.kind, list(shown.items)
        for slot in ("person", "guest"):
            items = [item for item in items if kind.about(item, values.get(slot, ""), kind.people)]
        for flag in str(values.get("flags", "")).split():
            items = [item for item in items if kind.holds(item, flag)]
        return [item for item in items if kind.about(item, values.get("topic", ""), kind.text)]

    def _shown_after(self, turns: Sequence[Turn]) -> Shown | None:
        """What a person sees last: the newest list or item, or what was chosen from it since."""
        results = [self._results(turn) for turn in turns]
        lists = [index for index, found in enumerate(results) if any(len(one.items) > 1 for one in found)]
        first = lists[-1] if lists else 0
        shown: Shown | None = None
        for turn, found in zip(turns[first:], results[first:], strict=True):
            if found:
                shown = self._with_list(found[-1], shown)
            elif shown and not turn.calls:
                shown = self._chosen(turn, shown)
        return shown

    def _results(self, turn: Turn) -> list[Shown]:
        return [one for call in turn.calls if (one := shown_in(call, self.mind.catalogue, self.mind.kinds))]

    def _with_list(self, new: Shown, before: Shown | None) -> Shown:
        """One item read from a list leaves the list as it was, with that item in focus."""
        if before and new.name == before.name and len(new.items) == 1 and len(before.items) > 1:
            return before.only(new.items[0])
        return new

    def _chosen(self, turn: Turn, shown: Shown) -> Shown:
        understood = self._understand(turn.question, shown)
        operation = understood.meaning.intent if understood.meaning else None
        if not isinstance(operation, Operation):
            return shown
        if operation.op == "pick":
            return shown.only(understood.heard.values["item"])
        kept = self._kept(understood) if operation.op == "keep" else []
        return shown.kept(kept) if kept else shown

    def _understood(self, turns: Sequence[Turn]) -> Understood:
        """The last question; "and next week?" is the one before it with another time."""
        understood = self._understand(turns[-1].question, self._shown_after(turns[:-1]))
        asked = [index for index, turn in enumerate(turns[:-1], start=1) if turn.calls and turn.question]
        again = self.mind.references.again.search(self._english(turns[-1]).strip())
        if not (again and asked and understood.heard.has("filter")):
            return understood
        before = self._understood(turns[: asked[-1]])
        heard = understood.heard.after(before.heard)
        meaning, score = self.mind.intents.weigh(heard, self.offers)
        return replace(understood, heard=heard, meaning=meaning, score=score) if meaning else understood

    def _english(self, turn: Turn) -> str:
        return self.mind.languages.gloss(turn.question).text

    def _understand(self, question: str, shown: Shown | None) -> Understood:
        glossed = self.mind.languages.gloss(question)
        domains = self._manifests()
        setting = Setting(
            now=self.now,
            tense=domains[0].agent.tense if domains else "future",
            shown=shown,
            words=merged(domains),
            nouns=frozenset(noun for domain in domains for noun in domain.agent.nouns),
            marks=self.mind.languages.marks(glossed.language) if glossed.language != ENGLISH else frozenset(),
        )
        heard = self.mind.ears.hear(glossed.text, setting)
        meaning, score = self.mind.intents.weigh(heard, self.offers)
        return Understood(heard, shown, setting, meaning, score)

    def _not_understood(self, question: str, understood: Understood) -> Say:
        if self.mind.references.refers_back(self.mind.languages.gloss(question).text.strip()):
            return self._which_one(understood.shown)
        return self._say("not_understood", domains=self.mind.about(self._domains()))

    def _newest(self, understood: Understood, english: str) -> bool:
        """Whether "the newest mail" is asked for with nothing shown: that needs no list."""
        words = set(english.casefold().strip(" ?.!").split())
        superlative = any(word in english.casefold() for word in self.mind.references.superlatives)
        return understood.shown is None and superlative and bool(words & understood.setting.nouns)

    def _which_one(self, shown: Shown | None) -> Say:
        return self._say("which_one", number=len(shown.items) if shown else 0)

    def _slots(self, understood: Understood, intent: Intent) -> dict[str, Any]:
        slots = dict(understood.heard.values)
        for slot, phrase in intent.default.items():
            if slot not in slots:
                slots[slot] = self.mind.ears.range_of(phrase, understood.setting)
        return slots

    def _call(self, step: Step, slots: Mapping[str, Any]) -> Call:
        return Call(step.tool, self.offers[step.tool].taken(fill(step.args, slots)))

    def _items(self, call: Done, name: str | None = None) -> list[Item]:
        shown = shown_in(call, self.mind.catalogue, self.mind.kinds)
        items = shown.items if shown else ()
        return [item for item in items if not (name and shown) or shown.kind.about(item, name, shown.kind.text)]

    def _domains(self) -> list[str]:
        return [manifest.agent.domain for manifest in self._manifests()]

    def _manifests(self) -> list[DomainManifest]:
        domains = self.mind.catalogue.domains.values()
        return [domain for domain in domains if any(tool.name in self.offers for tool in domain.tools)]

    def _say(self, template: str, **values: Any) -> Say:
        return Say(self.mind.answers.render(template, self.now, **{"slots": {}, "asked": {}, **values}))


NOTHING = Heard({}, frozenset(), "")


def failure(calls: Sequence[Done]) -> str | None:
    """What the last call said, where that was no result."""
    output = calls[-1].output
    if output is None:
        return "The tool gave no answer."
    return None if output.value is not None else output.text


def merged(domains: Sequence[DomainManifest]) -> dict[str, dict[str, tuple[str, ...]]]:
    """The words of all tools of some domains, by slot."""
    words: dict[str, dict[str, tuple[str, ...]]] = {}
    for tool in (tool for domain in domains for tool in domain.tools):
        for slot, meanings in tool.words.items():
            words.setdefault(slot, {}).update(meanings)
    return words
