"""What the assistant does next: say something, or call a tool."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Say:
    """The answer, in Markdown."""

    text: str


@dataclass(frozen=True)
class Call:
    """A call of a tool that was offered."""

    name: str
    args: Mapping[str, Any]


Acts = list[Say] | list[Call]


@dataclass(frozen=True)
class Offer:
    """A tool that the model was given, the parameters that it takes, and those that it needs."""

    name: str
    parameters: frozenset[str]
    required: frozenset[str] = frozenset()

    def taken(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that it takes; an empty text only where one is needed."""
        return {
            name: value
            for name, value in args.items()
            if name in self.parameters and (value != "" or name in self.required)
        }
