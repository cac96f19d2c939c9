"""The whole app with the real tools, and a model that follows the script which the question is."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from core.agents.offline.acts import Acts, Call, Offer, Say
from core.agents.offline.model import OfflineModel
from core.bootstrap import Services
from core.registry.router import Decision, Router
from core.users import SANDBOX_ACCOUNT
from tests.runtime.desk import services

Round = Sequence[tuple[str, dict[str, Any]]]
PRIYA = "priya@lumenworks.example"


def mail(subject: str, to: str = PRIYA) -> tuple[str, dict[str, Any]]:
    """A call that sends a mail."""
    return "send_gmail_message", {"to": to, "subject": subject, "body": "As promised."}


def direct(*rounds: Round, domain: str = "gmail") -> str:
    """A question for a specialist: calls at once in a round, one round after the other."""
    return json.dumps({"domain": domain, "rounds": rounds})


def orchestrated(*rounds: Round) -> str:
    """A question for the orchestrator."""
    return json.dumps({"rounds": rounds})


class Script:
    """Knows nothing but its input, so that it goes on in any process."""

    def decide(self, items: str | Sequence[Any], offers: Sequence[Offer], now: object) -> Acts:
        known = [{"role": "user", "content": items}] if isinstance(items, str) else list(items)
        start = max(number for number, item in enumerate(known) if item.get("role") == "user")
        calls = [item for item in known[start:] if item.get("type") == "function_call"]
        results = [item["output"] for item in known[start:] if item.get("type") == "function_call_output"]
        left = len(calls)
        for round_ in json.loads(known[start]["content"])["rounds"]:
            if left <= 0:
                return [Call(name, args) for name, args in round_]
            left -= len(round_)
        return [Say(" / ".join(map(words, results)))]

    def count(self, *texts: str) -> int:
        return sum(map(len, texts)) // 4


class Guide:
    """Sends a question where it says."""

    def route(self, text: str, last_domain: str | None = None) -> Decision:
        domain = json.loads(text).get("domain")
        return Decision("direct" if domain else "orchestrated", (domain,) if domain else (), {}, {}, "It says so.")


def words(output: Any) -> str:
    """What a tool returned."""
    parts = output if isinstance(output, list) else [output]
    return " ".join(part["text"] if isinstance(part, dict) else str(part) for part in parts)


@contextmanager
def scripted(folder: Path, **settings: Any) -> Iterator[Services]:
    """The app over a folder; its model and its router follow the script."""
    with ExitStack() as stack:
        model = lambda *_: lambda user: OfflineModel(Script(), user.zone)  # type: ignore[arg-type]  # noqa: E731
        stack.enter_context(patch("core.bootstrap.model_maker", model))
        stack.enter_context(patch.object(Router, "route", lambda self, *given: Guide().route(*given)))
        stack.enter_context(patch.object(Router, "load", lambda self: None))
        yield stack.enter_context(services(folder, **settings))


def sent(built: Services, subject: str) -> list[dict[str, Any]]:
    """The mails in Sent with a subject, whole, read past the tools."""
    from core.google.clients import GoogleClients

    google = GoogleClients(built.sandbox.http).for_account(SANDBOX_ACCOUNT)
    messages = google.resource("gmail.users.messages")
    found = google.execute(messages.list(userId="me", q=f'in:sent subject:"{subject}"')).get("messages", [])
    return [google.execute(messages.get(userId="me", id=one["id"])) for one in found]
