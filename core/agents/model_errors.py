"""What went wrong in a run, as a sentence with a next step."""

import errno
import json
from collections.abc import Callable
from dataclasses import dataclass

import httpx2
from agents.exceptions import (
    AgentsException,
    MaxTurnsExceeded,
    ModelBehaviorError,
    ModelRefusalError,
    ModelTimeoutError,
    ToolTimeoutError,
)
from openai import APIConnectionError, APIError, APIResponseValidationError, APITimeoutError, OpenAIError
from pydantic import ValidationError

from core.agents.call_json import CutCall
from core.errors import GlassdeskError, ModelError, StorageError

EMPTY = "The model gave an empty answer, twice. Ask again, or choose another model in GLASSDESK_MODEL."
GARBAGE = (
    "{host} did not answer like a model server. Check that GLASSDESK_MODEL_BASE_URL is the address of an "
    "OpenAI-compatible API (it usually ends in /v1)."
)
NO_ROOM = "The disk is full, so this could not be stored. Free some space, then ask again."
INTERNAL = "Something went wrong inside Glassdesk ({kind}). Ask again; the trace of this turn shows where it happened."


@dataclass(frozen=True)
class Failure:
    """An error as the rules see it; `text` is lower case and is never shown."""

    error: BaseException
    status: int | None
    text: str
    host: str

    def says(self, *words: str) -> bool:
        """Whether the server's words hold one of these."""
        return any(word in self.text for word in words)

    def of(self, *kinds: type[BaseException]) -> bool:
        """Whether the error, or what it came from, is one of these."""
        return isinstance(self.error, kinds) or isinstance(self.error.__cause__, kinds)


@dataclass(frozen=True)
class Rule:
    """A sentence, and when it is the right one."""

    when: Callable[[Failure], bool]
    sentence: str


RULES = (
    Rule(
        lambda f: f.of(MaxTurnsExceeded),
        "The assistant took too many steps without coming to an answer. Ask for less at once, or raise "
        "GLASSDESK_MAX_TURNS.",
    ),
    Rule(
        lambda f: f.of(ToolTimeoutError),
        "A tool did not answer in time. Ask again; if it happens often, the trace of this turn shows which one.",
    ),
    Rule(
        lambda f: f.of(APITimeoutError, ModelTimeoutError) or f.status in (408, 504),
        "{host} did not answer in time. Ask again, or raise GLASSDESK_MODEL_TIMEOUT.",
    ),
    Rule(
        lambda f: f.of(httpx2.ReadError, httpx2.RemoteProtocolError),
        "The connection to {host} broke in the middle of the answer. Ask again.",
    ),
    Rule(
        lambda f: f.of(APIConnectionError),
        "{host} cannot be reached. Check the network, GLASSDESK_MODEL_BASE_URL, and that the model server is running.",
    ),
    Rule(
        lambda f: (
            f.status == 402
            or f.says(
                "insufficient_quota", "insufficient credit", "insufficient balance", "exceeded your current quota"
            )
        ),
        "The account at {host} has no credit left. Add credit there, or choose another model in GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: f.status == 401 or f.says("invalid_api_key"),
        "{host} does not accept the key. Put a valid one in GLASSDESK_MODEL_API_KEY, then start again.",
    ),
    Rule(
        lambda f: (
            f.status == 413
            or f.says(
                "context_length",
                "context length",
                "context size",
                "context window",
                "maximum context",
                "too many tokens",
            )
        ),
        "The conversation is too long for this model. Start a new one, or choose a model with more context in "
        "GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: (
            f.of(ModelRefusalError)
            or f.says("content_filter", "content_policy", "content management policy", "flagged")
        ),
        "The model's provider refused this content. Word the question differently, or choose another model in "
        "GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: f.says("support tool", "support for tool", "--jinja", "tool calling is not supported"),
        "This model cannot use tools, so it cannot read mail or calendars. Choose another one in GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: (
            f.says("model_not_found", "not a valid model", "no endpoints found", "unknown model", "invalid model")
            or ("model" in f.text and f.says("not found", "does not exist") and f.status in (400, 404))
        ),
        "{host} has no model of this name, or not for this key. Correct GLASSDESK_MODEL, then start again.",
    ),
    Rule(
        lambda f: f.status == 404,
        "{host} has nothing at this address. Correct GLASSDESK_MODEL_BASE_URL (it usually ends in /v1) or "
        "GLASSDESK_MODEL, then start again.",
    ),
    Rule(
        lambda f: f.status == 403,
        "{host} does not allow this key to use this model. Check the key's permissions there, or choose another model "
        "in GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: f.status == 429 or f.says("rate_limit", "rate limit"),
        "{host} is asked too often at the moment. Wait a minute, then ask again.",
    ),
    Rule(
        lambda f: (f.status or 0) >= 500 or f.says("server_error", "overloaded"),
        "{host} has a fault of its own. Ask again in a minute, or choose another model in GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: (f.status or 0) >= 400,
        "{host} refused the request. Check GLASSDESK_MODEL; the trace of this turn shows the server's own words.",
    ),
    Rule(
        lambda f: f.of(ModelBehaviorError) and f.says("not found"),
        "The model asked for a tool that does not exist. Ask again, or choose a more capable model in GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: f.of(ModelBehaviorError) and f.says("'length'", "max_output_tokens"),
        "The model's answer was cut off before its first word. Ask for less, or choose another model in "
        "GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: f.of(CutCall),
        "The model's answer was cut off in the middle of a step. Ask for less, or choose another model in "
        "GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: f.of(ModelBehaviorError) and f.says("json"),
        "The model called a tool in a way that makes no sense. Ask again, or choose a more capable model in "
        "GLASSDESK_MODEL.",
    ),
    Rule(
        lambda f: f.of(ModelBehaviorError, OpenAIError, json.JSONDecodeError, ValidationError, UnicodeDecodeError),
        GARBAGE,
    ),
)


def explain(error: BaseException) -> GlassdeskError:
    """Any error of a run as one that a person can read. Never holds the error's own text, so never a key."""
    if isinstance(error, BaseExceptionGroup):
        return explain(error.exceptions[0])
    if isinstance(error, GlassdeskError):
        return error
    if no_room(error):
        return StorageError(NO_ROOM)
    if isinstance(error, AgentsException | OpenAIError):
        return explain_model(error)
    return GlassdeskError(INTERNAL.format(kind=type(error).__name__))


def explain_model(error: BaseException, host: str = "") -> GlassdeskError:
    """An error that came out of a model, as a sentence; what nobody knows is an answer nobody can read."""
    if isinstance(error, GlassdeskError):
        return error
    failure = failure_of(error, host)
    sentence = next((rule.sentence for rule in RULES if rule.when(failure)), GARBAGE)
    return ModelError(sentence.replace("{host}", failure.host or "The model server", 1).replace("{host}", "it"))


def failure_of(error: BaseException, host: str) -> Failure:
    """Status, words and server of an error, as far as it knows them."""
    status = getattr(error, "status_code", None)
    code = getattr(error, "code", None)
    if status is None and isinstance(error, APIError) and str(code or "").isdigit():
        status = int(str(code))
    if isinstance(error, APIResponseValidationError):
        status = None
    words = (str(error), code, getattr(error, "type", None), getattr(error, "body", None))
    if isinstance(error, APIError):
        host = error.request.url.host
    return Failure(error, status, " ".join(str(word) for word in words if word).lower(), host)


def no_room(error: BaseException) -> bool:
    """Whether an error, or one that it came from, says that the disk is full."""
    chain: BaseException | None = error
    while chain is not None:
        if isinstance(chain, OSError) and chain.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        if "database or disk is full" in str(chain):
            return True
        chain = chain.__cause__ or chain.__context__
    return False
