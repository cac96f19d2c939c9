import json
from typing import Any

import pytest

from telemetry.messages import Message, indented, read_messages

CONVERSATION = [
    Message("user", "未読メール?"),
    Message("calls", 'search_gmail_messages({"query": "is:unread"})'),
    Message("result", "2 messages"),
    Message("assistant", "Two."),
]
ARGUMENTS = '{"query": "is:unread"}'


@pytest.mark.parametrize(
    "recorded",
    [
        [
            {"role": "user", "parts": [{"type": "text", "content": "未読メール?"}]},
            {
                "role": "assistant",
                "parts": [{"type": "tool_call", "name": "search_gmail_messages", "arguments": ARGUMENTS}],
            },
            {"role": "tool", "parts": [{"type": "tool_call_response", "response": "2 messages"}]},
            {"role": "assistant", "parts": [{"type": "text", "content": "Two."}], "finish_reason": "stop"},
        ],
        [
            {"role": "user", "content": "未読メール?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"type": "function", "function": {"name": "search_gmail_messages", "arguments": ARGUMENTS}}
                ],
            },
            {"role": "tool", "content": "2 messages"},
            {"role": "assistant", "content": "Two."},
        ],
        [
            {"role": "user", "content": "未読メール?"},
            {"type": "function_call", "name": "search_gmail_messages", "arguments": ARGUMENTS},
            {"type": "function_call_output", "output": "2 messages"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Two."}]},
        ],
    ],
    ids=["opentelemetry", "chat completions", "responses"],
)
def test_the_usual_shapes_read_as_the_same_conversation(recorded: Any) -> None:
    assert read_messages(json.dumps(recorded)) == CONVERSATION


@pytest.mark.parametrize("recorded", ["", "Two.", '[{"role": "us… [cut: 8 of 900 bytes]', "[1, 2]"])
def test_what_is_no_conversation_is_left_to_be_shown_as_text(recorded: str) -> None:
    assert read_messages(recorded) is None


def test_what_has_an_unknown_shape_is_shown_as_it_is() -> None:
    assert read_messages('[{"role": "user", "content": [{"type": "image", "id": "x"}]}]') == [
        Message("user", '{\n  "type": "image",\n  "id": "x"\n}')
    ]


@pytest.mark.parametrize(
    ("recorded", "shown"),
    [
        ('{"type": "text", "text": "{\\"件名\\": \\"請求書\\"}"}', '{\n  "件名": "請求書"\n}'),
        ('[{"type": "text", "text": "No mail."}]', "No mail."),
        ('"plain"', "plain"),
        ("[1, 2]", "[\n  1,\n  2\n]"),
        ('{"a": 1… [cut: 7 of 900 bytes]', '{"a": 1… [cut: 7 of 900 bytes]'),
    ],
)
def test_results_are_set_out_without_their_wrapping(recorded: str, shown: str) -> None:
    assert indented(recorded) == shown
