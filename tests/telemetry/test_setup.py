"""One telemetry a process, whoever asks for it; MCP calls and their housekeeping; the store's tables."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agents
import pytest
from agents import trace as sdk_trace
from agents.tracing import custom_span
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from sqlmodel import select

from telemetry.errors import TelemetryError
from telemetry.setup import Telemetry, install
from telemetry.store import Store
from telemetry.tables import Span, Table, ToolCall
from tests.telemetry.reading import tree

IDENTITY = {"glassdesk.user.id": "local", "gen_ai.conversation.id": "c1"}


@pytest.fixture
def url(telemetry_url: str) -> str:
    return telemetry_url


@pytest.fixture
def telemetry(url: str) -> Iterator[Telemetry]:
    made = install(url)
    yield made
    made.shutdown()
    agents.set_trace_processors([])


def test_fifty_installs_by_two_sessions_are_one_and_store_each_span_once(url: str) -> None:
    made: list[Telemetry] = []

    def session() -> None:
        made.extend(install(url) for _ in range(25))

    threads = [threading.Thread(target=session) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 50
    assert len({id(one) for one in made}) == 1
    assert trace.get_tracer_provider() is made[0].tracer_provider
    root = trace.get_tracer("glassdesk").start_as_current_span("turn", attributes=IDENTITY)
    with root, sdk_trace("t"), custom_span("step"):
        pass
    assert made[0].flush()
    with made[0].store.reader() as session_:
        assert sorted(session_.exec(select(Span.name)).all()) == ["custom step", "turn"]
    made[0].shutdown()
    agents.set_trace_processors([])


def test_after_a_shutdown_the_same_provider_serves_the_next_telemetry(tmp_path: Path) -> None:
    first = install(f"sqlite:///{tmp_path / 'first.db'}")
    first.shutdown()
    second = install(f"sqlite:///{tmp_path / 'second.db'}")
    assert second is not first
    assert second.tracer_provider is first.tracer_provider
    trace.get_tracer("glassdesk").start_span("work").end()
    assert second.flush()
    with second.store.reader() as session:
        assert session.exec(select(Span.name)).all() == ["work"]
    second.shutdown()
    agents.set_trace_processors([])


def test_a_telemetry_of_ones_own_touches_no_globals(url: str) -> None:
    before = trace.get_tracer_provider()
    own = Telemetry(url)
    assert trace.get_tracer_provider() is before
    assert isinstance(own.tracer_provider, TracerProvider)
    assert own.tracer_provider is not before
    own.shutdown()


def test_sampling_is_on_whatever_the_environment_says(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    own = Telemetry(url)
    assert own.tracer_provider.get_tracer("test").start_span("work").is_recording()
    own.shutdown()


def test_ids_of_traces_begin_with_the_time_and_end_at_random(url: str) -> None:
    telemetry = Telemetry(url)
    tracer, before = telemetry.tracer_provider.get_tracer("test"), time.time_ns() // 10**6
    found = [tracer.start_span("turn", context=Context()).get_span_context() for _ in range(1_000)]
    after, ids = time.time_ns() // 10**6, [one.trace_id for one in found]
    assert all(before <= number >> 80 <= after for number in ids)
    assert [number >> 80 for number in ids] == sorted(number >> 80 for number in ids)
    assert len({number & (2**56 - 1) for number in ids}) == len(ids)
    assert all(one.is_valid and one.trace_flags.random_trace_id for one in found)
    telemetry.shutdown()


def test_a_turn_that_never_ends_is_not_accounted_for(telemetry: Telemetry) -> None:
    root = trace.get_tracer("glassdesk").start_span("turn", attributes=IDENTITY)
    with pytest.raises(TelemetryError, match="not accounted for"):
        telemetry.account(f"{root.get_span_context().trace_id:032x}", timeout=0.05)
    root.end()


def server() -> MCPServer:
    made = MCPServer("workspace")

    @made.tool()
    def search_gmail_messages(query: str) -> str:
        """Search."""
        with trace.get_tracer("glassdesk").start_as_current_span("gmail.users.messages.list"):
            if query == "bad":
                raise ToolError("Gmail does not understand this query.")
        return f"3 for {query}"

    return made


async def test_tool_calls_in_the_process_are_counted_and_housekeeping_is_not_kept(telemetry: Telemetry) -> None:
    tracer = trace.get_tracer("glassdesk")
    with tracer.start_as_current_span("turn", attributes=IDENTITY) as root:
        async with Client(server()) as client:
            await client.list_tools()
            await client.call_tool("search_gmail_messages", {"query": "is:unread"})
            failed = await client.call_tool("search_gmail_messages", {"query": "bad"})
    assert failed.is_error
    turn_id = f"{root.get_span_context().trace_id:032x}"
    turn = telemetry.account(turn_id)
    call = ("tools/call search_gmail_messages", [("gmail.users.messages.list", [])])
    assert tree(telemetry, turn_id) == ("turn", [call] * 2)
    assert (turn.tools, turn.google_requests) == (2, 2)
    with telemetry.store.reader() as session:
        types = session.exec(select(Span.type).order_by(Span.start_ns)).all()  # type: ignore[arg-type]
        calls = session.exec(select(ToolCall).order_by(ToolCall.start_ns)).all()  # type: ignore[arg-type]
    assert types == ["turn", *["mcp_server", "google"] * 2]
    assert [(one.tool, one.status, one.error) for one in calls] == [
        ("search_gmail_messages", "ok", None),
        ("search_gmail_messages", "error", "tool_error"),
    ]


def test_the_migrations_make_the_tables_that_the_models_describe(url: str) -> None:
    store = Store(url)
    with store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_object": is_described})
        assert compare_metadata(context, Table.metadata) == []


def is_described(_item: Any, name: str | None, kind: str, _reflected: bool, _other: Any) -> bool:
    """The index of texts is each database's own; its rows are described."""
    own = str(name).startswith(("turn_words", "turn_text_", "telemetry_version"))
    return not own and (kind, name) != ("column", "words")


def test_a_file_is_read_while_it_is_written_and_gives_back_its_room(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'telemetry.db'}")
    with store.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA auto_vacuum").scalar() == 2
    store.close()


def test_a_store_is_opened_by_several_at_once(url: str) -> None:
    stores: list[Store] = []
    threads = [threading.Thread(target=lambda: stores.append(Store(url))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stores) == 4
    for store in stores:
        store.close()


def test_a_database_that_cannot_be_opened_is_a_sentence_without_the_password(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(b"no database " * 1_000)
    with pytest.raises(TelemetryError, match=r"damaged\.db cannot be opened: file is not a database\. Check"):
        Store(f"sqlite:///{damaged}")
    with pytest.raises(TelemetryError, match="unable to open database file"):
        Store(f"sqlite:///{tmp_path / 'no' / 'folder.db'}")


def test_a_failed_write_leaves_nothing(url: str) -> None:
    store = Store(url)
    with pytest.raises(RuntimeError), store.write() as connection:
        connection.exec_driver_sql("INSERT INTO payload VALUES ('s', 't', 'k', 'text', 4)")
        raise RuntimeError
    with store.reader() as session:
        assert session.connection().exec_driver_sql("SELECT count(*) FROM payload").scalar() == 0
    store.close()


def test_a_database_in_memory_is_read_while_it_is_written() -> None:
    telemetry = Telemetry("sqlite://")
    tracer = telemetry.tracer_provider.get_tracer("test")
    for _ in range(20):
        with tracer.start_as_current_span("turn", attributes=IDENTITY) as root:
            tracer.start_span("route").end()
        assert telemetry.account(f"{root.get_span_context().trace_id:032x}").status == "done"
        tracer.start_span("late").end()
    assert telemetry.health.last_error is None
    telemetry.shutdown()
