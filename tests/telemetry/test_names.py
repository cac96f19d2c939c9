"""Names: of providers, of attributes in old and new spellings, of span types."""

import pytest
from opentelemetry.trace import SpanKind

from telemetry import attributes as names
from telemetry.attributes import read
from telemetry.providers import host_of, provider_of
from telemetry.rows import Identity, stored_name, type_of


@pytest.mark.parametrize(
    ("url", "provider"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("https://openrouter.ai/api/v1/", "openrouter"),
        ("http://localhost:11434/v1", "ollama"),
        ("http://127.0.0.1:8080/v1", "local"),
        ("https://sam.openai.azure.com/openai", "azure"),
        ("https://models.lumenworks.example/v1", "models.lumenworks.example"),
        ("http://[bad", None),
        ("", None),
    ],
)
def test_a_base_url_tells_the_provider(url: str, provider: str | None) -> None:
    assert provider_of(url) == provider


def test_a_host_is_named_without_credentials() -> None:
    assert host_of("https://sam:pass@models.lumenworks.example:8443/v1?key=x") == "models.lumenworks.example"
    assert host_of("http://[bad") is None


def test_older_spellings_are_read_and_the_new_one_wins() -> None:
    assert read({"gen_ai.usage.cache_creation.input_tokens": 7}, names.CACHE_WRITE_TOKENS) == 7
    assert read({"gen_ai.usage.prompt_tokens": 1, "gen_ai.usage.input_tokens": 2}, names.INPUT_TOKENS) == 2
    assert read({"gen_ai.system": "openai"}, names.PROVIDER) == "openai"
    assert read({}, names.PROVIDER) is None


@pytest.mark.parametrize(
    ("name", "attributes", "kind", "expected"),
    [
        ("turn", {}, SpanKind.INTERNAL, "turn"),
        ("cache.lookup", {}, SpanKind.INTERNAL, "cache"),
        ("route", {}, SpanKind.INTERNAL, "route"),
        ("approval.wait", {}, SpanKind.INTERNAL, "approval"),
        ("persist", {}, SpanKind.INTERNAL, "persist"),
        ("mcp.connect", {}, SpanKind.INTERNAL, "mcp_setup"),
        ("invoke_agent Gmail", {names.OPERATION: "invoke_agent"}, SpanKind.INTERNAL, "agent"),
        ("chat gpt-4o", {names.OPERATION: "chat"}, SpanKind.CLIENT, "chat"),
        ("execute_tool x", {names.OPERATION: "execute_tool"}, SpanKind.INTERNAL, "tool"),
        ("MCP send tools/call x", {names.MCP_METHOD: "tools/call"}, SpanKind.CLIENT, "mcp_client"),
        (
            "tools/call x",
            {names.MCP_METHOD: "tools/call", names.OPERATION: "execute_tool"},
            SpanKind.SERVER,
            "mcp_server",
        ),
        ("gmail.users.messages.list", {}, SpanKind.CLIENT, "google"),
        ("calendar.events.list", {}, SpanKind.CLIENT, "google"),
        ("gmailish", {}, SpanKind.INTERNAL, "other"),
    ],
)
def test_every_span_has_a_type(name: str, attributes: dict[str, str], kind: SpanKind, expected: str) -> None:
    assert type_of(name, attributes, kind) == expected


def test_the_mcp_clients_span_is_named_by_the_convention() -> None:
    assert stored_name("MCP send tools/call search") == "tools/call search"


def test_an_identity_is_learnt_once_and_fits_a_database() -> None:
    first = Identity().learn({names.USER: "local", names.CONVERSATION: "c\ud8001"})
    assert first == Identity("local", "c?1")
    assert first.learn({names.USER: "other"}) is first
