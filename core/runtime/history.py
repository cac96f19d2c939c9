"""What earlier turns of a conversation tell the models: words of all, tool results of the latest."""

import json
from collections.abc import Iterable, Sequence
from typing import cast

from agents import TResponseInputItem

from core.runtime.attachments import listing
from core.store.tables import Exchange

Item = TResponseInputItem
HISTORY_TOKENS = 6000
CHARACTERS_PER_TOKEN = 4
"""A rough measure that needs no tokenizer; budgets are generous enough for it."""


def history(exchanges: Iterable[Exchange], budget_tokens: int) -> list[Item]:
    """The input items of earlier turns, oldest first, within a budget.

    The latest turns come whole, with what their tools returned, as long as they fit; of those before them come
    question and answer, as long as those fit.
    """
    left = budget_tokens * CHARACTERS_PER_TOKEN
    chosen: list[list[Item]] = []
    whole = True
    for exchange in reversed(list(exchanges)):
        items = cast(list[Item], exchange.items) or words(exchange)
        whole = whole and size(items) <= left
        items = items if whole else words(exchange)
        if size(items) > left:
            break
        left -= size(items)
        chosen.append(items)
    return [item for items in reversed(chosen) for item in items]


def words(exchange: Exchange) -> list[Item]:
    """Question and answer alone."""
    question = exchange.question + listing(exchange.files or ())
    said: list[Item] = [{"role": "user", "content": question}]
    return [*said, {"role": "assistant", "content": exchange.answer}] if exchange.answer else said


def size(items: Sequence[Item]) -> int:
    """Characters of the items as JSON."""
    return len(json.dumps(items, ensure_ascii=False))
