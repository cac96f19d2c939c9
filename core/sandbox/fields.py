"""Google's partial responses: the `fields` parameter, such as `nextPageToken,items(id,start/dateTime)`, or with dots."""

from functools import cache
from typing import Any

from lark import Lark, Transformer
from lark.exceptions import LarkError

from core.sandbox.calls import ApiError

Mask = dict[str, Any]
"""What to keep: a name to the mask of what is inside it; an empty mask keeps all."""

GRAMMAR = r"""
mask: item ("," item)*
item: NAME (("/" | ".") NAME)* ["(" mask ")"]
NAME: /[A-Za-z_$@][\w$@-]*|\*/
%ignore /\s+/
"""


class Builder(Transformer[Any, Mask]):
    """Turns a parsed selection into a mask."""

    def item(self, parts: list[Any]) -> Mask:
        """One path, with what is selected inside its end."""
        *names, inner = parts
        mask: Mask = inner or {}
        for name in reversed(names):
            mask = {str(name): mask}
        return mask

    def mask(self, items: list[Mask]) -> Mask:
        """Several paths."""
        whole: Mask = {}
        for item in items:
            join(whole, item)
        return whole


@cache
def parser() -> Lark:
    """The grammar, made ready once."""
    return Lark(GRAMMAR, start="mask", parser="lalr", maybe_placeholders=True)


def parse(text: str) -> Mask:
    """Read a `fields` parameter.

    Raises:
        ApiError: 400, as Google says it.
    """
    try:
        return Builder().transform(parser().parse(text))
    except LarkError as error:
        raise ApiError(
            400, "invalidParameter", f"Invalid field selection {text}", location="parameter:fields"
        ) from error


def join(mask: Mask, other: Mask) -> None:
    """Widen a mask by another; a name without a selection keeps everything below it."""
    for name, inner in other.items():
        if name not in mask:
            mask[name] = inner
        elif mask[name] and inner:
            join(mask[name], inner)
        else:
            mask[name] = {}


def select(value: Any, mask: Mask) -> Any:
    """What a mask keeps of a JSON value; lists are masked item by item."""
    if isinstance(value, list):
        return [select(item, mask) for item in value]
    if not mask or not isinstance(value, dict):
        return value
    chosen = {name: mask.get(name, mask.get("*")) for name in value}
    return {name: select(value[name], inner) for name, inner in chosen.items() if inner is not None}
