"""`make test-model MODEL=…`: the first questions, answered by a real language model on the sandbox.

MODEL is a GGUF file, served here by llama.cpp, or the URL of a running OpenAI-compatible server. Which tool was
called, with which arguments and to what effect is checked; wording is not.
"""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from core.bootstrap import Services, build
from core.runtime.events import EventType
from core.settings import Settings
from core.users import User, local_user

CONTEXT_TOKENS = 16_384
TURN_SECONDS = 900
SHOWN = 200
ZONE = "Europe/Berlin"
INSTALL = (
    "llama.cpp is not installed here. Install it with:\n  .venv/bin/pip install xllamacpp\n"
    "or start any OpenAI-compatible server and give its URL: make test-model MODEL=http://127.0.0.1:8080/v1"
)


@dataclass(frozen=True)
class Asked:
    """A question, the tool it needs, and what must be true of one of that tool's calls."""

    question: str
    tool: str
    arguments: Callable[[dict[str, Any]], bool]


def query_has(*words: str) -> Callable[[dict[str, Any]], bool]:
    """Whether a search asks for each of the words."""
    return lambda arguments: all(word in str(arguments.get("query", "")).lower() for word in words)


def is_tomorrow(arguments: dict[str, Any]) -> bool:
    """Whether a range begins tomorrow, or today late enough."""
    tomorrow = datetime.now(local_user(Settings(_env_file=None, zone=ZONE)).zone) + timedelta(days=1)
    return str(arguments.get("time_min", "")).startswith(f"{tomorrow:%Y-%m-%d}")


QUESTIONS = (
    Asked("Show my unread emails", "search_gmail_messages", query_has("is:unread")),
    Asked("Find the mail from Ana about the invoice", "search_gmail_messages", query_has("ana", "invoice")),
    Asked("What's on my calendar tomorrow?", "get_events", is_tomorrow),
)


@dataclass(frozen=True)
class Checked:
    """What came of a question."""

    question: str
    tool: bool
    arguments: bool
    effect: bool
    calls: str
    said: str
    seconds: float
    tokens: int

    @property
    def passed(self) -> bool:
        return self.tool and self.arguments and self.effect


def check(services: Services, user: User, asked: Asked) -> Checked:
    """Ask, and look at what was called."""
    started = time.perf_counter()
    turn = services.runtime.start(user, asked.question)
    finished = turn.wait(TURN_SECONDS)
    events = turn.log.after()
    calls = [event.data for event in events if event.type is EventType.TOOL_STARTED]
    worked = {e.data["call_id"] for e in events if e.type is EventType.TOOL_FINISHED and e.data["status"] == "ok"}
    right = [call for call in calls if call["tool"] == asked.tool]
    exact = [call for call in right if asked.arguments(call["arguments"])]
    return Checked(
        asked.question,
        bool(right),
        bool(exact),
        finished["status"] == "done" and any(call["call_id"] in worked for call in exact or right),
        "; ".join(f"{call['tool']} {call['arguments']}" for call in calls) or "none",
        " ".join(str(finished.get("error") or finished.get("response") or "").split())[:SHOWN],
        time.perf_counter() - started,
        (finished.get("usage") or {}).get("output_tokens") or 0,
    )


@contextmanager
def model_server(model: str) -> Iterator[str]:
    """The base URL of the model.

    Raises:
        SystemExit: says what is missing.
    """
    if model.startswith(("http://", "https://")):
        yield model
        return
    if not Path(model).is_file():
        raise SystemExit(f"There is no file {model!r}. Give a GGUF file or the URL of a running server: MODEL=…")
    try:
        llama = import_module("xllamacpp")
    except ImportError as error:
        raise SystemExit(INSTALL) from error
    options = llama.CommonParams()
    options.model.path = model
    options.n_ctx, options.n_parallel, options.port, options.use_jinja = CONTEXT_TOKENS, 1, 0, True
    server = llama.Server(options)
    yield f"{server.listening_address}/v1"


def settings_for(url: str, name: str, key: str, folder: str) -> Settings:
    """The app's settings, whatever the environment says."""
    return Settings(
        _env_file=None,
        model=name,
        model_base_url=url,
        model_api_key=key,
        model_timeout=600,
        data_dir=Path(folder),
        zone=ZONE,
        read_ahead=False,
    )


def show(results: Sequence[Checked]) -> None:
    """A line a question, and what was called."""
    print(f"\n{'question':<44}{'tool':>6}{'args':>6}{'effect':>8}{'seconds':>9}{'tokens':>8}")
    for result in results:
        marks = ["yes" if mark else "NO" for mark in (result.tool, result.arguments, result.effect)]
        print(f"{result.question:<44}{marks[0]:>6}{marks[1]:>6}{marks[2]:>8}{result.seconds:>9.1f}{result.tokens:>8}")
        print(f"    called: {result.calls}\n    said: {result.said}")
    print(f"\n{sum(result.passed for result in results)} of {len(results)} as they should be")


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where every question led to the right call."""
    parser = ArgumentParser("python -m benchmarks.real_model", description=__doc__)
    parser.add_argument("model", help="a GGUF file, or the URL of an OpenAI-compatible server")
    parser.add_argument("--name", default="local", help="the model's name, where the server has several")
    parser.add_argument("--key", default="", help="the server's key")
    options = parser.parse_args(arguments)
    with model_server(options.model) as url, TemporaryDirectory(prefix="glassdesk-model-") as folder:
        services = build(settings_for(url, options.name, options.key, folder))
        try:
            results = [check(services, local_user(services.settings), asked) for asked in QUESTIONS]
        finally:
            services.close()
    show(results)
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
