"""Which provider stands behind a base URL."""

from typing import Final
from urllib.parse import urlsplit

HOSTS: Final = {
    "api.openai.com": "openai",
    "openrouter.ai": "openrouter",
    "api.anthropic.com": "anthropic",
    "api.mistral.ai": "mistral",
    "api.groq.com": "groq",
    "api.deepseek.com": "deepseek",
    "api.x.ai": "x-ai",
    "api.together.xyz": "together",
    "api.fireworks.ai": "fireworks",
    "generativelanguage.googleapis.com": "google",
}
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal")
OLLAMA_PORT: Final = 11_434


def provider_of(base_url: str) -> str | None:
    """The provider's name as genai-prices knows it; a host that is not known is its own name; None without a host."""
    try:
        parts = urlsplit(base_url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return None
    if port == OLLAMA_PORT:
        return "ollama"
    if host in LOOPBACK:
        return "local"
    if host.endswith((".openai.azure.com", ".cognitiveservices.azure.com")):
        return "azure"
    return HOSTS.get(host, host or None)


def host_of(base_url: str) -> str | None:
    """The host of a URL, without anything that could be a secret; None without one."""
    try:
        return urlsplit(base_url).hostname
    except ValueError:
        return None
