"""Every failure of a run becomes a sentence with a next step."""

import errno
import json

import httpx2
import openai
import pytest
from agents.exceptions import MaxTurnsExceeded, ModelBehaviorError, ModelRefusalError, ToolTimeoutError

from core.agents.model_errors import explain, explain_model
from core.errors import BadInput, GlassdeskError, ModelError, StorageError

REQUEST = httpx2.Request("POST", "https://models.example/v1/chat/completions")
KEY = "sk-verysecret0123456789"


def status_error(status: int, message: str, code: str | None = None) -> openai.APIStatusError:
    body = {"message": message, "code": code}
    response = httpx2.Response(status, request=REQUEST, json={"error": body})
    return openai.AsyncOpenAI(api_key="none")._make_status_error_from_response(response)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (status_error(401, f"Incorrect API key provided: {KEY}", "invalid_api_key"), "does not accept the key"),
        (status_error(403, "Forbidden"), "does not allow this key"),
        (status_error(404, "The model `gpt-99` does not exist", "model_not_found"), "has no model of this name"),
        (status_error(404, 'model "llama9" not found, try pulling it first'), "has no model of this name"),
        (status_error(400, "llama-9 is not a valid model ID"), "has no model of this name"),
        (status_error(404, "Not Found"), "nothing at this address"),
        (status_error(402, "Insufficient credits"), "no credit left"),
        (status_error(429, "You exceeded your current quota", "insufficient_quota"), "no credit left"),
        (status_error(429, "Rate limit reached"), "asked too often"),
        (status_error(400, "maximum context length is 8192 tokens", "context_length_exceeded"), "too long"),
        (status_error(400, "the request exceeds the available context size"), "too long"),
        (status_error(400, "blocked", "content_filter"), "refused this content"),
        (status_error(404, "No endpoints found that support tool use"), "cannot use tools"),
        (status_error(503, "Loading model"), "fault of its own"),
        (status_error(422, "Strange"), "refused the request"),
        (openai.APITimeoutError(REQUEST), "did not answer in time"),
        (openai.APIConnectionError(request=REQUEST), "cannot be reached"),
        (openai.APIError("Overloaded", REQUEST, body={"code": 529, "message": "x"}), "fault of its own"),
        (ModelRefusalError("No."), "refused this content"),
        (MaxTurnsExceeded("Max turns (10) exceeded"), "too many steps"),
        (ModelBehaviorError("Tool send_mail not found in agent Gmail"), "a tool that does not exist"),
        (ModelBehaviorError("terminated with finish_reason='length' but"), "cut off"),
        (ModelBehaviorError("Invalid JSON input for tool x"), "makes no sense"),
        (ModelBehaviorError("Model did not produce a final response!"), "did not answer like a model server"),
        (ToolTimeoutError("search", 5), "did not answer in time"),
    ],
)
def test_a_failure_of_the_model_is_a_sentence_with_a_next_step(error: Exception, expected: str) -> None:
    found = explain(error)
    assert isinstance(found, ModelError)
    assert expected in found.sentence
    assert KEY not in found.sentence
    assert found.sentence.endswith(".")


def test_the_sentence_names_the_server() -> None:
    assert explain(status_error(503, "")).sentence.startswith("models.example has")


def test_an_unreadable_answer_of_the_model_is_said_to_be_one() -> None:
    found = explain_model(json.JSONDecodeError("Expecting value", "<html>", 0), "models.example")
    assert found.sentence.startswith("models.example did not answer like a model server")


def test_a_sentence_that_is_there_already_is_kept() -> None:
    given = BadInput("Write a question first.")
    assert explain(given) is given
    assert explain(ExceptionGroup("several", [given])) is given


def test_a_full_disk_is_said_to_be_full() -> None:
    assert isinstance(explain(OSError(errno.ENOSPC, "No space left on device")), StorageError)


def test_anything_else_is_our_own_fault_and_keeps_its_words_to_itself() -> None:
    found = explain(ZeroDivisionError(KEY))
    assert type(found) is GlassdeskError
    assert "ZeroDivisionError" in found.sentence and KEY not in found.sentence
