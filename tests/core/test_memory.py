import gc

from core.memory import OFTEN, settle


def test_what_was_loaded_is_looked_through_no_more() -> None:
    before = gc.get_threshold()
    try:
        settle()
        assert gc.get_freeze_count() > 10_000
        assert gc.get_threshold() == OFTEN
        assert gc.isenabled()
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
