"""Every attribute name that is written or read: OpenTelemetry's GenAI and MCP conventions, and our own.

The constants of the released semantic-conventions package are marked as moved, so the names live here.
"""

from collections.abc import Mapping
from typing import Any, Final

REOPEN: Final = "glassdesk.reopen"
"""Not an attribute but a key of the context: the ids that the next span takes over from one left open."""
OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
CONVERSATION: Final = "gen_ai.conversation.id"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
RESPONSE_ID: Final = "gen_ai.response.id"
FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
AGENT_NAME: Final = "gen_ai.agent.name"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"
TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_RESULT: Final = "gen_ai.tool.call.result"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
SYSTEM_INSTRUCTIONS: Final = "gen_ai.system_instructions"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS: Final = "gen_ai.usage.cache_write.input_tokens"
REASONING_TOKENS: Final = "gen_ai.usage.reasoning.output_tokens"

MCP_METHOD: Final = "mcp.method.name"
ERROR_TYPE: Final = "error.type"
ERROR_MESSAGE: Final = "error.message"
SERVER_ADDRESS: Final = "server.address"
HTTP_METHOD: Final = "http.request.method"
HTTP_STATUS: Final = "http.response.status_code"
HTTP_SIZE: Final = "http.response.body.size"
HTTP_RESENDS: Final = "http.request.resend_count"

TURN_ID: Final = "glassdesk.turn.id"
USER: Final = "glassdesk.user.id"
QUESTION: Final = "glassdesk.question"
STATUS: Final = "glassdesk.status"
ROUTE: Final = "glassdesk.route"
AGENTS: Final = "glassdesk.agents"
MODEL: Final = "glassdesk.model"
ERROR: Final = "glassdesk.error"
FIRST_TOKEN_NS: Final = "glassdesk.first_token_ns"
ESTIMATED: Final = "glassdesk.usage.estimated"
COST_USD: Final = "glassdesk.usage.cost_usd"
DATA: Final = "glassdesk.data"
HANDOFF_FROM: Final = "glassdesk.handoff.from"
HANDOFF_TO: Final = "glassdesk.handoff.to"
GUARDRAIL: Final = "glassdesk.guardrail.name"
GUARDRAIL_TRIGGERED: Final = "glassdesk.guardrail.triggered"
TOOL_RESULT_TOKENS: Final = "glassdesk.tool.result_tokens"
"""An estimate: what a result is for a typical language model."""
TOOL_LOCAL: Final = "glassdesk.tool.local"
"""Of a tool's run: no tool server serves the call, so that this span is all there is of it."""
AGENT_TOOLS: Final = "glassdesk.agent.tools"
CACHE_HIT: Final = "glassdesk.cache.hit"
CACHE_SAVED_USD: Final = "glassdesk.cache.saved_usd"
FEEDBACK_NOTE: Final = "glassdesk.feedback.note"
REDACTION: Final = "glassdesk.redaction"
SERVICE: Final = "service.name"
"""Of spans that another service sent; our own have none."""

CONTENT: Final = frozenset(
    {INPUT_MESSAGES, OUTPUT_MESSAGES, SYSTEM_INSTRUCTIONS, TOOL_ARGUMENTS, TOOL_RESULT, QUESTION, DATA, FEEDBACK_NOTE}
)
"""What people wrote and what tools returned: kept or not by the capture setting."""

STRUCTURAL: Final = frozenset(
    {OPERATION, PROVIDER, CONVERSATION, REQUEST_MODEL, RESPONSE_MODEL, AGENT_NAME, TOOL_NAME, TOOL_CALL_ID}
    | {MCP_METHOD, ERROR_TYPE, HTTP_METHOD, TURN_ID, USER, STATUS, ROUTE, AGENTS, MODEL, COST_USD}
    | {CACHE_HIT, CACHE_SAVED_USD, SERVICE, TOOL_LOCAL}
)
"""Names and ids that the roll-ups need; kept even when the redactor fails."""

OLDER: Final[Mapping[str, tuple[str, ...]]] = {
    PROVIDER: ("gen_ai.system",),
    INPUT_TOKENS: ("gen_ai.usage.prompt_tokens",),
    OUTPUT_TOKENS: ("gen_ai.usage.completion_tokens",),
    CACHE_READ_TOKENS: ("gen_ai.usage.cache_read_input_tokens",),
    CACHE_WRITE_TOKENS: ("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens"),
    REASONING_TOKENS: ("gen_ai.usage.reasoning_tokens",),
    FIRST_CHUNK: ("gen_ai.server.time_to_first_token",),
    CONVERSATION: ("session.id",),
}


FOREIGN_CONTENT: Final = (
    *("input.value", "output.value", "llm.input_messages", "llm.output_messages", "llm.prompts", "llm.completions"),
    *("llm.prompt_template", "llm.choices", "llm.function_call", "llm.tools", "llm.invocation_parameters", "prompt."),
    *("gen_ai.prompt", "gen_ai.completion", "gen_ai.tool.message", "gen_ai.tool.definitions", "gen_ai.event.content"),
    *("gen_ai.retrieval", "gen_ai.evaluation.explanation", "message", "content", "tool.parameters"),
    *("http.url", "http.target", "http.request.header", "http.response.header", "glassdesk.error"),
)
"""How the names begin under which other services' spans hold content."""
TELLING: Final = (
    *("gen_ai.", "mcp.", "http.", "server.", "network.", "rpc.", "error.type", "service.", "glassdesk.", "otel."),
    *("telemetry.", "deployment.", "openinference.span.kind", "traceloop.span.kind", "traceloop.workflow.name"),
    *("llm.token_count.", "llm.usage.", "llm.cost.", "llm.model_name", "llm.provider", "session.id", "exception.type"),
)
"""How the names begin under which other services' spans hold what is known to be no content."""


def tells(name: str, value: Any) -> bool:
    """Whether another service's attribute may be kept where content is not: a number, or known to be no content."""
    if isinstance(value, (bool, int, float)):
        return True
    return name not in CONTENT and name.startswith(TELLING) and not name.startswith(FOREIGN_CONTENT)


def read(attributes: Mapping[str, Any], name: str) -> Any:
    """An attribute by its name or one of its older spellings; None if it is absent."""
    for spelling in (name, *OLDER.get(name, ())):
        if spelling in attributes:
            return attributes[spelling]
    return None
