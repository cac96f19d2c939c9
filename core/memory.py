"""The garbage collector, told once that what the start loaded stays: it need not look through it again."""

import gc
from typing import Final

OFTEN: Final = (10_000, 20, 20)
"""Objects that come into being between two looks at the youngest, and looks until older ones are looked at, too."""


def settle() -> None:
    """Call at the end of the start; a look through all that was loaded stops every thread for a tenth of a second."""
    gc.freeze()
    gc.set_threshold(*OFTEN)
