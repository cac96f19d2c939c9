"""The assistant as a specialist: picks a tool of its own, fills its arguments, answers from the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from core.agents.offline.acts import Acts, Call, Offer, Say
from core.agents.offline.conversation import Done, Turn
from core.agents.offline.deed import Deed
from core.agents.offline.errand import Errand
from core.agents.offline.fill import fill
from core.agents.offline.intents import Candidate, Operation
from core.agents.offline.mind import Mind
from core.agents.offline.shown import Item, shown_in
from core.agents.offline.things import Reader, links_in
from core.agents.offline.understanding import Understanding, Understood
from core.registry.manifests import Intent, Step

FORMED = 1.5
"""How sure a request is that was meant literally; likeness seldom gets so far."""
LINKS = (" ", ": ", " to ", " called ")
"""What may stand between a request and the answer to what was asked back."""
WEAK = frozenset({"filter", "topic", "range", "count", "read_it", "how_many"})
"""Slots that nearly any question has."""
PLAIN, FEW_WORDS = 0.85, 10
TOKEN, NEXT = "page_token", "next_page_token"


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
        if errand := self._errand(turns):
            return errand.act()
        if acts := self._both(turns):
            return acts
        turns = self._continued(turns)
        turn, understood = turns[-1], self._understanding.last(turns)
        if self.mind.references.more.search(understood.english):
            return self._more(turns, understood)
        if self.mind.references.day.search(understood.english):
            return [self._say(understood, "which_day")]
        if understood.heard.has("writes"):
            return Deed(self.mind, self.offers, self.now, turns, understood).act()
        if understood.vague or (understood.leans and understood.meaning is None):
            return [self._which_one(understood)]
        if understood.meaning is None:
            return [self._say(understood, "not_understood", domains=self.mind.about(self._domains()))]
        if isinstance(understood.meaning.intent, Operation):
            return [self._from_shown(understood, understood.meaning.intent)]
        return self._work(turn, understood, understood.meaning, understood.meaning.intent)

    @cached_property
    def _understanding(self) -> Understanding:
        return Understanding(self.mind, self.offers, self.now)

    def _continued(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """The conversation, with a question that only answers what was asked back joined to the one that it answers."""
        if len(turns) < 2 or not self._asked_back(turns[:-1]):
            return turns
        alone = self._understanding.last(turns)
        names_one = "item" in alone.heard.values and not alone.heard.rest
        new = alone.heard.has("writes") and not alone.setting.said
        if new or (alone.meaning and alone.score >= PLAIN and not names_one):
            return turns
        before, answer = turns[-2].question.rstrip(" .!?"), turns[-1].question
        for link in LINKS:
            joined = [*turns[:-1], replace(turns[-1], question=f"{before}{link}{answer}")]
            if self._deed([*turns[:-1], Turn(joined[-1].question)]).calls:
                return joined
        return turns

    def _asked_back(self, turns: Sequence[Turn]) -> bool:
        deed = self._deed(turns)
        return deed.understood.heard.has("writes") and deed.understood.meaning is not None and not deed.calls_made

    def _deed(self, turns: Sequence[Turn]) -> Deed:
        return Deed(self.mind, self.offers, self.now, turns, self._understanding.last(turns))

    def _both(self, turns: Sequence[Turn]) -> Acts | None:
        """What to do next for two requests in one, the second about what the first one found or made."""
        pair = self.mind.router.forms.pair(turns[-1].question.replace("’", "'"), self._domains())
        first = self._errand([*turns[:-1], Turn(pair[0], turns[-1].calls)]) if pair else None
        if pair is None or first is None:
            return None
        acts, left = first.gone()
        said = [act.text for act in acts if isinstance(act, Say)]
        if not said:
            return acts
        begun = Turn(pair[0], turns[-1].calls[: len(turns[-1].calls) - len(left)], said[0])
        second = self._errand([*turns[:-1], begun, Turn(pair[1], left)])
        then = second.act() if second else []
        told = [act.text for act in then if isinstance(act, Say)]
        return [Say("\n\n".join([*said, *told]))] if told else then or acts

    def _errand(self, turns: Sequence[Turn]) -> Errand | None:
        """What the last question literally asks, if it does."""
        question, forms = turns[-1].question, self.mind.router.forms
        glossed = self.mind.languages.gloss(question)
        asked = forms.match(question.replace("’", "'"), glossed.text, domains=self._domains())
        if asked is None or asked.tool not in self.offers:
            return None
        shown = self._understanding.shown_after(turns[:-1])
        links = links_in([turn.answer for turn in reversed(turns)], asked.domain)
        reader = Reader(forms, self.mind.references, self.mind.ears.times, shown, links)
        return Errand(self.mind, self.offers, self.now, asked, reader, glossed.language, turns)

    def confidence(self, turns: Sequence[Turn]) -> float:
        """How sure it is that the last question is for its tools; 0 where only loose words speak for that."""
        if self._errand(turns):
            return FORMED
        turns = self._continued(turns)
        understood = self._understanding.last(turns)
        meaning = understood.meaning
        if meaning is None or meaning.tool is None:
            return 0.0
        evidence = {*meaning.intent.needs, *understood.heard.values} - WEAK
        return understood.score if evidence else 0.0

    def plain(self, turns: Sequence[Turn]) -> bool:
        """Whether the last question is short and nearly word for word one that its tools are known for, and a read."""
        understood = self._understanding.last(turns)
        tool = understood.meaning.tool if understood.meaning else None
        if tool is None or understood.vague or not self.mind.catalogue.tool(tool).reads:
            return False
        return understood.score >= PLAIN and len(turns[-1].question.split()) <= FEW_WORDS

    def _work(self, turn: Turn, understood: Understood, meaning: Candidate, intent: Intent) -> Acts:
        slots = self._slots(understood, intent)
        assert meaning.tool is not None
        steps = [Step(tool=meaning.tool, args=intent.args), *intent.then]
        if turn.calls and (failed := failure(turn.calls)):
            return [self._say(understood, "failed", sentence=failed)]
        done = len(turn.calls)
        named = steps[done].named if done < len(steps) else None
        found = self._items(turn.calls[-1], slots.get(named or "")) if turn.calls else []
        if done < len(steps) and (not done or found):
            values = {**slots, "found": found[0]} if found else slots
            return [self._call(steps[done], values)]
        first = self._items(turn.calls[0])
        template = intent.answer if done >= len(steps) else intent.missing
        return [self._answer(understood, turn.calls[-1], template, slots, len(first) if done > 1 else 0)]

    def _answer(
        self, understood: Understood, call: Done, template: str | None, slots: Mapping[str, Any], found_count: int = 0
    ) -> Say:
        name = template or self.mind.catalogue.tool(call.name).answer or "result"
        asked = dict.fromkeys(understood.heard.signals, True)
        result = call.output.value if call.output else None
        values = {"result": result, "args": call.args, "slots": slots, "asked": asked, "found_count": found_count}
        return self._say(understood, name, **values)

    def _more(self, turns: Sequence[Turn], understood: Understood) -> Acts:
        calls = [call for turn in turns for call in turn.calls if call.name in self.offers]
        fresh = turns[-1].calls
        last = calls[-1] if calls else None
        if last is None or last.output is None:
            return [self._which_one(understood)]
        if fresh:
            failed = failure(fresh)
            if failed:
                return [self._say(understood, "failed", sentence=failed)]
            return [self._answer(understood, last, None, {})]
        token = (last.output.value or {}).get(NEXT)
        if not token or TOKEN not in self.offers[last.name].parameters:
            return [self._say(understood, "no_more")]
        return [Call(last.name, {**last.args, TOKEN: token})]

    def _from_shown(self, understood: Understood, operation: Operation) -> Say:
        kept, heard = understood.kept(), understood.heard
        shown = understood.shown
        assert shown is not None
        if operation.op == "pick":
            return self._say(understood, shown.kind.answer, item=heard.values["item"])
        name = "counted" if operation.op == "count" else "kept"
        return self._say(understood, name, kept=kept, of=len(shown.items))

    def _which_one(self, understood: Understood) -> Say:
        return self._say(understood, "which_one", number=len(understood.shown.items) if understood.shown else 0)

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
        return [manifest.agent.domain for manifest in self._understanding.manifests()]

    def _say(self, understood: Understood, template: str, **values: Any) -> Say:
        given = {"slots": {}, "asked": {}, **values}
        return Say(self.mind.answers.render(template, self.now, understood.language, **given))


def failure(calls: Sequence[Done]) -> str | None:
    """What the last call said, where that was no result."""
    output = calls[-1].output
    if output is None:
        return "The tool gave no answer."
    return None if output.value is not None else output.text
