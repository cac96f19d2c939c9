"""What tools really take, from the spans of their calls into their manifests."""

from scripts.profile_tools import main, rewritten
from telemetry.toolprofiles import Profile, given, tool_profiles
from tests.runtime.desk import ask, services

MANIFEST = """\
tools:
  - name: search_gmail_messages
    cost: {tokens_in: 1, tokens_out: 2, latency_ms: 3}
  - name: get_events
    cost: {tokens_in: 150, tokens_out: 800, latency_ms: 600}    # corrected from measurements
    keywords: {en: [one]}
  - name: other
    cost: {tokens_in: 7, tokens_out: 8, latency_ms: 9}
"""


def test_a_result_counts_as_the_text_that_the_model_was_given():
    assert given('{"type": "text", "text": "{\\"a\\": 1}"}') == '{"a": 1}'
    assert given('{"text": "of a mail"}') == '{"text": "of a mail"}'
    assert given("plain") == "plain"


def words(text: str) -> int:
    return len(text.split())


def test_only_the_costs_of_measured_tools_change():
    profiles = {"get_events": Profile(5, 20, 300, 12)}
    line = "    cost: {tokens_in: 150, tokens_out: 800, latency_ms: 600}    # corrected from"
    tokens = line.replace("150", "20").replace("800", "300")
    assert rewritten(MANIFEST, profiles, latency=False) == MANIFEST.replace(line, tokens)
    assert rewritten(MANIFEST, profiles, latency=True) == MANIFEST.replace(line, tokens.replace("600", "12"))
    assert rewritten(MANIFEST, {}, latency=True) == MANIFEST


def test_calls_that_went_well_are_measured_and_written(tmp_path, monkeypatch, capsys):
    with services(tmp_path) as desk:
        for question in ("Show my unread emails", "emails from Ana", "What's on my calendar tomorrow?"):
            ask(desk, question)
        profiles = tool_profiles(desk.telemetry.store, "local", words, least=2)
        assert list(profiles) == ["search_gmail_messages"]
        assert profiles["search_gmail_messages"].calls == 2
        assert profiles["search_gmail_messages"].tokens_out > profiles["search_gmail_messages"].tokens_in > 0
        assert tool_profiles(desk.telemetry.store, "nobody", words, least=1) == {}
    folder = tmp_path / "manifests"
    folder.mkdir()
    (folder / "gmail.yaml").write_text(GMAIL)
    monkeypatch.setenv("GLASSDESK_DATA_DIR", str(tmp_path))
    assert main(["--least", "2", "--folder", str(folder)]) == 0
    said = capsys.readouterr().out
    assert said.endswith("gmail.yaml: changed\n1 tools were measured.\n")
    assert "tokens_out: 2," not in (folder / "gmail.yaml").read_text()


GMAIL = """\
agent: {name: a, title: A, domain: a, task: t, description: d, prompt: a/v1, version: 1.0.0}
tools:
  - name: search_gmail_messages
    title: Search
    description: Finds.
    scopes: []
    cost: {tokens_in: 1, tokens_out: 2, latency_ms: 3}
    keywords: {}
    version: 1.0.0
"""
