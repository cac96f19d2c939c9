"""Labels by id or by name, and what a change of labels comes to."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from core.mcp_server.desk import BadArgument, Desk
from core.mcp_server.mailbox import LABELS, names_in

CATEGORY = "CATEGORY_"
NEAR = 5


@dataclass(frozen=True)
class Labels:
    """The account's labels: id → name."""

    names: dict[str, str]

    @classmethod
    def of(cls, desk: Desk) -> "Labels":
        """Ask Gmail for them."""
        return cls(names_in(desk.google.execute(desk.google.resource(LABELS).list(userId="me"))))

    def find(self, name: str, wanted: str) -> str:
        """The id of a label.

        Args:
            name: of the argument, for the error.
            wanted: an id, or a name in any spelling of capitals.

        Raises:
            BadArgument: there is none; the sentence names similar ones.
        """
        if wanted in self.names:
            return wanted
        known = {spoken(label): key for key, label in self.names.items()}
        found = known.get(spoken(wanted))
        if found is None:
            raise BadArgument(name, f"there is no label {wanted!r}. {self._near(wanted)}")
        return found

    def all(self, name: str, wanted: Sequence[str] | None) -> list[str]:
        """The ids of several labels, each once."""
        return list(dict.fromkeys(self.find(name, one) for one in wanted or ()))

    def named(self, ids: Sequence[str]) -> list[str]:
        """Names to ids."""
        return [self.names.get(one, one) for one in ids]

    def own(self, name: str, wanted: str) -> str:
        """The id of a label that the person made.

        Raises:
            BadArgument: there is none, or it is one of Gmail's own.
        """
        found = self.find(name, wanted)
        if found.isupper():
            raise BadArgument(name, f"{self.names[found]} is one of Gmail's own labels, which cannot be changed.")
        return found

    def _near(self, wanted: str) -> str:
        shown = {spoken(label): label for key, label in self.names.items()}
        near = get_close_matches(spoken(wanted), shown, NEAR, 0.5)
        mine = [label for key, label in self.names.items() if not key.isupper()]
        names = [shown[one] for one in near] or mine[:NEAR]
        return f"Similar: {', '.join(names)}." if names else "There are only Gmail's own labels."


def spoken(name: str) -> str:
    """A label's name as people say it: capitals do not count, nor does Gmail's prefix of categories."""
    return " ".join(name.removeprefix(CATEGORY).split()).casefold()


def change(labels: Labels, add: Sequence[str] | None, remove: Sequence[str] | None) -> dict[str, list[str]]:
    """The change that Gmail takes.

    Raises:
        BadArgument: nothing changes, or a label is both added and removed.
    """
    adding, removing = labels.all("add_label_ids", add), labels.all("remove_label_ids", remove)
    if not adding and not removing:
        raise BadArgument(
            "add_label_ids", "give labels to add or to remove, such as STARRED, or remove INBOX to archive."
        )
    both = [one for one in adding if one in removing]
    if both:
        raise BadArgument("remove_label_ids", f"{', '.join(labels.named(both))} cannot be added and removed at once.")
    return {"addLabelIds": adding, "removeLabelIds": removing}


def json_of(value: dict[str, Any]) -> dict[str, Any]:
    """Without what was left out."""
    return {key: one for key, one in value.items() if one is not None}
