"""The assistant as specialist for tools that no manifest teaches it: an added server's, known by schemas alone."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.agents.offline.acts import Acts, Call, Offer, Say
from core.agents.offline.conversation import Turn
from core.agents.offline.mind import Mind

QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]+)[\"”“»]")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
NEAR = 0.25
"""How like a tool's words a question must be, where there are several tools."""
Unknown = object()


@dataclass(frozen=True)
class Stranger:
    """One model call of such a specialist: the likest tool is called, where the question fills what it needs.

    Attributes:
        offers: the tools that it was given.
        now: aware, in the user's zone.
    """

    mind: Mind
    offers: Mapping[str, Offer]
    now: datetime

    def act(self, turns: Sequence[Turn]) -> Acts:
        """What to do next; the last turn is to be answered."""
        turn = turns[-1]
        glossed = self.mind.languages.gloss(turn.question)
        if turn.calls:
            return [self._told(turn, glossed.language)]
        offer = self._likest(glossed.text)
        if offer is None:
            return [self._say("server_needs", glossed.language, names="")]
        args = dict(arguments(offer, turn.question))
        missing = [name for name in needed(offer) if args.get(name, Unknown) is Unknown]
        if missing:
            names = ", ".join(name.replace("_", " ") for name in missing)
            return [self._say("server_needs", glossed.language, names=names)]
        return [Call(offer.name, args)]

    def _likest(self, question: str) -> Offer | None:
        known = list(self.offers.values())
        words = [f"{one.name.partition('__')[2].replace('_', ' ')}. {one.description}" for one in known]
        near = self.mind.embedder.embed(words) @ self.mind.embedder.embed([question])[0]
        best = int(near.argmax())
        return known[best] if near[best] >= NEAR or len(known) == 1 else None

    def _told(self, turn: Turn, language: str) -> Say:
        output = turn.calls[-1].output
        text = "" if output is None else output.text or json.dumps(output.value, ensure_ascii=False)
        title = turn.calls[-1].name.partition("__")[2].replace("_", " ").capitalize()
        return self._say("server_result", language, title=title, text=text)

    def _say(self, template: str, language: str, **values: Any) -> Say:
        return Say(self.mind.answers.render(template, self.now, language, **values))


def needed(offer: Offer) -> list[str]:
    """The parameters that a tool needs, in its own order."""
    return [name for name in offer.schema if name in offer.required]


def arguments(offer: Offer, question: str) -> Iterator[tuple[str, Any]]:
    """What the question gives to a tool: quoted words and numbers in order; for a single text, the whole question."""
    quoted, numbers = iter(QUOTED.findall(question)), iter(NUMBER.findall(question))
    texts = [name for name in needed(offer) if offer.schema[name].get("type") == "string"]
    for name in needed(offer):
        schema = offer.schema[name]
        match schema.get("type"):
            case "string" if "enum" in schema:
                said = (one for one in schema["enum"] if str(one).casefold() in question.casefold())
                yield name, next(said, Unknown)
            case "string":
                yield name, next(quoted, question if len(texts) == 1 else Unknown)
            case "integer" | "number":
                number = next(numbers, None)
                yield name, Unknown if number is None else json.loads(number)
            case "boolean":
                yield name, False
            case _:
                yield name, Unknown
