"""Memory at the start: what it loads stays and is not looked through again; what it needed for a while goes."""

import ctypes
import gc
from typing import Final

OFTEN: Final = (10_000, 20, 20)
"""Objects that come into being between two looks at the youngest, and looks until older ones are looked at, too."""

SELDOM: Final = (100_000, 50, 1_000)
"""While the start loads: next to nothing of that is garbage, and looking for it takes a quarter of the start."""


def hurry() -> None:
    """Call at the beginning of the start, and `settle` at its end."""
    gc.set_threshold(*SELDOM)


def settle() -> None:
    """Call at the end of the start; a look through all that was loaded stops every thread for a tenth of a second."""
    gc.freeze()
    gc.set_threshold(*OFTEN)
    give_back()


def give_back() -> None:
    """Give what is free back to the system, where the C library can; it would keep it, and it takes milliseconds."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
