"""A request to change something: finds what it is about, asks for what is missing, calls the tool, tells what came."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from core.agents.offline import booking, contacts
from core.agents.offline.acts import Acts, Call, Offer, Say
from core.agents.offline.conversation import Done, Turn
from core.agents.offline.days import Range
from core.agents.offline.endings import ending
from core.agents.offline.fill import fill
from core.agents.offline.heard import UNRESOLVED
from core.agents.offline.mind import Mind
from core.agents.offline.shown import Item, shown_in
from core.agents.offline.spoken import spoken_day
from core.agents.offline.understanding import Understood
from core.registry.manifests import Intent, Step

ADDRESS, WHO = "address", ("to", "person", "guest")
UNKNOWN = ("unknown whether", "is unknown")
REPLY = ("re: ", "fwd: ", "fw: ", "aw: ")
LISTED = re.compile(r",| and ")
Slots = dict[str, Any]


@dataclass(frozen=True)
class Deed:
    """One model call of a specialist for such a request.

    Attributes:
        offers: the tools that it was given.
        now: aware, in the user's zone.
        turns: the conversation; the last one is to be answered.
    """

    mind: Mind
    offers: Mapping[str, Offer]
    now: datetime
    turns: Sequence[Turn]
    understood: Understood

    def act(self) -> Acts:
        """What to do next."""
        meaning = self.understood.meaning
        if meaning is None or meaning.tool is None or not isinstance(meaning.intent, Intent):
            return [self._say("cannot_write", domains=self.mind.about([self._domain()]))]
        intent, slots = meaning.intent, self._heard(meaning.intent)
        left = list(self.turns[-1].calls)
        fills = {step.fills for step in intent.first}
        later = fills | DERIVED if fills & SOURCES else fills
        if missing := self._missing(intent, slots, later):
            return [missing]
        for step in intent.first:
            found = self._filled(step, slots, left)
            if isinstance(found, Say):
                return [found]
            if isinstance(found, Call):
                return [found]
            slots = self._derived(intent, slots | found)
        if missing := self._missing(intent, slots, later=()):
            return [missing]
        if left:
            return [self._told(left[-1], slots, intent)]
        call = self._call(Step(tool=meaning.tool, args=intent.args), slots)
        if self.offers[call.name].required - call.args.keys():
            return [self._say("cannot_write", domains=self.mind.about([self._domain()]))]
        return [call]

    def _filled(self, step: Step, slots: Slots, left: list[Done]) -> Slots | Call | Say:
        """What a call before the deed fills: nothing where that is known, the call where it was not made yet."""
        if step.fills in slots:
            return {}
        if step.fills in UNSAID and self._unsaid():
            shown = self.understood.shown
            return self._say("which_one", number=len(shown.items) if shown else 0)
        return self._found(step, left.pop(0), slots) if left else self._call(step, slots)

    def _unsaid(self) -> bool:
        """Whether nothing says which item is meant, or one that was not shown."""
        english = self.understood.english.casefold()
        newest = any(word in english for word in (*self.mind.references.superlatives, "last "))
        return self.understood.heard.has(UNRESOLVED) or not (newest or self.understood.heard.has("filter"))

    @property
    def calls(self) -> bool:
        """Whether a call is next."""
        return self.understood.heard.has("writes") and isinstance(self.act()[0], Call)

    @property
    def calls_made(self) -> bool:
        """Whether the call that it asks for was made."""
        meaning = self.understood.meaning
        return meaning is not None and any(call.name == meaning.tool for call in self.turns[-1].calls)

    def _heard(self, intent: Intent) -> Slots:
        slots = dict(self.understood.heard.values)
        for slot, phrase in intent.default.items():
            if slot not in slots:
                slots[slot] = self.mind.ears.range_of(phrase, self.understood.setting)
        who = names(slots)
        slots["wanted"] = " ".join(f"from:{word}" for name in who[:1] for word in name.split())
        if len(who) > 1:
            slots["wanted"] = "{" + " ".join(f"from:{name.split()[0]}" for name in who) + "}"
        slots["people"] = " ".join(who)
        slots |= self._addresses(who, contacts.calls_of(self.turns[:-1])) or {}
        return self._derived(intent, slots)

    def _addresses(self, who: Sequence[str], calls: Sequence[Done]) -> Slots | None:
        """The addresses of people, where each has one and only one."""
        found = [[said] if (said := contacts.address_in(name)) else list(contacts.known(name, calls)) for name in who]
        if not who or any(len(one) != 1 for one in found):
            return None
        addresses = [one for (one,) in found]
        return {ADDRESS: ", ".join(addresses), "addresses": addresses}

    def _derived(self, intent: Intent, slots: Slots) -> Slots:
        """What follows from the other slots: when an event is to be, its title, all its guests."""
        heard, mail, event = self.understood.heard, slots.get("mail"), slots.get("event")
        more: Slots = {}
        if mail and "title" not in slots:
            more["title"] = plain_subject(str(mail["subject"]))
        said_range = heard.values.get("range")
        day = self._day_of(mail) if mail and not (said_range and said_range.dated) else None
        more["booking"] = booking.booked(said_range, slots.get("minutes"), day)
        if event:
            minutes = slots.get("minutes")
            shift = -minutes if minutes and heard.has("earlier") else minutes if heard.has("later") else None
            more["moved"] = booking.moved(event, slots.get("new"), shift, self.now)
        if full := slots.get("full"):
            guests = [guest["email"] for guest in full.get("guests", []) if not guest.get("me")]
            more["everybody"] = list(dict.fromkeys([*guests, *slots["addresses"]])) if ADDRESS in slots else None
        return {**slots, **{name: value for name, value in more.items() if value is not None}}

    def _day_of(self, mail: Item) -> date | None:
        """The first day that a mail speaks of, seen from when it was written."""
        return spoken_day(mail, self.mind.kinds["mail"], self.mind.ears.times, self.mind.languages, self.now)

    def _found(self, step: Step, call: Done, slots: Slots) -> Slots | Say:
        """What a call before the deed found; a sentence where it failed or found too much."""
        end = ending(call)
        if not end.done:
            return self._say(end.template, sentence=end.words)
        if step.fills == ADDRESS:
            calls = [*contacts.calls_of(self.turns[:-1]), call]
            several = [people for name in names(slots) if len(people := contacts.known(name, calls)) > 1]
            if several:
                return self._say("which_address", people=several[0])
            return self._addresses(names(slots), calls) or {}
        shown = shown_in(call, self.mind.catalogue, self.mind.kinds)
        items = list(shown.items) if shown else []
        assert step.fills is not None
        if step.fills.startswith("all_"):
            return {step.fills: items} if items else {}
        if step.fills == "event":
            items = at_time(items, slots.get("range"), self.now)
            if len({item.get("series_id") or item["event_id"] for item in items}) > 1:
                return self._say("which_event", result={**(end.value or {}), "events": items})
        return {step.fills: items[0]} if items else {}

    def _missing(self, intent: Intent, slots: Slots, later: Collection[str | None]) -> Say | None:
        """The question for the first slot that is empty and cannot be filled later."""
        empty = (slot for slot in intent.asks if slot not in slots and slot not in later)
        slot = next(empty, None)
        return self._say(intent.asks[slot], slots=slots, slot=slot) if slot else None

    def _call(self, step: Step, slots: Slots) -> Call:
        return Call(step.tool, self.offers[step.tool].taken(fill(step.args, slots)))

    def _told(self, call: Done, slots: Slots, intent: Intent) -> Say:
        end = ending(call)
        if not end.done:
            unknown = any(mark in end.words for mark in UNKNOWN)
            sorry = "outcome_unknown" if unknown else str(end.template)
            return self._say(sorry, sentence=end.words, domain=self._domain())
        name = intent.answer or self.mind.catalogue.tool(call.name).answer or "result"
        return self._say(name, result=end.value, args=call.args, slots=slots, edited=end.edited, tool=call.name)

    def _domain(self) -> str:
        owners = {tool.name: domain for domain, tool in self.mind.catalogue.tools()}
        return next((owners[name] for name in self.offers if name in owners), "")

    def _say(self, template: str, **values: Any) -> Say:
        given = {"slots": {}, "asked": {}, **values}
        return Say(self.mind.answers.render(template, self.now, self.understood.language, **given))


UNSAID = frozenset({"mail", "event", "all_mails"})
"""Slots that are looked for only where something says what to look for."""
DERIVED = frozenset({"booking", "moved", "everybody", "title"})
SOURCES = frozenset({"mail", "event", "full"})
"""Slots from which those may follow, once they are found."""


def at_time(items: Sequence[Item], value: Range | None, now: datetime) -> list[Item]:
    """Of events those that begin at a time of day that was said, else those that go on then; otherwise all."""
    if value is None or not value.timed:
        return [item for item in items if item.get("status") != "cancelled"]
    timed = [item for item in items if not item.get("all_day")]
    return [item for item in timed if booking.local(item, now) == value.begin] or timed


def names(slots: Slots) -> list[str]:
    """The people that were named: who it goes to, or who is invited."""
    who = next((str(slots[name]) for name in WHO if name in slots), "")
    return [one for part in LISTED.split(who) if (one := part.strip())]


def plain_subject(text: str) -> str:
    """A subject without what replies put before it."""
    while text.casefold().startswith(REPLY):
        text = text.split(":", 1)[1].strip()
    return text
