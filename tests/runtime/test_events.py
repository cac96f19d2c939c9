import asyncio
import threading

import pytest

from core.runtime.events import EventLog, EventType


def test_every_reader_sees_all_events_from_any_offset():
    log = EventLog()
    log.append(EventType.DELTA, text="a")
    log.append(EventType.DELTA, text="b")
    log.append(EventType.FINISHED)
    assert [event.data.get("text") for event in log.read() if event] == ["a", "b", None]
    assert [event.offset for event in log.read(1) if event] == [1, 2]


def test_a_reader_waits_but_not_for_ever():
    log = EventLog()
    reader = log.read(wait=0.001)
    assert next(reader) is None
    log.append(EventType.DELTA, text="now")
    assert next(event for event in reader if event).data == {"text": "now"}


def test_nothing_follows_the_end():
    log = EventLog()
    log.append(EventType.FINISHED, status="done")
    log.append(EventType.DELTA, text="late")
    assert len(log.after()) == 1
    assert log.last(0).data == {"status": "done"}


def test_waiting_for_an_end_that_does_not_come_says_so():
    with pytest.raises(TimeoutError):
        EventLog().last(0.001)


async def test_an_async_reader_follows_writers_in_other_threads():
    log = EventLog()

    def write():
        for number in range(200):
            log.append(EventType.DELTA, text=str(number))
        log.append(EventType.FINISHED)

    async def read():
        return [event.data.get("text") async for event in log.follow()]

    readers = [asyncio.create_task(read()) for _ in range(3)]
    await asyncio.sleep(0)
    thread = threading.Thread(target=write)
    thread.start()
    expected = [*(str(number) for number in range(200)), None]
    assert await asyncio.gather(*readers) == [expected] * 3
    thread.join()
