"""Which language model answers, and how it is reached: any OpenAI-compatible server."""

from collections.abc import Callable

import httpx2
from agents import ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.models.interface import Model
from openai import AsyncOpenAI
from opentelemetry.trace import Span

from core.agents.steady import Steady
from core.agents.text_calls import TextCalls
from core.agents.timed import Timed
from core.settings import Settings

OPENAI = "https://api.openai.com/v1"
NO_KEY = "none"
CONNECT_SECONDS = 10.0
RETRIES = 2


def build_model(settings: Settings, *, current_span: Callable[[], Span]) -> Model:
    """The language model of the settings; they must name one (`not settings.offline`).

    Args:
        settings: name, base URL, key, seconds to wait.
        current_span: the OpenTelemetry span of the Agents SDK's current span.
    """
    client = build_client(settings)
    host = client.base_url.host
    attributes = {"gen_ai.request.model": settings.model, "server.address": host}
    if is_openai(settings):
        model: Model = Timed(OpenAIResponsesModel(settings.model, client), current_span, attributes)
    else:
        model = TextCalls(Timed(OpenAIChatCompletionsModel(settings.model, client), current_span, attributes))
    return Steady(model, host)


def model_settings(settings: Settings) -> ModelSettings:
    """How every call is made: usage in the stream, calls in parallel.

    OpenAI's reasoning models refuse `parallel_tool_calls`, and there it is the default anyway.
    """
    return ModelSettings(
        include_usage=True,
        preserve_raw_usage=True,
        parallel_tool_calls=None if is_openai(settings) else True,
    )


def build_client(settings: Settings) -> AsyncOpenAI:
    """One client: it repeats what may be repeated (408, 409, 429, 5xx, timeouts, lost connections), with growing
    pauses or the server's `Retry-After`, and never once an answer has begun.
    """
    return AsyncOpenAI(
        api_key=settings.model_api_key.get_secret_value() or NO_KEY,
        base_url=base_url(settings),
        timeout=httpx2.Timeout(settings.model_timeout, connect=min(CONNECT_SECONDS, settings.model_timeout)),
        max_retries=RETRIES,
    )


def base_url(settings: Settings) -> str:
    """Where the model is; OpenAI when nothing is said."""
    return str(settings.model_base_url or OPENAI)


def is_openai(settings: Settings) -> bool:
    """Whether OpenAI itself answers, so that its Responses API can be used."""
    return httpx2.URL(base_url(settings)).host == httpx2.URL(OPENAI).host
