"""What the assistant does next: say something, or call a tool."""

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    """A tool that the model was given.

    Attributes:
        parameters: that it takes, and those of them that it needs (`required`).
        maximum: the highest value of a number.
        description: what it says it does; and parameter → its schema (`schema`).
    """

    name: str
    parameters: frozenset[str]
    required: frozenset[str] = frozenset()
    maximum: Mapping[str, int] = field(default_factory=dict)
    description: str = ""
    schema: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def taken(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that it takes: an empty text only where one is needed, no number above its maximum."""
        return {
            name: min(value, self.maximum[name]) if name in self.maximum else value
            for name, value in args.items()
            if name in self.parameters and (value != "" or name in self.required)
        }
