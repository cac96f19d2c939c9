"""The assistant as orchestrator: hands each part of a question to its specialist, and passes their answers on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.agents.offline.acts import Acts, Call, Offer, Say
from core.agents.offline.conversation import Turn
from core.agents.offline.mind import Mind
from core.agents.offline.specialist import Specialist
from core.agents.offline.tasks import Task, tasks
from core.registry.relays import Relay
from core.registry.router import Part, ranked

POSSIBLE = 0.25
SURE = 0.6


@dataclass(frozen=True)
class Orchestrator:
    """One model call of the orchestrator.

    Attributes:
        offers: the delegating tools that it was given.
        now: aware, in the user's zone.
    """

    mind: Mind
    offers: Mapping[str, Offer]
    now: datetime

    def act(self, turns: Sequence[Turn]) -> Acts:
        """What to do next; the last turn is to be answered."""
        turn = turns[-1]
        relay = self.mind.router.relay(turn.question, self._last_domain(turns))
        if relay and {self._task(domain) for domain in relay.domains} <= self.offers.keys():
            return self._relayed(turn, relay)
        if not turn.calls and (absent := self._absent(turns)):
            language = self.mind.languages.gloss(turn.question).language
            return [self._say("switched_off", language, names=", ".join(absent))]
        parts = tasks(self._parts(turns), self.mind, self.now)
        if turn.calls:
            return self._told(turn, [part for part in parts if part.tells])
        glossed = self.mind.languages.gloss(turn.question)
        talk = self.mind.talk.answer(glossed.text)
        if talk:
            return [self._say(talk, glossed.language)]
        calls = [Call(self._task(part.domain), {"query": part.text}) for part in parts if not part.tells]
        return calls or [self._say("cannot", glossed.language)]

    def _absent(self, turns: Sequence[Turn]) -> list[str]:
        """The titles of the specialists that it is for, where none of these is here."""
        if len(self.offers) == len(self.mind.catalogue.domains):
            return []
        domains = self.mind.router.route(turns[-1].question, self._last_domain(turns)).domains
        here = any(self._task(name) in self.offers for name in domains)
        return [] if here else [self.mind.catalogue.domains[name].agent.title for name in domains]

    def _told(self, turn: Turn, tells: Sequence[Task]) -> Acts:
        """What is to be told somebody of what was done; or else all answers."""
        answers = [call.output.text.strip() if call.output else "" for call in turn.calls]
        made = [
            call for call in turn.calls if any(str(call.args.get("query", "")).startswith(one.text) for one in tells)
        ]
        told = [(task, task.telling(answers)) for task in tells] if not made else []
        calls = [Call(self._task(task.domain), {"query": query}) for task, query in told if query]
        return calls or [Say(self._passed_on(turn))]

    def _relayed(self, turn: Turn, relay: Relay) -> Acts:
        """The next step, with what the one before answered; or that answer, where it was the last or leads nowhere."""
        done = len(turn.calls)
        output = turn.calls[-1].output if turn.calls else None
        answer = output.text if output else ""
        ask = relay.ask(done, answer) if done < len(relay.steps) else None
        return [Call(self._task(relay.steps[done].domain), {"query": ask})] if ask else [Say(answer)]

    def _parts(self, turns: Sequence[Turn]) -> list[Part]:
        question = turns[-1].question
        asked = self.mind.router.literal(question, self._last_domain(turns), loose=True)
        if asked and self._task(asked.domain) in self.offers:
            return [Part(question, asked.domain)]
        parts = [part for part in self.mind.router.parts(question) if self._task(part.domain) in self.offers]
        if len({part.domain for part in parts}) > 1:
            return parts
        domain = self._domain(turns) or self._understood_by(turns)
        return [Part(question, domain)] if domain else []

    def _domain(self, turns: Sequence[Turn]) -> str | None:
        question = turns[-1].question
        decision = self.mind.router.route(question, self._last_domain(turns))
        possible = [name for name in decision.domains if self._task(name) in self.offers]
        if possible:
            return (self._understood_by(turns) if len(possible) > 1 else None) or possible[0]
        here = [name for name in ranked(decision.scores) if self._task(name) in self.offers]
        named = [name for name in here if self._names(question, name)]
        return named[0] if named and decision.scores[named[0]] >= POSSIBLE else None

    def _understood_by(self, turns: Sequence[Turn]) -> str | None:
        """The specialist that would know what to do with it."""
        scores = {}
        for name, manifest in self.mind.catalogue.domains.items():
            offers = {tool.name: Offer(tool.name, frozenset()) for tool in manifest.tools}
            scores[name] = Specialist(self.mind, offers, self.now).confidence(turns)
        best = ranked(scores)[0]
        return best if scores[best] >= SURE and self._task(best) in self.offers else None

    def _names(self, question: str, domain: str) -> bool:
        words = self.mind.languages.gloss(question).text.casefold().split()
        return bool({word.strip("?.!,;:") for word in words} & set(self.mind.catalogue.domains[domain].agent.nouns))

    def _last_domain(self, turns: Sequence[Turn]) -> str | None:
        owners = {tool.name: domain for domain, tool in self.mind.catalogue.tools()}
        owners |= {manifest.agent.task: name for name, manifest in self.mind.catalogue.domains.items()}
        used = [owners[call.name] for turn in turns[:-1] for call in turn.calls if call.name in owners]
        return used[-1] if used else None

    def _passed_on(self, turn: Turn) -> str:
        texts = [call.output.text if call.output else "" for call in turn.calls]
        if len(texts) == 1:
            return texts[0]
        titles = {manifest.agent.task: manifest.agent.title for manifest in self.mind.catalogue.domains.values()}
        named = zip((titles.get(call.name, call.name) for call in turn.calls), texts, strict=True)
        return "\n\n".join(f"**{title}**\n\n{text}" for title, text in named)

    def _task(self, domain: str) -> str:
        return self.mind.catalogue.domains[domain].agent.task

    def _say(self, template: str, language: str, **more: Any) -> Say:
        here = [name for name in self.mind.catalogue.domains if self._task(name) in self.offers]
        values: dict[str, Any] = {"domains": self.mind.about(here), "slots": {}, **more}
        return Say(self.mind.answers.render(template, self.now, language, **values))
