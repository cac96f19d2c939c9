"""What was shown in a conversation: its lists, the item that is spoken of now, and which item words mean."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.agents.offline.conversation import Done, Turn, read
from core.agents.offline.shown import Item, Kind, Shown, resolve, shown_in
from core.agents.offline.things import Named, matching
from core.registry.manifests import Catalogue
from core.registry.references import References

CHOICE = "set_current_item"
LOOKS = frozenset({"resolve_reference", "get_context_list", "get_context_state", "list_active_domains"})
UTILITIES = LOOKS | {CHOICE}
"""The tools by which agents refer to what was shown; `LOOKS` change nothing."""
LONGEST = 200
"""Characters of a field; whoever needs more reads the item itself."""
FIELDS = 12
CANDIDATES = 8


@dataclass(frozen=True)
class Ways:
    """How references are understood; shared by all conversations.

    Attributes:
        english: a text in English words.
    """

    catalogue: Catalogue
    kinds: Mapping[str, Kind]
    references: References
    english: Callable[[str], str]


@dataclass(frozen=True)
class Listed:
    """A list that was shown.

    Attributes:
        list_id: `l1` is the first of the conversation.
        domain: whose tool showed it.
        question: for which it was shown.
    """

    list_id: str
    domain: str
    tool: str
    question: str
    shown: Shown

    def item(self, item: Item) -> dict[str, Any]:
        """An item as models see it: kind, id, number in the list, and its short fields."""
        kind = self.shown.kind
        number = next((at for at, one in enumerate(self.shown.items, start=1) if one is item), None)
        short = {name: cut(value) for name, value in item.items() if name != kind.id and said(value)}
        head = {"kind": self.shown.name, "id": item.get(kind.id), "domain": self.domain, "list_id": self.list_id}
        return {**head, "number": number, "fields": dict(list(short.items())[:FIELDS])}


@dataclass
class Recollection:
    """What a turn's agents may refer to: of the turns before it, and of its own calls so far.

    Attributes:
        earlier: input items of the conversation's earlier turns.
        now: those of this turn so far.
    """

    earlier: Sequence[Mapping[str, Any]] = ()
    now: Callable[[], Sequence[Mapping[str, Any]]] = field(default=list)

    @property
    def anything(self) -> bool:
        """Whether any tool has returned anything yet; cheap."""
        return any(item.get("type") == "function_call_output" for item in (*self.earlier, *self.now()))

    def turns(self) -> list[Turn]:
        """The conversation, oldest turn first."""
        return read([*self.earlier, *self.now()])

    def lists(self, ways: Ways) -> list[Listed]:
        """What was shown, the oldest first; an item that was chosen is in focus, and its list then is the last."""
        owners = {tool.name: domain for domain, tool in ways.catalogue.tools()}
        found: list[Listed] = []
        for turn in self.turns():
            for call in turn.calls:
                if call.name == CHOICE:
                    chosen(found, call)
                elif (shown := shown_in(call, ways.catalogue, ways.kinds)) and shown.items:
                    found.append(Listed(f"l{len(found) + 1}", owners[call.name], call.name, cut(turn.question), shown))
        return found

    def current(self, ways: Ways) -> tuple[Listed, Item] | None:
        """The item that is spoken of now: the one that was chosen or shown alone last."""
        for listed in reversed(self.lists(ways)):
            if listed.shown.focus is not None:
                return listed, listed.shown.focus
        return None


def chosen(found: list[Listed], call: Done) -> None:
    """Put what was chosen into the focus; a choice that was refused changes nothing."""
    value = call.output.value if call.output else None
    if not value or "current" not in value:
        return
    for at in range(len(found) - 1, -1, -1):
        listed = found[at]
        if listed.shown.name == call.args.get("kind") and (item := by_id(listed, str(call.args.get("item_id")))):
            found.append(replace(found.pop(at), shown=listed.shown.only(item)))
            return


def by_id(listed: Listed, item_id: str) -> Item | None:
    """The item of an id."""
    return next((item for item in listed.shown.items if str(item.get(listed.shown.kind.id)) == item_id), None)


@dataclass(frozen=True)
class Meant:
    """What words mean: one item, several that they may mean, or none."""

    items: tuple[tuple[Listed, Item], ...]

    @property
    def status(self) -> str:
        """`found`, `ambiguous` or `not_found`."""
        return "found" if len(self.items) == 1 else "ambiguous" if self.items else "not_found"


def meant(recollection: Recollection, ways: Ways, reference: str, kind: str | None = None) -> Meant:
    """Which item words mean: by its place, what singles it out, or its name; the newest list that has one decides.

    Args:
        kind: of the item, where that is known.
    """
    lists = [one for one in reversed(recollection.lists(ways)) if kind in (None, one.shown.name)]
    words = ways.english(reference).strip()
    for listed in lists:
        item, place = resolve(words, listed.shown, ways.references)
        if item is not None:
            return Meant(((listed, item),))
        if place is not None and pointing(words, place):
            continue
        named = matching(Named(reference.strip(' "“”')), listed.shown.items, [*listed.shown.kind.text[:1], "name"])
        if named:
            return Meant(tuple((listed, one) for one in named[:CANDIDATES]))
    return Meant(())


def pointing(words: str, place: tuple[int, int]) -> bool:
    """Whether words do nothing but point."""
    return not (words[: place[0]] + words[place[1] :]).strip(" .?!")


def said(value: Any) -> bool:
    """Whether a field says anything in short."""
    return value not in (None, "", [], {}) and not (isinstance(value, list) and isinstance(value[0], dict))


def cut(value: Any) -> Any:
    """A value, long texts cut, with a mark."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[:LONGEST]}…"
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= LONGEST else f"{text[:LONGEST]}…"
