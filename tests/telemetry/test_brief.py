import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from telemetry.brief import BriefLock


def test_only_one_thread_at_a_time_is_within() -> None:
    lock, inside, most = BriefLock(), 0, 0

    def come_and_go(_: int) -> None:
        nonlocal inside, most
        for _ in range(200):
            with lock:
                inside += 1
                most = max(most, inside)
                time.sleep(0)  # lets the others try
                inside -= 1

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(come_and_go, range(4)))
    assert (inside, most) == (0, 1)


def test_who_finds_it_taken_gets_it_once_it_is_free() -> None:
    lock, got = BriefLock(), threading.Event()

    def wait() -> None:
        with lock:
            got.set()

    with lock:
        other = threading.Thread(target=wait)
        other.start()
        assert not got.wait(0.05)
    assert got.wait(5)
    other.join()


def test_an_exception_leaves_it_free() -> None:
    lock = BriefLock()
    with pytest.raises(ValueError), lock:
        raise ValueError
    with lock:
        pass
