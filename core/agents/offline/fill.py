"""Arguments of a call from templates over slots."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

PLACE = re.compile(r"\{([\w.]+)\}")


def fill(args: Mapping[str, object], slots: Mapping[str, Any]) -> dict[str, Any]:
    """Fill every argument; one whose slots are all empty is left out, except that a text then is empty.

    A template that is one `{slot}` gives the slot's own value. Otherwise a word with an empty slot drops out, and
    a word whose slot holds several words is repeated for each, unless it is quoted.
    """
    filled = {name: value_of(template, slots) for name, template in args.items()}
    return {name: value for name, value in filled.items() if value is not None}


def value_of(template: object, slots: Mapping[str, Any]) -> Any:
    """One argument."""
    if isinstance(template, list):
        return [value for one in template if (value := value_of(one, slots)) is not None] or None
    if isinstance(template, Mapping):
        return fill(template, slots)
    if not isinstance(template, str):
        return template
    whole = PLACE.fullmatch(template)
    if whole:
        return look_up(whole[1], slots)
    words = [word for part in template.split() for word in expanded(part, slots)]
    return " ".join(words) if words or " " in template else None


def expanded(word: str, slots: Mapping[str, Any]) -> list[str]:
    """A word of a template with its slots filled: none, one or several words."""
    names = PLACE.findall(word)
    values = {name: look_up(name, slots) for name in names}
    if any(value is None or value == "" for value in values.values()):
        return []
    if len(names) == 1 and not word.startswith('"'):
        return [word.replace(f"{{{names[0]}}}", part) for part in str(values[names[0]]).split()]
    return [PLACE.sub(lambda match: str(values[match[1]]), word)]


def look_up(path: str, slots: Mapping[str, Any]) -> Any:
    """`slot.field.0` in mappings, objects and lists; a list of items gives the list of their fields."""
    value: Any = slots
    for name in path.split("."):
        value = step(value, name)
        if value is None:
            return None
    return value


def step(value: Any, name: str) -> Any:
    """One step of a path, None where there is no such thing."""
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if name.isdigit():
            return value[int(name)] if int(name) < len(value) else None
        return [found for item in value if (found := step(item, name)) is not None] or None
    return getattr(value, name, None)
