"""What the language model of the browser tests says: a tool call, then an answer that the question names."""

from typing import Any

from tests.agents.chat_server import Fail, Slow, Step
from tests.agents.chat_wire import Answer, Call
from tests.browser.obedient import obey
from tests.pages.test_markdown import HOSTILE, TRUE_CODE

WORDS = [f"word{number:02}" for number in range(60)]
LONG = " ".join(WORDS)
"""Spoken for about three seconds."""
HOSTILE_ANSWER = "\n\n---\n\n".join(
    [
        *HOSTILE,
        *TRUE_CODE,
        "It costs $114.22 today and $115.40 tomorrow, `$a$` in code.",
        "<img src='https://evil.example/i.png'> :red[loud] :material/check: :tada: [run](javascript:alert(1))",
        "```mermaid\ngraph TD; A-->B\n```",
        "that was all",
    ]
)

TABLE = f"| a | b | c |\n|---|---|---|\n| https://lumenworks.example/{'a' * 90} | {'b' * 60} | c |"
WIDE = f"{TABLE}\n\n{'w' * 300}\n\n```\n{'x' * 300}\n```"


LENA = Call(
    "send_gmail_message",
    {
        "to": "Lena Vogt <lena@lumenworks.example>",
        "subject": "The offsite",
        "body": "Hello Lena,\n\nI'll be there at ten.\n\nSam",
    },
)
TOM = Call("send_gmail_message", {"to": "tom@lumenworks.example", "subject": "I am away", "body": "Until Monday."})
OFFSITE = Call(
    "create_event",
    {
        "summary": "Offsite",
        "start_time": "2030-06-03T10:00",
        "end_time": "2030-06-03T16:00",
        "attendees": ["lena@lumenworks.example"],
    },
)
WRITES = {
    "tell Lena by mail": (LENA,),
    "tell Lena and Tom by mail": (LENA, TOM),
    "the offsite into my calendar": (OFFSITE,),
}
"""What the model calls when a question has these words."""


def has_called(body: dict[str, Any], tool: str) -> bool:
    """Whether the tool was called since the question."""
    messages = body["messages"]
    start = max(number for number, message in enumerate(messages) if message["role"] == "user")
    calls = [call for message in messages[start:] for call in message.get("tool_calls") or []]
    return any(call["function"]["name"] == tool for call in calls)


def script(body: dict[str, Any]) -> Step:
    """The next step for a request."""
    last = body["messages"][-1]
    question = next(message["content"] for message in reversed(body["messages"]) if message["role"] == "user")
    if "obey" in question:
        return obey(body)
    if "break" in question:
        return Fail(401, "Incorrect API key provided", "invalid_api_key")
    wanted = next((calls for words, calls in WRITES.items() if words in question), ())
    if wanted:
        return Answer("All done as you said.") if has_called(body, wanted[0].name) else Answer(calls=wanted)
    if last["role"] == "user":
        return Answer(calls=(Call("search_gmail_messages", {"query": "is:unread"}),))
    if "hostile" in question:
        return Answer(HOSTILE_ANSWER, piece=20)
    if "wide" in question:
        return Answer(WIDE, piece=50)
    return Slow(Answer(LONG, piece=7), between=0.05)
