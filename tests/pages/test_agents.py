from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.registry.display import Display
from core.registry.embeddings import Embedder
from core.registry.manifests import load_catalogue
from core.registry.registry import AgentRegistry
from core.registry.router import Router
from core.registry.toolcards import Schema
from core.runtime.switchboard import Switchboard
from core.servers.manifests import Own
from core.users import Role, local_user
from telemetry.store import Store
from tests.pages.glass import opened, page_of, services_of, texts
from tests.telemetry.test_toolstats import Calls

CATALOGUE, EMBEDDER = load_catalogue(), Embedder()


@pytest.fixture(scope="module")
def router() -> Router:
    found = Router(CATALOGUE, EMBEDDER)
    found.load()
    return found


@pytest.fixture
def services(tmp_path: Path, router: Router) -> SimpleNamespace:
    schemas = {tool.name: Schema({"type": "object", "properties": {}}, None) for _, tool in CATALOGUE.tools()}
    agents: AgentRegistry[object] = AgentRegistry(CATALOGUE, EMBEDDER.count_tokens, lambda: schemas)
    agents.register_agent("gmail_agent", object)
    agents.register_agent("calendar_agent", broken)
    made = services_of(
        Store(f"sqlite:///{tmp_path / 'telemetry.db'}"),
        tmp_path,
        catalogue=CATALOGUE,
        servers=SimpleNamespace(refreshed=lambda _: Own(CATALOGUE, agents.domains)),
        added=SimpleNamespace(routed=lambda *given: given[-1]),
        router=router,
        agents=agents,
        display=Display(agents.domains, 6, agents.tool_sizes),
    )
    made.people = SimpleNamespace(local=lambda: local_user(made.settings))
    made.switchboard = Switchboard(made.stores.switches, agents.domains, lambda *_: None)
    return made


def broken() -> object:
    raise ValueError("its prompt is gone")


@pytest.fixture
def app(services: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    return page_of(services, monkeypatch, "agents.py")


def test_each_agent_says_whether_it_is_ready(app: AppTest, services: SimpleNamespace) -> None:
    services.agents.get_agent("gmail_agent")
    said = texts(opened(app))
    assert "2 agents, 1 ready." in said
    assert "Ready, made in" in said and "Not needed yet" in said


def test_an_administrator_rebuilds_an_agent_and_reads_why_that_failed(app: AppTest) -> None:
    opened(app).button(key="rebuild_calendar_agent").click().run()
    said = texts(app)
    assert "The agent calendar_agent could not be built: its prompt is gone. Mend it, then try again." in said
    assert "Could not be made" in said


def test_nobody_else_is_offered_to_rebuild(app: AppTest, services: SimpleNamespace) -> None:
    person = local_user(services.settings).changed(role=Role.PERSON)
    services.people = SimpleNamespace(local=lambda: person)
    assert not [button for button in opened(app).button if str(button.key).startswith("rebuild_")]


def test_an_agent_is_switched_off_and_on(app: AppTest, services: SimpleNamespace) -> None:
    opened(app).toggle(key="on_gmail_agent").set_value(False).run()
    assert services.stores.switches.off("local").domains == {"gmail"}
    assert "Gmail is off, and all its tools with it." in texts(app)
    app.toggle(key="on_gmail_agent").set_value(True).run()
    assert not services.stores.switches.off("local")


def test_a_question_is_answered_with_its_specialist_and_what_that_saves(app: AppTest) -> None:
    app.query_params["q"] = "Show my unread emails"
    opened(app)
    assert "Straight to **Gmail**." in texts(app)
    shown = {metric.label: metric.value for metric in app.metric}
    assert shown["Tools shown"] == "7 of 15"
    assert int(shown["Tokens saved"].replace(",", "")) > 0


def test_a_question_for_nobody_is_the_assistants(app: AppTest) -> None:
    app.query_params["q"] = "play some music"
    assert "The assistant answers, or asks back. Uncertain" in texts(opened(app))


def test_a_question_for_an_agent_that_is_off_says_so(app: AppTest, services: SimpleNamespace) -> None:
    services.stores.switches.set("local", "agent", "gmail", on=False)
    app.query_params["q"] = "Show my unread emails"
    assert "The assistant answers, or asks back." in texts(opened(app))
    assert "Switched off: gmail." in texts(app)


def test_the_catalogue_is_measured_whole_and_for_each_domain(app: AppTest) -> None:
    opened(app)
    sizes = next(frame.value for frame in app.dataframe if "Smaller by" in frame.value)
    assert list(sizes["For"]) == ["Calendar", "Docs", "Drive", "Gmail", "Sheets", "Slides"]
    assert all(int(share.removesuffix(" %")) >= 85 for share in sizes["Smaller by"])


def test_measured_times_stand_beside_the_expected(app: AppTest, services: SimpleNamespace) -> None:
    Calls(services.telemetry.store)
    opened(app)
    tools = next(frame.value for frame in app.dataframe if "Measured" in frame.value)
    assert list(tools.columns) == ["On", "Tool", "Does", "Asks first", "Tokens", "Expected", "Measured", "Result"]
    assert set(tools["Measured"]) == {"–"}
