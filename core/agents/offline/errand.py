"""A request that was meant literally: finds what it names, calls its tools one after the other, and answers."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.agents.offline.acts import Acts, Call, Offer, Say
from core.agents.offline.conversation import Done, Turn
from core.agents.offline.endings import Ending, ending
from core.agents.offline.fill import fill, look_up
from core.agents.offline.mind import Mind
from core.agents.offline.pages import added, pages_of
from core.agents.offline.shown import Item, called, shown_in
from core.agents.offline.spoken import Checklist, checklist_of, listed
from core.agents.offline.tables import Table
from core.agents.offline.things import Named, Reader, matching, place
from core.registry.forms import Asked
from core.registry.manifests import Search, Step

THINGS = ("file", "folder", "gone", "comment")
MANY = 12
"""Items of a list that are looked into, one call each."""
Walk = Generator[list[Call], list[Done], Say]


@dataclass(frozen=True)
class Errand:
    """One model call of a specialist for such a request.

    Attributes:
        offers: the tools that it was given.
        now: aware, in the user's zone.
        language: of the answer.
        turns: the conversation; the last one is to be answered.
    """

    mind: Mind
    offers: Mapping[str, Offer]
    now: datetime
    asked: Asked
    reader: Reader
    language: str
    turns: Sequence[Turn]

    def act(self) -> Acts:
        """What to do next: what the walk asks for and has not got yet, or its answer."""
        return self.gone()[0]

    def gone(self) -> tuple[Acts, list[Done]]:
        """What to do next, and the calls of the last turn that were not its own."""
        walk, left, seen = self._walk(), list(self.turns[-1].calls), dict[str, Done]()
        try:
            wanted = next(walk)
            while True:
                new = [call for call in wanted if key(call) not in seen]
                if len(left) < len(new):
                    return new, []
                seen |= {key(call): done for call, done in zip(new, left, strict=False)}
                left = left[len(new) :]
                results = [seen[key(call)] for call in wanted]
                if bad := next((one for one in map(ending, results) if not one.done), None):
                    return [self._undone(bad)], []
                wanted = walk.send(results)
        except StopIteration as end:
            return [end.value], left

    def _walk(self) -> Walk:
        intent = self.asked.intent
        slots: dict[str, Any] = {**intent.default, **self.reader.read(self.asked)}
        if "file" not in slots and self._uses("file"):
            slots["file"] = self.reader.implied()
        counts: dict[str, int] = {}
        for slot in [one for one in THINGS if one in slots]:
            found = yield from self._thing(slot, slots[slot])
            if not found:
                return self._missing(slot, slots[slot])
            if len(found) > 1 and not self.mind.catalogue.tool(self._last_tool()).reads:
                return self._say("several_found", called=slots[slot], items=found)
            counts[slot], slots[slot] = len(found), found[0]
        for slot in [one for one in ("people", "person") if one in slots]:
            wanted = slots[slot] if isinstance(slots[slot], list) else [slots[slot]]
            known: list[str] = []
            for name in wanted:
                address = yield from self._address(name, slots)
                if address is None:
                    return self._say("who_is", person=name)
                known.append(address)
            slots[slot] = known if isinstance(slots[slot], list) else known[0]
        made = self._made_of(slots)
        if made["checklist"] is None and self._uses("checklist"):
            return self._say("what_points")
        return (yield from self._calls(slots | made, counts))

    def _made_of(self, slots: Mapping[str, Any]) -> dict[str, Any]:
        """Slots that are made of others."""
        words = slots.get("words") or slots.get("said")
        role = slots.get("role")
        return {
            "place": place(slots.get("sheet") or self._sheet(slots), slots.get("a1")),
            "recipients": [{"email": one, "role": role} for one in slots.get("people") or ()],
            "written": f"\n{words}" if words else None,
            "written_comment": words,
            "checklist": self._checklist(slots) if self._uses("checklist") else None,
            "pages": added(str(slots.get("title") or ""), str(slots.get("said") or "")),
        }

    def _checklist(self, slots: Mapping[str, Any]) -> Checklist | None:
        said, title = slots.get("said"), slots.get("title")
        return listed(str(said), title) if said else checklist_of(self.reader.shown, title)

    def _calls(self, slots: dict[str, Any], counts: Mapping[str, int]) -> Walk:
        intent, done = self.asked.intent, None
        for step in [Step(tool=self.asked.tool, args=intent.args), *intent.then]:
            args = self.offers[step.tool].taken(fill(step.args, slots))
            if done is not None and self.offers[step.tool].required - args.keys():
                return self._answer(done, slots, counts, intent.missing)
            (done,) = yield [Call(step.tool, args)]
            shown = shown_in(done, self.mind.catalogue, self.mind.kinds)
            result = ending(done).value
            slots |= {
                "found": shown.items[0] if shown and shown.items else None,
                "result": result,
                "table": Table(result or {}),
                **pages_of(result or {}, slots),
            }
        assert done is not None
        return self._answer(done, slots, counts, intent.answer)

    def _thing(self, slot: str, value: Any) -> Generator[list[Call], list[Done], list[Item]]:
        if not isinstance(value, Named):
            return [value] if value else []
        found: list[Item] = []
        for search in self._searches(slot, value):
            if search.each:
                calls = [self._call(search, value, {"found": item}) for item in found[:MANY]]
            else:
                calls = [self._call(search, value, {})]
            done = (yield calls) if calls else []
            found = [item for one in done for item in candidates(one, search)]
            fits = matching(value, found, search.by)
            if fits:
                return fits
        return []

    def _address(self, name: str, slots: Mapping[str, Any]) -> Generator[list[Call], list[Done], str | None]:
        if "@" in name:
            return str(name)
        known = [one for one in contacts(self.turns[:-1]) if matching(name, [one], ["name", "address"])]
        if known:
            return str(known[0]["address"])
        found: Item | None = None
        for search in self._searches("person", name):
            if found is None and "{found." in str(search.args):
                continue
            (done,) = yield [self._call(search, name, {**slots, "found": found})]
            fits = matching(name, candidates(done, search), search.by)
            if not fits:
                continue
            found = fits[0]
            if found.get("address"):
                return str(found["address"])
        return None

    def _searches(self, slot: str, name: str) -> Sequence[Search]:
        finds = self.mind.catalogue.domains[self.asked.domain].agent.finds
        return [one for one in finds.get(slot, ()) if one.tool in self.offers]

    def _call(self, search: Search, name: str, slots: Mapping[str, Any]) -> Call:
        return Call(search.tool, self.offers[search.tool].taken(fill(search.args, {**slots, "name": name})))

    def _uses(self, slot: str) -> bool:
        steps = [self.asked.intent.args, *(step.args for step in self.asked.intent.then)]
        return any(f"{{{slot}." in str(args) for args in steps)

    def _last_tool(self) -> str:
        return [self.asked.tool, *(step.tool for step in self.asked.intent.then)][-1]

    def _sheet(self, slots: Mapping[str, Any]) -> Any:
        file = slots.get("file")
        return file.get("sheet") if isinstance(file, Mapping) else None

    def _missing(self, slot: str, value: Any) -> Say:
        if not isinstance(value, Named):
            return self._say("which_one", number=0) if slot == "comment" else self._say("which_file")
        manifest = self.mind.catalogue.domains[self.asked.domain].agent
        return self._say("not_found", called=value, elsewhere=not manifest.finds.get(slot))

    def _answer(self, done: Done, slots: Mapping[str, Any], counts: Mapping[str, int], template: str | None) -> Say:
        name = template or self.mind.catalogue.tool(done.name).answer or "result"
        end = ending(done)
        more = {"result": end.value, "args": done.args, "slots": slots, "found_count": max(counts.values(), default=0)}
        page = slots.get("page")
        return self._say(name, **more, edited=end.edited, table=Table(end.value or {}), page=page)

    def _undone(self, end: Ending) -> Say:
        return self._say(end.template, sentence=end.words)

    def _say(self, template: str, **values: Any) -> Say:
        given = {"slots": {}, "asked": {}, **values}
        return Say(self.mind.answers.render(template, self.now, self.language, **given))


def key(call: Call) -> str:
    """What makes two calls the same."""
    return f"{call.name} {sorted(call.args.items(), key=lambda pair: pair[0])}"


def candidates(done: Done, search: Search) -> list[Item]:
    """The items in which a name is looked for, as the search calls their fields."""
    value = ending(done).value
    items = look_up(search.items, value or {}) or []
    return [called(item, value or {}, search.fields) for item in items]


def contacts(turns: Sequence[Turn]) -> Iterator[Item]:
    """Everybody whose address an earlier result held, the newest first."""
    for turn in reversed(turns):
        for call in reversed(turn.calls):
            yield from people_in(call.output.value if call.output else None)


def people_in(value: Any) -> Iterator[Item]:
    """Names with addresses, anywhere in a result."""
    if isinstance(value, Mapping):
        for name, address in (("sender", "sender_email"), ("name", "email"), ("name", "who")):
            if value.get(name) and "@" in str(value.get(address)):
                yield {"name": value[name], "address": value[address]}
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from people_in(one)
