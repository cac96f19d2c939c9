"""What is around a call of a tool: its spans, and how its failure is marked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from agents.tracing import get_current_span
from mcp_types import CallToolResult, TextContent
from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind

CurrentSpan = Callable[[], Span]


@contextmanager
def connecting(transport: str) -> Iterator[None]:
    """The span of opening a session."""
    attributes = {"network.transport": transport}
    with trace.get_tracer("glassdesk").start_as_current_span("mcp.connect", attributes=attributes):
        yield


@contextmanager
def calling(current_span: CurrentSpan) -> Iterator[None]:
    """The agent's span of the call is current, so that the server's and Google's spans go below it."""
    with trace.use_span(current_span(), end_on_exit=False, record_exception=False, set_status_on_exception=False):
        yield


@contextmanager
def sending(tool: str) -> Iterator[None]:
    """The client's span of a call in the process; over a stream the MCP SDK makes it."""
    attributes = {"mcp.method.name": "tools/call", "gen_ai.tool.name": tool, "network.transport": "inproc"}
    tracer = trace.get_tracer("glassdesk")
    with tracer.start_as_current_span(f"tools/call {tool}", kind=SpanKind.CLIENT, attributes=attributes):
        yield


def failed(sentence: str) -> CallToolResult:
    """A failure as a tool would say it."""
    return CallToolResult(content=[TextContent(type="text", text=sentence)], is_error=True)


def marked(result: CallToolResult) -> CallToolResult:
    """The result as it is; the agent's span of the call is marked where it failed, which the SDK leaves out."""
    span = get_current_span()
    if result.is_error and span is not None:
        span.set_error({"message": text_of(result), "data": {"type": "tool_error"}})
    return result


def text_of(result: CallToolResult) -> str:
    """What a result says in words."""
    return " ".join(item.text for item in result.content if isinstance(item, TextContent))
