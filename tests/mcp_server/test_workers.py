import asyncio
import threading
from contextvars import ContextVar

import pytest
from anyio import move_on_after

from core.mcp_server.workers import Workers

WHO = ContextVar("who", default="nobody")


def test_calls_of_different_tasks_share_a_thread_and_what_it_holds_open():
    async def two(workers):
        return [await asyncio.create_task(workers.run(threading.get_ident, abandon=True)) for _ in range(2)]

    first, second = asyncio.run(two(Workers()))
    assert first == second != threading.get_ident()


def test_work_knows_the_context_of_its_caller():
    async def asked():
        WHO.set("Ana")
        return await Workers().run(WHO.get, abandon=False)

    assert asyncio.run(asked()) == "Ana"


def test_what_work_raises_reaches_its_caller():
    with pytest.raises(ZeroDivisionError):
        asyncio.run(Workers().run(lambda: 1 / 0, abandon=True))


@pytest.mark.parametrize(("abandon", "waited"), [(True, False), (False, True)])
def test_a_caller_that_gives_up_leaves_a_read_behind_and_waits_for_a_write(abandon, waited):
    go_on, done = threading.Event(), threading.Event()

    def work():
        go_on.wait(5)
        done.set()

    async def impatient():
        asyncio.get_running_loop().call_later(0.05, go_on.set)
        with move_on_after(0.01):
            await Workers().run(work, abandon=abandon)
        return done.is_set()

    assert asyncio.run(impatient()) is waited
