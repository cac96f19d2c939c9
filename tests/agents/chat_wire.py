"""What an OpenAI-compatible server puts on the wire: Chat Completions and Responses, whole or streamed."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MODEL = "scripted-1"
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Call:
    """A tool call of the model."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)

    @property
    def json(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Answer:
    """What the model says and calls; text is sent in pieces of `piece` characters."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    piece: int = 4
    finish: str | None = None
    usage: dict[str, Any] = field(
        default_factory=lambda: {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
    )

    @property
    def pieces(self) -> list[str]:
        return pieces(self.text, self.piece)

    @property
    def finish_reason(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def completion(answer: Answer) -> dict[str, Any]:
    """A whole Chat Completions answer."""
    calls = [tool_call(call) for call in answer.calls]
    message = {"role": "assistant", "content": answer.text or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    return envelope("chat.completion", [choice]) | {"usage": answer.usage}


def chunks(answer: Answer, include_usage: bool) -> Iterator[dict[str, Any]]:
    """The same, streamed: arguments of calls come in several pieces, usage last and only when asked for."""
    yield chunk({"role": "assistant", "content": ""})
    for piece in answer.pieces:
        yield chunk({"content": piece})
    for index, call in enumerate(answer.calls):
        started = tool_call(call)
        started["function"] = {"name": call.name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": index, **started}]})
        for piece in pieces(call.json, 5):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, answer.finish_reason)
    if include_usage:
        yield envelope("chat.completion.chunk", []) | {"usage": answer.usage}


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return envelope("chat.completion.chunk", [{"index": 0, "delta": delta, "finish_reason": finish_reason}])


def envelope(kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": MODEL, "choices": choices}


def tool_call(call: Call) -> dict[str, Any]:
    return {
        "id": f"call_{next(_numbers)}",
        "type": "function",
        "function": {"name": call.name, "arguments": call.json},
    }


def response(answer: Answer, status: str = "completed") -> dict[str, Any]:
    """A whole Responses answer."""
    usage = {
        "input_tokens": answer.usage["prompt_tokens"],
        "output_tokens": answer.usage["completion_tokens"],
        "total_tokens": answer.usage["total_tokens"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": MODEL,
        "status": status,
        "output": items(answer) if status == "completed" else [],
        "usage": usage if status == "completed" else None,
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
    }


def items(answer: Answer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if answer.text:
        part = {"type": "output_text", "text": answer.text, "annotations": []}
        found.append({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [part]})
    for call in answer.calls:
        number = next(_numbers)
        found.append(
            {
                "id": f"fc_{number}",
                "call_id": f"call_{number}",
                "type": "function_call",
                "status": "completed",
                "name": call.name,
                "arguments": call.json,
            }
        )
    return found


def response_events(answer: Answer) -> Iterator[dict[str, Any]]:
    """The same, streamed, each event numbered."""
    done = response(answer)
    for number, event in enumerate(unnumbered(answer, done)):
        yield event | {"sequence_number": number}


def unnumbered(answer: Answer, done: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": response(answer, "in_progress")}
    for index, item in enumerate(done["output"]):
        place = {"item_id": item["id"], "output_index": index}
        hollow = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield {
            "type": "response.output_item.added",
            "output_index": index,
            "item": item | hollow | {"status": "in_progress"},
        }
        if item["type"] == "message":
            for piece in answer.pieces:
                yield {"type": "response.output_text.delta", "content_index": 0, "delta": piece, "logprobs": []} | place
        else:
            for piece in pieces(item["arguments"], 5):
                yield {"type": "response.function_call_arguments.delta", "delta": piece} | place
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": done}
