"""Other instrumentations' attributes in our words: OpenInference, OpenLLMetry, Vercel's AI SDK, older GenAI spellings.

What is translated loses its old name, so that content is known as content; all other attributes stay as they came.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from telemetry import attributes as names
from telemetry.adoption import question_in
from telemetry.flatmessages import conversation_of
from telemetry.jsontext import dumps

Attributes = dict[str, Any]

OPENINFERENCE_KIND: Final = "openinference.span.kind"
TRACELOOP_KIND: Final = "traceloop.span.kind"
AI_OPERATION: Final = "ai.operationId"
OPERATIONS: Final[Mapping[str, Mapping[str, str]]] = {
    OPENINFERENCE_KIND: {
        "llm": "chat",
        "agent": "invoke_agent",
        "tool": "execute_tool",
        "embedding": "embeddings",
        "retriever": "retrieval",
        "reranker": "rerank",
        "guardrail": "guardrail",
        "evaluator": "evaluate",
    },
    TRACELOOP_KIND: {"agent": "invoke_agent", "tool": "execute_tool"},
    "llm.request.type": {"chat": "chat", "completion": "chat", "embedding": "embeddings", "rerank": "rerank"},
    AI_OPERATION: {
        "ai.generatetext.dogenerate": "chat",
        "ai.streamtext.dostream": "chat",
        "ai.generateobject.dogenerate": "chat",
        "ai.streamobject.dostream": "chat",
        "ai.embed.doembed": "embeddings",
        "ai.embedmany.doembed": "embeddings",
        "ai.toolcall": "execute_tool",
    },
}
"""What an instrumentation calls a span's kind → the operation that it is; in this order."""
SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    names.PROVIDER: ("llm.provider", "llm.system", "ai.model.provider"),
    names.REQUEST_MODEL: ("llm.model_name", "embedding.model_name", "llm.request.model", "ai.model.id"),
    names.RESPONSE_MODEL: ("llm.response.model", "ai.response.model"),
    names.RESPONSE_ID: ("ai.response.id",),
    names.INPUT_TOKENS: ("llm.token_count.prompt", "llm.usage.prompt_tokens", "ai.usage.promptTokens"),
    names.OUTPUT_TOKENS: ("llm.token_count.completion", "llm.usage.completion_tokens", "ai.usage.completionTokens"),
    names.CACHE_READ_TOKENS: ("llm.token_count.prompt_details.cache_read", "llm.usage.cache_read_input_tokens"),
    names.CACHE_WRITE_TOKENS: ("llm.token_count.prompt_details.cache_write", "llm.usage.cache_creation_input_tokens"),
    names.REASONING_TOKENS: ("llm.token_count.completion_details.reasoning", "llm.usage.reasoning_tokens"),
    names.COST_USD: ("gen_ai.usage.cost", "llm.cost.total"),
    names.CONVERSATION: (
        "traceloop.association.properties.conversation_id",
        "traceloop.association.properties.session_id",
        "traceloop.association.properties.thread_id",
        "ai.telemetry.metadata.sessionId",
        "gen_ai.openai.thread.id",
    ),
    names.AGENT_NAME: ("agent.name", "agent_name"),
    names.TOOL_NAME: ("tool.name", "ai.toolCall.name"),
    names.TOOL_CALL_ID: ("tool_call.id", "tool.id", "ai.toolCall.id"),
    names.TOOL_ARGUMENTS: ("ai.toolCall.args", "tool_arguments"),
    names.TOOL_RESULT: ("ai.toolCall.result", "tool_response"),
    names.INPUT_MESSAGES: ("ai.prompt.messages", "ai.prompt", "gen_ai.prompt"),
    names.OUTPUT_MESSAGES: ("ai.response.text", "ai.response.object", "gen_ai.completion"),
    names.ERROR_TYPE: ("exception.type",),
}
"""Our name → the others' for the same value; what they wrote goes by our name, the first one found."""
FLAT: Final = {
    names.INPUT_MESSAGES: ("llm.input_messages", "gen_ai.prompt", "llm.prompts"),
    names.OUTPUT_MESSAGES: ("llm.output_messages", "gen_ai.completion", "llm.completions"),
}
"""Messages that are written as one attribute a field, `….0.content`."""
WHOLE: Final = (("input.value", "traceloop.entity.input"), ("output.value", "traceloop.entity.output"))
"""What a span of any kind was given, and what it gave."""
PROVIDERS: Final = {"x_ai": "x-ai", "xai": "x-ai", "az.ai.openai": "azure", "azure.ai.openai": "azure"}
"""Names of providers that the price list knows by another."""
COUNTS: Final = (names.INPUT_TOKENS, names.OUTPUT_TOKENS, names.CACHE_READ_TOKENS, names.REASONING_TOKENS)


def translated(name: str, found: Mapping[str, Any], events: Sequence[dict[str, Any]] = ()) -> Attributes:
    """A foreign span's attributes in our words, its question among them. What is so already stays as it is.

    Args:
        name: The span's, which names an agent or a tool where nothing else does.
        events: The span's; messages were events once. They are taken over, not changed.
    """
    said: Attributes = dict(found)
    take_operation(said)
    for ours, prefixes in FLAT.items():
        take_messages(said, ours, prefixes)
    for ours, spelt in SPELLINGS.items():
        take(said, ours, spelt)
    take_whole(said)
    take_events(said, events)
    complete(name, said)
    return said


def take_operation(said: Attributes) -> None:
    """What the span does, by its kind."""
    for key, operations in OPERATIONS.items():
        operation = operations.get(str(said.get(key, "")).lower())
        if operation is not None:
            said.setdefault(names.OPERATION, operation)


def take(said: Attributes, ours: str, spelt: Sequence[str]) -> None:
    """Give a value our name; a second one for the same thing goes."""
    for key in spelt:
        value = said.pop(key, None)
        if value is not None and value != "" and names.read(said, ours) is None:
            said[ours] = value


def take_messages(said: Attributes, ours: str, spelt: Sequence[str]) -> None:
    """Put messages that came field by field together."""
    for prefix in spelt:
        fields = {key: said.pop(key) for key in [key for key in said if key.startswith(f"{prefix}.")]}
        messages = conversation_of(prefix, fields) if fields else []
        if messages and ours not in said:
            said[ours] = dumps(messages)


def take_whole(said: Attributes) -> None:
    """A tool's input is its arguments, anything else's its messages; what is there in more detail stays."""
    tool = said.get(names.OPERATION) == "execute_tool"
    ours = (names.TOOL_ARGUMENTS, names.TOOL_RESULT) if tool else (names.INPUT_MESSAGES, names.OUTPUT_MESSAGES)
    for name, spelt in zip(ours, WHOLE, strict=True):
        take(said, name, spelt)
    if tool:
        take(said, names.TOOL_ARGUMENTS, ("tool.parameters",))


def take_events(said: Attributes, events: Sequence[Mapping[str, Any]]) -> None:
    """Messages that came as events."""
    given, made = [], []
    for event in events:
        attributes, kind = event["attributes"], event["name"]
        if kind == "gen_ai.client.inference.operation.details":
            for name in names.CONTENT & attributes.keys():
                said.setdefault(name, attributes[name])
        elif kind in ("gen_ai.choice", "gen_ai.content.completion"):
            made.append(as_message("assistant", attributes))
        elif kind == "gen_ai.content.prompt" or (kind.startswith("gen_ai.") and kind.endswith(".message")):
            role = kind.split(".")[1]
            made_role = role if role in ("system", "user", "assistant", "tool") else "user"
            given.append(as_message(made_role, attributes))
    if given:
        said.setdefault(names.INPUT_MESSAGES, dumps(given))
    if made:
        said.setdefault(names.OUTPUT_MESSAGES, dumps(made))


def as_message(role: str, attributes: Mapping[str, Any]) -> Attributes:
    """One message of an event."""
    keys = ("content", "gen_ai.prompt", "gen_ai.completion", "message", "gen_ai.event.content")
    text = next((attributes[key] for key in keys if attributes.get(key)), "")
    return {"role": str(attributes.get("role") or role), "parts": [{"type": "text", "content": text}]}


def is_message(event: Mapping[str, Any]) -> bool:
    """Whether an event is one that `translated` takes over."""
    kind = str(event["name"])
    details = kind == "gen_ai.client.inference.operation.details"
    old = kind in ("gen_ai.choice", "gen_ai.content.prompt", "gen_ai.content.completion")
    return details or old or (kind.startswith("gen_ai.") and kind.endswith(".message"))


def complete(name: str, said: Attributes) -> None:
    """Fill in what follows from the rest: numbers as numbers, names, and what a person asked."""
    operation = said.get(names.OPERATION)
    if operation == "invoke_agent":
        said.setdefault(names.AGENT_NAME, said.get("traceloop.entity.name") or name.removeprefix("invoke_agent "))
    elif operation == "execute_tool":
        said.setdefault(names.TOOL_NAME, said.get("traceloop.entity.name") or name.removeprefix("execute_tool "))
    if operation == "embeddings" and names.read(said, names.INPUT_TOKENS) is not None:
        said.setdefault(names.OUTPUT_TOKENS, 0)
    for key in (*COUNTS, names.CACHE_WRITE_TOKENS):
        if isinstance(said.get(key), str) and said[key].isdigit():
            said[key] = int(said[key])
    provider = said.get(names.PROVIDER)
    if isinstance(provider, str):
        said[names.PROVIDER] = PROVIDERS.get(provider.lower(), provider.lower())
    for key in (names.INPUT_MESSAGES, names.OUTPUT_MESSAGES, names.TOOL_ARGUMENTS, names.TOOL_RESULT):
        if key in said and not isinstance(said[key], str):
            said[key] = dumps(said[key])
    question = None if operation == "execute_tool" else question_in(said.get(names.INPUT_MESSAGES))
    if question:
        said.setdefault(names.QUESTION, question)
