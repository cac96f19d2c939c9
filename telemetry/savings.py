"""What going to one specialist directly has saved, beside asking the assistant first: an estimate."""

from dataclasses import dataclass, replace

from telemetry.costs import Costs, total
from telemetry.latency import Latency, numbers
from telemetry.phases import ORCHESTRATOR
from telemetry.queries import Readable, Selection

DIRECT, ORCHESTRATED = "direct", "orchestrated"


@dataclass(frozen=True)
class DirectSaving:
    """Direct turns, times what the assistant's own calls took in a turn that went through it.

    Attributes:
        direct, orchestrated: turns that ended.
        tokens: read and written, of all direct turns together; None where no call reported any.
        pico_usd: 10⁻¹² USD; None where no cost is known.
    """

    direct: int
    orchestrated: int
    tokens: int | None
    pico_usd: int | None


def direct_saving(store: Readable, user_id: str, selection: Selection) -> DirectSaving | None:
    """What direct turns of a selection have saved; None where there is nothing to estimate from.

    A model call that was not needed is as dear as one that was made in the same period.
    """
    if selection.routes or selection.agents:
        return None
    latency, costs = Latency(store), Costs(store)
    there, past = (replace(selection, routes=(route,)) for route in (ORCHESTRATED, DIRECT))
    asked, direct = (numbers(latency.sample(user_id, one)).turns for one in (there, past))
    own = total(line for line in costs.lines(user_id, there) if line.agent == ORCHESTRATOR)
    if not (asked and direct and own.calls):
        return None
    read = sum(own.kinds.values()) if own.input_tokens is not None or own.output_tokens is not None else None
    tokens, pico_usd = (None if amount is None else direct * amount // asked for amount in (read, own.pico_usd))
    return DirectSaving(direct, asked, tokens, pico_usd)
