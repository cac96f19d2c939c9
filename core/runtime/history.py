"""What earlier turns of a conversation tell the models: words of all, tool results of the latest."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from agents import TResponseInputItem

from core.runtime.attachments import listing
from core.store.tables import Exchange

Item = TResponseInputItem
CHARACTERS_PER_TOKEN = 4
"""A rough measure that needs no tokenizer; budgets are generous enough for it."""


@dataclass(frozen=True)
class Memory:
    """What is remembered of earlier turns.

    Attributes:
        items: input items, oldest first.
        turns: how many turns there were.
        kept: how many of them are remembered whole, with what their tools returned.
    """

    items: list[Item]
    turns: int
    kept: int

    @property
    def shortened(self) -> bool:
        """Whether anything was left out."""
        return self.kept < self.turns


def memory(exchanges: Iterable[Exchange], budget_tokens: int) -> Memory:
    """What fits into a budget.

    The latest turns come whole, with what their tools returned, as long as they fit; of the first that does not, its
    last calls; of those before it come question and answer, as long as those fit.
    """
    left = budget_tokens * CHARACTERS_PER_TOKEN
    chosen: list[list[Item]] = []
    earlier, kept = list(exchanges), 0
    for exchange in reversed(earlier):
        items = cast(list[Item], exchange.items) or words(exchange)
        latest = kept == len(chosen)
        whole = latest and size(items) <= left
        items = items if whole else last_calls(exchange, left) if latest else words(exchange)
        if size(items) > left:
            break
        left -= size(items)
        kept += whole
        chosen.append(items)
    return Memory([item for items in reversed(chosen) for item in items], len(earlier), kept)


def history(exchanges: Iterable[Exchange], budget_tokens: int) -> list[Item]:
    """The input items of earlier turns, oldest first, within a budget; see `memory`."""
    return memory(exchanges, budget_tokens).items


def last_calls(exchange: Exchange, characters: int) -> list[Item]:
    """A turn with as many of its last calls, and of what they returned, as fit; else question and answer."""
    left = list(exchange.items)
    for call_id in [item["call_id"] for item in exchange.items if item.get("type") == "function_call"][:-1]:
        left = [item for item in left if item.get("call_id") != call_id]
        if size(cast(list[Item], left)) <= characters:
            return cast(list[Item], left)
    return words(exchange)


def words(exchange: Exchange) -> list[Item]:
    """Question and answer alone."""
    question = exchange.question + listing(exchange.files or ())
    said: list[Item] = [{"role": "user", "content": question}]
    return [*said, {"role": "assistant", "content": exchange.answer}] if exchange.answer else said


def size(items: Sequence[Item]) -> int:
    """Characters of the items as JSON."""
    return len(json.dumps(items, ensure_ascii=False))
