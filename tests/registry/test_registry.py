import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from core.registry.embeddings import Embedder
from core.registry.manifests import Catalogue, load_catalogue
from core.registry.registry import AgentExists, AgentRegistry, BuildFailed, UnknownAgent
from core.registry.toolcards import Schema

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
CATALOGUE = load_catalogue()
NAMES = [f"agent_{number}" for number in range(20)]


def words(text: str) -> int:
    return len(text.split())


def registry(catalogue: Catalogue = CATALOGUE, **more) -> AgentRegistry[object]:
    return AgentRegistry(catalogue, words, now=lambda: NOW, **more)


def test_a_hundred_threads_that_ask_for_twenty_agents_at_once_have_each_built_once():
    agents, built, ready = registry(), Counter(), threading.Barrier(100)
    for name in NAMES:
        agents.register_agent(name, lambda name=name: built.update([name]) or object())

    def ask(_):
        ready.wait()
        return [id(agents.get_agent(name)) for name in NAMES]

    with ThreadPoolExecutor(100) as threads:
        seen = list(threads.map(ask, range(100)))
    assert built == dict.fromkeys(NAMES, 1)
    assert len({tuple(one) for one in seen}) == 1
    assert agents.get_stats().builds == 20


def test_a_slow_or_failing_builder_holds_up_nobody_else():
    agents, begun, go_on = registry(), threading.Event(), threading.Event()

    def broken():
        begun.set()
        go_on.wait(10)
        raise ValueError("no key")

    agents.register_agent("broken", broken)
    agents.register_agent("sound", object)
    with ThreadPoolExecutor(1) as one:
        waits = one.submit(agents.get_agent, "broken")
        assert begun.wait(10)
        assert agents.get_agent("sound") is agents.get_agent("sound")
        assert not waits.done()
        go_on.set()
        with pytest.raises(BuildFailed, match="The agent broken could not be built: no key"):
            waits.result(10)


def test_those_who_wait_for_an_attempt_that_fails_share_its_failure():
    agents, tries, begun, go_on = registry(), [], threading.Event(), threading.Event()

    def broken():
        tries.append(1)
        begun.set()
        go_on.wait(10)
        raise ValueError("no key")

    agents.register_agent("broken", broken)
    entry = agents._entry("broken")
    with ThreadPoolExecutor(2) as two:
        first = two.submit(agents.get_agent, "broken")
        assert begun.wait(10)
        second = two.submit(agents._built, "broken", entry, 0)  # asked before the attempt began
        go_on.set()
        for waits in (first, second):
            with pytest.raises(BuildFailed):
                waits.result(10)
    assert len(tries) == 1


def test_a_builder_that_failed_is_tried_again_and_its_error_goes():
    agents, answers = registry(), iter([ValueError("the server is away"), "agent"])

    def builder():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    agents.register_agent("gmail_agent", builder)
    with pytest.raises(BuildFailed):
        agents.get_agent("gmail_agent")
    [state] = agents.list_agents()
    assert (state.built, state.error) == (
        False,
        "The agent gmail_agent could not be built: the server is away. Mend it, then try again.",
    )
    assert agents.get_agent("gmail_agent") == "agent"
    [state] = agents.list_agents()
    assert (state.built, state.error, state.builds, state.built_at) == (True, None, 1, NOW)


def test_an_agent_with_an_owner_is_there_for_that_user_until_it_is_removed():
    agents = registry()
    agents.register_agent("everybodys", lambda: "one")
    agents.register_agent("sams", lambda: "two", owner="sam")
    assert [state.name for state in agents.list_agents("sam")] == ["everybodys", "sams"]
    assert [state.name for state in agents.list_agents("eve")] == ["everybodys"]
    assert [state.name for state in agents.list_agents()] == ["everybodys"]
    agents.remove_agent("sams")
    agents.remove_agent("sams")
    with pytest.raises(UnknownAgent):
        agents.get_agent("sams")


def test_a_name_is_registered_once_unless_it_is_overridden():
    agents = registry()
    agents.register_agent("one", lambda: "first")
    assert agents.get_agent("one") == "first"
    with pytest.raises(AgentExists, match="There is an agent one already"):
        agents.register_agent("one", lambda: "second")
    agents.register_agent("one", lambda: "second", override=True)
    assert not agents.is_built("one")
    assert agents.get_agent("one") == "second"


def test_an_unknown_name_is_answered_with_those_that_are_registered():
    agents = registry()
    for ask in (agents.get_agent, agents.rebuild_agent, agents.is_built):
        with pytest.raises(UnknownAgent, match=r"There is no agent x; there are: none yet\."):
            ask("x")
    agents.register_agent("gmail_agent", object)
    agents.register_agent("docs_agent", object)
    with pytest.raises(UnknownAgent, match="there are: docs_agent, gmail_agent"):
        agents.get_agent("x")


def test_a_rebuild_that_fails_leaves_the_agent_before_in_use():
    agents, answers = registry(), iter(["first", "second"])
    agents.register_agent("one", lambda: next(answers))
    assert agents.get_agent("one") == "first"
    assert agents.rebuild_agent("one") == "second"
    with pytest.raises(BuildFailed):
        agents.rebuild_agent("one")
    assert agents.get_agent("one") == "second"
    assert agents.list_agents()[0].error == "The agent one could not be built: StopIteration. Mend it, then try again."
    assert agents.get_stats().failed == 1


def test_manifests_and_tools_are_found_by_name():
    schema = Schema({"type": "object", "properties": {"query": {"type": "string"}}}, None)
    agents = registry(schemas=lambda: {"search_gmail_messages": schema})
    assert agents.get_manifest("gmail_agent").title == "Gmail"
    card = agents.get_tool("search_gmail_messages")
    assert (card.domain, list(card.parameters)) == ("gmail", ["query"])
    assert card.permissions == {
        "access": "read", "approval": "none", "destructive": False, "idempotent": True, "scopes": ["gmail.readonly"],
    }  # fmt: skip
    with pytest.raises(UnknownAgent, match="there are: calendar_agent"):
        agents.get_manifest("mail_agent")
    with pytest.raises(KeyError, match="There is no tool 'x'"):
        agents.get_tool("x")


@pytest.mark.parametrize("domain", CATALOGUE.domains)
def test_the_catalogue_for_one_domain_is_at_least_85_percent_smaller(domain):
    agents = AgentRegistry(CATALOGUE, Embedder().count_tokens)
    whole, filtered = agents.export_for_prompt(), agents.export_for_prompt_filtered([domain])
    assert filtered.tokens <= whole.tokens * 0.15
    assert all(tool.name in filtered.text for tool in agents.domains.tools(domain))
    own = CATALOGUE.domains[domain].tools
    described = agents.export_for_prompt_filtered([domain], tuple(tool.name for tool in own))
    print(f"{domain}: {1 - filtered.tokens / whole.tokens:.1%} smaller, {1 - described.tokens / whole.tokens:.1%} at")
    print(f"equal detail; it has {len(own)} of {sum(1 for _ in CATALOGUE.tools())} tools.")
    share = len(own) / sum(1 for _ in CATALOGUE.tools())
    assert described.tokens / whole.tokens == pytest.approx(share, abs=0.03)


def test_the_whole_catalogue_describes_every_tool_and_is_made_once():
    agents = registry()
    whole = agents.export_for_prompt()
    for _, tool in CATALOGUE.all_tools():
        assert f"- {tool.name}{'' if tool.reads else ' [writes]'}: {tool.description}" in whole.text
    assert agents.export_for_prompt() is whole
    assert agents.export_for_prompt_filtered(["gmail"]) is agents.export_for_prompt_filtered(("gmail",))


def test_tools_that_are_needed_are_described_too():
    text = registry().export_for_prompt_filtered(["docs"], needed=("export_doc_to_pdf",)).text
    assert "- export_doc_to_pdf [writes]: " in text
    assert "Also: " in text and "- resolve_document_comment" not in text


def test_utilities_go_with_every_domain():
    agents = registry()
    assert agents.domains.names() == ("calendar", "docs", "drive", "gmail", "sheets", "slides")
    assert agents.domains.utilities() == ("context",)
    assert "resolve_reference" in [tool.name for tool in agents.domains.tools("gmail")]
    assert (agents.domains.domain_of("resolve_reference"), agents.get_tool("resolve_reference").domain) == (
        "context",
    ) * 2
    assert "(context_agent)" in agents.export_for_prompt_filtered(["gmail"]).text
    with pytest.raises(KeyError, match="There is no domain 'mail'"):
        agents.export_for_prompt_filtered(["mail"])
