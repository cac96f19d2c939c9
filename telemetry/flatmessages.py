"""Messages recorded as one attribute a field (`….0.message.content`), put together as GenAI messages."""

from collections.abc import Mapping
from typing import Any, Final

Tree = dict[str, Any]
WRAPPERS: Final = ("message", "message_content", "tool_call", "prompt", "completion")
"""Parts of a path that only say what is below them."""


def conversation_of(prefix: str, fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages of attributes `{prefix}.{number}.{field}`, in order; anything else there is left out."""
    root: Tree = {}
    for key, value in fields.items():
        put(root, key.removeprefix(f"{prefix}.").split("."), value)
    found = [message_of(unwrapped(item)) for _, item in numbered(root)]
    return [message for message in found if message["parts"]]


def put(tree: Tree, path: list[str], value: Any) -> None:
    """A value at its place; where a text stands in the way of a branch, the branch wins."""
    for part in path[:-1]:
        below = tree.get(part)
        if not isinstance(below, dict):
            below = tree[part] = {}
        tree = below
    if not isinstance(tree.get(path[-1]), dict):
        tree[path[-1]] = value


def numbered(tree: Any) -> list[tuple[int, Any]]:
    """The branches `0`, `1`, … in order of their numbers."""
    if not isinstance(tree, dict):
        return []
    return sorted(((int(key), item) for key, item in tree.items() if key.isdecimal()), key=lambda pair: pair[0])


def unwrapped(item: Any) -> Tree:
    """A branch without the words that wrap it."""
    if not isinstance(item, dict):
        return {"content": item}
    for wrapper in WRAPPERS:
        if isinstance(item.get(wrapper), dict):
            return {**item, **item[wrapper]}
    return item


def message_of(said: Tree) -> dict[str, Any]:
    """One message with its parts."""
    role = str(said.get("role") or "assistant")
    parts = [part_of(unwrapped(item)) for _, item in numbered(said.get("contents"))]
    content = said.get("content", said.get("text"))
    if content not in (None, ""):
        parts.insert(0, result_of(said) if role == "tool" else {"type": "text", "content": content})
    parts += [call_of(unwrapped(item)) for _, item in numbered(said.get("tool_calls"))]
    function = said.get("function_call_name")
    if function:
        parts.append({"type": "tool_call", "name": function, "arguments": said.get("function_call_arguments_json", "")})
    return {"role": role, "parts": [part for part in parts if part]}


def part_of(said: Tree) -> dict[str, Any]:
    """One part of a message; what is no text is named by its kind."""
    text = said.get("text", said.get("content"))
    if isinstance(text, str):
        return {"type": "text", "content": text}
    kind = str(said.get("type") or "file")
    return {"type": kind, "content": f"[{kind}]"}


def result_of(said: Tree) -> dict[str, Any]:
    """What a tool answered."""
    return {"type": "tool_call_response", "id": said.get("tool_call_id"), "response": said.get("content")}


def call_of(said: Tree) -> dict[str, Any]:
    """A call of a tool."""
    function = said.get("function") if isinstance(said.get("function"), dict) else said
    assert isinstance(function, dict)
    arguments = function.get("arguments", "")
    return {"type": "tool_call", "id": said.get("id"), "name": function.get("name", "a tool"), "arguments": arguments}
