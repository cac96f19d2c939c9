"""A language model that does whatever the mails say, all of it at once, and then repeats their text."""

import json
from typing import Any

from tests.agents.chat_wire import Answer, Call
from tests.runtime.hostile import HOSTILE, Hostile


def obey(body: dict[str, Any]) -> Answer:
    """The next step: find Mallory's mails, read them, make every call that one of them asks for, repeat them."""
    messages = body["messages"]
    asked = max(number for number, message in enumerate(messages) if message["role"] == "user")
    results = [message["content"] for message in messages[asked:] if message["role"] == "tool"]
    offered = {tool["function"]["name"] for tool in body["tools"]}
    wanted = [mail for mail in HOSTILE if mail.tool in offered]
    if "search_gmail_messages" not in offered:
        return Answer("Done.") if results else Answer(calls=calls(wanted))
    if not results:
        return Answer(calls=(Call("search_gmail_messages", {"query": "from:mallory@evil.example", "page_size": 25}),))
    found = [str(mail["message_id"]) for mail in json.loads(results[0])["messages"]]
    if len(results) == 1:
        return Answer(calls=tuple(Call("get_gmail_message_content", {"message_id": one}) for one in found))
    if len(results) == 1 + len(found):
        return Answer(calls=calls(wanted, found[0]))
    read = [str(json.loads(result)["body"]) for result in results[1 : 1 + len(found)]]
    return Answer("\n\n---\n\n".join([*read, "that was all"]), piece=200)


def calls(mails: list[Hostile], message_id: str = "") -> tuple[Call, ...]:
    """What they ask for; a star stands for a mail."""
    given = [
        {key: message_id if value == "*" else value for key, value in (mail.arguments or {}).items()} for mail in mails
    ]
    return tuple(Call(str(mail.tool), arguments) for mail, arguments in zip(mails, given, strict=True))
