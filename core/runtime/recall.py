"""Looks for a remembered answer before a turn begins its work, and decides what is worth remembering."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from opentelemetry import trace

from core.agents.builder import ORCHESTRATOR_PROMPT
from core.agents.recollection import LOOKS
from core.registry.manifests import Catalogue, Limits
from core.runtime.cache import Key, Remembered, ResponseCache
from core.runtime.history import history
from core.runtime.narrator import Narrator
from core.runtime.turn import Turn
from core.store.conversations import Outcome
from core.store.tables import Exchange

tracer = trace.get_tracer("glassdesk")


def utc_now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


def anything(user_id: str, account: str, tool: str) -> bool:
    """Every tool may be called."""
    return True


@dataclass(frozen=True)
class Lookup:
    """What a look into the cache gave; `mark` says when it was."""

    key: Key
    mark: int
    found: Remembered | None


@dataclass(frozen=True)
class Recall:
    """The cache, and what its keys are made of.

    Attributes:
        model: its name.
        refers_back: whether a question leans on what was said before it.
        now: the clock, aware.
        open: whether a user's account may call a tool now: what was read with others is not told any more.
    """

    cache: ResponseCache
    catalogue: Catalogue
    model: str
    refers_back: Callable[[str], bool]
    now: Callable[[], datetime] = utc_now
    open: Callable[[str, str, str], bool] = anything

    def look(self, turn: Turn, earlier: Sequence[Exchange]) -> Lookup | None:
        """Look for the answer; None where nothing is remembered, or not of such a question."""
        if not self.cache.entries or turn.files:
            return None
        with tracer.start_as_current_span("cache.lookup") as span:
            key, mark = self._key(turn, earlier), self.cache.mark()
            found = None if turn.fresh else self.cache.get(key)
            if found is not None and not self._told(turn, found):
                found = None
            span.set_attributes({"glassdesk.cache.hit": found is not None, "glassdesk.cache.fresh": turn.fresh})
            if found is not None:
                span.set_attributes(savings(found))
        return Lookup(key, mark, found)

    def keep(
        self, lookup: Lookup | None, turn: Turn, outcome: Outcome, narrator: Narrator, numbers: Mapping[str, Any]
    ) -> None:
        """Remember an answer that only read, and read without a fault.

        Args:
            numbers: the turn as the HTTP contract has it.
        """
        if lookup is None or lookup.found is not None or outcome.status != "done" or numbers.get("approvals"):
            return
        read = self._read(outcome.steps)
        if read is None:
            return
        remembered = Remembered(
            turn_id=turn.id,
            answer=outcome.answer,
            domain=outcome.domain,
            read=read,
            items=tuple(narrator.items),
            saved_usd=numbers.get("cost_usd"),
            saved_tokens=tokens_of(numbers.get("usage") or {}),
        )
        self.cache.put(lookup.key, remembered, lookup.mark)

    def _told(self, turn: Turn, found: Remembered) -> bool:
        """Whether all that an answer was read with is still connected and switched on."""
        called = {str(item.get("name")) for item in found.items} & {tool.name for _, tool in self.catalogue.tools()}
        return all(self.open(turn.user.id, turn.user.account, tool) for tool in called)

    @property
    def _tokens(self) -> int:
        """The most that any agent hears of earlier turns."""
        known = (domain.agent.limits for domain in self.catalogue.domains.values())
        return max(limits.history_tokens for limits in (Limits(), *known))

    def _key(self, turn: Turn, earlier: Sequence[Exchange]) -> Key:
        user, question = turn.user, normal(turn.message)
        context = list(earlier)
        if not self.refers_back(turn.message):  # asked twice in a row, it stands where it stood the first time
            while context and normal(context[-1].question) == question:
                context.pop()
        heard = json.dumps(history(context, self._tokens), ensure_ascii=False, sort_keys=True)
        return Key(
            user_id=user.id,
            account=user.account,
            zone=user.zone.key,
            day=self.now().astimezone(user.zone).date(),
            context=hashlib.sha256(heard.encode()).hexdigest(),
            question=question,
            model=self.model,
            prompts=(ORCHESTRATOR_PROMPT, *(domain.agent.prompt for domain in self.catalogue.domains.values())),
        )

    def _read(self, steps: Sequence[Mapping[str, Any]]) -> frozenset[str] | None:
        """The domains that were read; None where a step failed or did anything but read."""
        reading = {tool.name: domain for domain, tool in self.catalogue.tools() if tool.reads}
        steps = [step for step in steps if step["tool"] not in LOOKS or step["status"] != "ok"]
        if any(step["status"] != "ok" or step["tool"] not in reading for step in steps):
            return None
        return frozenset(reading[step["tool"]] for step in steps)


def normal(question: str) -> str:
    """A question with its white space and case in order."""
    return " ".join(question.split()).casefold()


def tokens_of(usage: Mapping[str, Any]) -> int | None:
    """Tokens in and out; None where one of them is not known."""
    entered, left = usage.get("input_tokens"), usage.get("output_tokens")
    return None if entered is None or left is None else int(entered + left)


def savings(found: Remembered) -> dict[str, str | int]:
    """What is saved, as attributes; what is not known is left out."""
    known: dict[str, str | int] = {"glassdesk.cache.turn.id": found.turn_id}
    if found.saved_usd is not None:
        known["glassdesk.cache.saved_usd"] = found.saved_usd
    if found.saved_tokens is not None:
        known["glassdesk.cache.saved_tokens"] = found.saved_tokens
    return known


def renamed(items: Sequence[Mapping[str, Any]], turn_id: str) -> list[dict[str, Any]]:
    """Calls and results under ids of the turn's own: a conversation may hold them twice."""
    return [{**item, "call_id": new_id(turn_id, str(item["call_id"]))} for item in items]


def new_id(turn_id: str, call_id: str) -> str:
    """A call id as models make them."""
    return "call_" + hashlib.sha256(f"{turn_id} {call_id}".encode()).hexdigest()[:24]
