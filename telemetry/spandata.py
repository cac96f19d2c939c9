"""What the Agents SDK's span data says, as OpenTelemetry attributes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agents.tracing import (
    AgentSpanData,
    CustomSpanData,
    FunctionSpanData,
    GenerationSpanData,
    GuardrailSpanData,
    HandoffSpanData,
    ResponseSpanData,
    SpanData,
)

from telemetry import attributes as names
from telemetry.jsontext import dumps
from telemetry.providers import host_of, provider_of

Attributes = dict[str, Any]
FAKE_ID: Final = "__fake_id__"
"""The id of a response that the SDK makes up around a Chat Completions answer; its model is the requested one."""
REQUEST_SETTINGS: Final = ("temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty", "seed")


def name_of(data: SpanData) -> str:
    """The span's name: operation and object."""
    match data:
        case AgentSpanData():
            return f"invoke_agent {data.name}"
        case FunctionSpanData():
            return f"execute_tool {data.name}"
        case GenerationSpanData():
            return f"chat {data.model}" if data.model else "chat"
        case ResponseSpanData():
            return f"chat {data.response.model}" if data.response is not None else "chat"
        case HandoffSpanData():
            return f"handoff {data.from_agent or '?'} → {data.to_agent}" if data.to_agent else "handoff"
        case GuardrailSpanData() | CustomSpanData():
            return f"{data.type} {data.name}"
        case _:
            return data.type


def attributes_of(data: SpanData, provider: str, *, content: bool) -> Attributes:
    """The span's attributes, as far as they are known by now.

    Args:
        provider: The provider of a model that does not tell.
        content: Whether messages, arguments and results are among them.
    """
    reader = READERS.get(type(data))
    found = reader(data, provider) if reader is not None else {}
    texts = content_of(data) if content else {}
    return {name: value for name, value in (found | texts).items() if value is not None}


def agent(data: AgentSpanData, _provider: str) -> Attributes:
    """Of an agent's run."""
    return {
        names.OPERATION: "invoke_agent",
        names.AGENT_NAME: data.name,
        names.AGENT_TOOLS: list(data.tools) if data.tools else None,
    }


def function(data: FunctionSpanData, _provider: str) -> Attributes:
    """Of a tool's run."""
    return {
        names.OPERATION: "execute_tool",
        names.TOOL_NAME: data.name,
        "gen_ai.tool.type": "extension" if data.mcp_data else "function",
        "glassdesk.mcp.server": (data.mcp_data or {}).get("server"),
    }


def generation(data: GenerationSpanData, provider: str) -> Attributes:
    """Of a model call by Chat Completions, or by a model of our own."""
    config = data.model_config or {}
    url = str(config.get("base_url") or "")
    answer = answer_of(data)
    real = answer.get("id") != FAKE_ID
    return {
        names.OPERATION: "chat",
        names.PROVIDER: config.get("provider") or provider_of(url) or provider,
        names.REQUEST_MODEL: data.model,
        names.RESPONSE_MODEL: answer.get("model") if real else None,
        names.RESPONSE_ID: answer.get("id") if real else None,
        names.SERVER_ADDRESS: host_of(url),
        **{f"gen_ai.request.{name}": config.get(name) for name in REQUEST_SETTINGS},
        **{name: value for name, value in config.items() if name.startswith("glassdesk.")},
        **usage(data.usage),
    }


def response(data: ResponseSpanData, provider: str) -> Attributes:
    """Of a model call by OpenAI's Responses API."""
    known = data.response
    return {
        names.OPERATION: "chat",
        names.PROVIDER: provider,
        names.RESPONSE_MODEL: known.model if known is not None else None,
        names.RESPONSE_ID: known.id if known is not None else None,
        **usage(data.usage),
    }


def handoff(data: HandoffSpanData, _provider: str) -> Attributes:
    """Of one agent passing the conversation to another."""
    return {names.HANDOFF_FROM: data.from_agent, names.HANDOFF_TO: data.to_agent}


def guardrail(data: GuardrailSpanData, _provider: str) -> Attributes:
    """Of a guardrail."""
    return {names.GUARDRAIL: data.name, names.GUARDRAIL_TRIGGERED: data.triggered}


READERS: Final[Mapping[type[SpanData], Callable[[Any, str], Attributes]]] = {
    AgentSpanData: agent,
    FunctionSpanData: function,
    GenerationSpanData: generation,
    ResponseSpanData: response,
    HandoffSpanData: handoff,
    GuardrailSpanData: guardrail,
}


def usage(reported: Mapping[str, Any] | None) -> Attributes:
    """Token counts where the provider reported some. The SDK makes zeros of what it was not told: those are unknown."""
    if not reported or not (reported.get("input_tokens") or reported.get("output_tokens")):
        return {}
    given, made = reported.get("input_tokens_details") or {}, reported.get("output_tokens_details") or {}
    return {
        names.INPUT_TOKENS: reported.get("input_tokens"),
        names.OUTPUT_TOKENS: reported.get("output_tokens"),
        names.CACHE_READ_TOKENS: given.get("cached_tokens"),
        names.CACHE_WRITE_TOKENS: given.get("cache_write_tokens") or None,
        names.REASONING_TOKENS: made.get("reasoning_tokens"),
        names.COST_USD: str(reported["cost"]) if reported.get("cost") is not None else None,
    }


def content_of(data: SpanData) -> Attributes:
    """What people, models and tools wrote, as JSON or plain text."""
    match data:
        case GenerationSpanData():
            output = answer_of(data).get("output") or data.output
            return {names.INPUT_MESSAGES: as_text(data.input), names.OUTPUT_MESSAGES: as_text(output)}
        case ResponseSpanData():
            output = data.response.output if data.response is not None else None
            return {names.INPUT_MESSAGES: as_text(data.input), names.OUTPUT_MESSAGES: as_text(output)}
        case FunctionSpanData():
            return {names.TOOL_ARGUMENTS: as_text(data.input), names.TOOL_RESULT: as_text(data.output)}
        case CustomSpanData():
            return {names.DATA: as_text(data.data)}
        case _:
            return {}


def answer_of(data: GenerationSpanData) -> Mapping[str, Any]:
    """The whole response, where the SDK recorded one as the only output; else nothing."""
    output: Sequence[Mapping[str, Any]] = data.output or ()
    whole = output[0] if len(output) == 1 else {}
    return whole if isinstance(whole, Mapping) and isinstance(whole.get("output"), list) else {}


def as_text(value: Any) -> str | None:
    """A value as text; None if there is nothing."""
    if value is None or value == "" or value == []:
        return None
    return value if isinstance(value, str) else dumps(value)
