"""The row of numbers above the Costs page, and the course of spending."""

from collections.abc import Sequence

import streamlit as st

from pages.components.filters import Chosen
from pages.components.markdown import literal
from pages.components.metrics import NARROWEST, number, signed
from pages.components.page import Page
from telemetry import formats
from telemetry.costs import Costs, Line, Saved, Spent, total
from telemetry.figures import FIXED
from telemetry.figures_costs import over_time
from telemetry.forecast import DAYS, forecast
from telemetry.palette import Theme
from telemetry.savings import DirectSaving, direct_saving


def cost_numbers(page: Page, costs: Costs, lines: Sequence[Line], chosen: Chosen, now_ns: int) -> None:
    """Draw them; where there are none, how to fill the page."""
    now, before = total(lines), total(costs.lines(page.user.id, chosen.selection.previous()))
    if not now.calls:
        nothing(chosen)
    with st.grid(4, min_column_width=NARROWEST):
        if now.calls:
            of_period(now, before, costs.saved(page.user.id, chosen.selection))
            directly(direct_saving(page.services.telemetry.store, page.user.id, chosen.selection))
        found = forecast(costs, page.user.id, now_ns, page.user.zone)
        month = f"{formats.local(now_ns, page.user.zone):%B}"
        if found is not None:
            amount(f"{month} so far", found.so_far, found.unpriced)
            meaning = f"So far, and the last {DAYS} days' average for each day that is left. Filters do not count here."
            amount(f"{month}, expected", found.expected, found.unpriced, meaning)
    if now.calls:
        against = f"Against the {chosen.period} before." if before.calls else f"No calls in the {chosen.period} before."
        st.caption(f"{against} A call counts when its turn began. {in_doubt(now)}")


def nothing(chosen: Chosen) -> None:
    """How to fill the page."""
    with st.container(border=True):
        st.markdown(f"**No model was called in the {chosen.name}** that fits the filters.")
        st.markdown("Ask something in the chat; what its answer cost appears here at once.")
        st.page_link("chat.py", label="Go to the chat", icon=":material/forum:")


def of_period(now: Spent, before: Spent, saved: Saved) -> None:
    """The numbers of the period."""
    known = before.calls and now.pico_usd is not None and before.pico_usd is not None
    change = (now.pico_usd or 0) - (before.pico_usd or 0) if known else None
    number("Spent", literal(money(now.pico_usd)), dollars_change(change), help="As far as prices are known.")
    calls = signed(now.calls - before.calls, formats.count) if before.calls else None
    number("Model calls", formats.count(now.calls), calls, good_up=None)
    meaning = "Calls whose cost is not known; they are in no sum."
    number("Unpriced calls", formats.count(now.unpriced), None, help=meaning)
    tokens = None if now.input_tokens is None and now.output_tokens is None else sum(now.kinds.values())
    number("Tokens", formats.count(tokens), None, help="Read and written, as far as providers reported them.")
    if saved.turns:
        meaning = f"{formats.counted(saved.turns, 'answer')} remembered; what the first one had cost."
        amount("Saved", saved.pico_usd, saved.turns - saved.known, meaning)


def directly(saved: DirectSaving | None) -> None:
    """What direct turns saved; an estimate, and said to be one."""
    if saved is None:
        return
    tokens = "" if saved.tokens is None else f", about {formats.count(saved.tokens)} tokens"
    meaning = (
        f"An estimate{tokens}: {formats.counted(saved.direct, 'turn')} went to a specialist directly. Each is taken to "
        f"have saved what the assistant's own calls took on average in the {saved.orchestrated:,} that it led."
    )
    number("Routing saved, about", literal(money(saved.pico_usd)), None, help=meaning)


def amount(label: str, pico_usd: int | None, unpriced: int, meaning: str = "") -> None:
    """One amount of money."""
    also = f" {unpriced:,} of unknown cost are not in it." if unpriced else ""
    number(label, literal(money(pico_usd)), None, help=(meaning + also).strip() or None)


def money(pico_usd: int | None) -> str:
    """An amount, or that it is not known."""
    return formats.UNKNOWN if pico_usd is None else formats.money(pico_usd)


def dollars_change(change: int | None) -> str | int | None:
    """A change of an amount with its sign, by which Streamlit knows the arrow: it must come first, as it is."""
    text = signed(change, formats.money)
    return text[0] + literal(text[1:]) if isinstance(text, str) else text


def in_doubt(spent: Spent) -> str:
    """What is not in the sums, in words."""
    parts = []
    if spent.unreported:
        parts.append(f"{formats.counted(spent.unreported, 'call')} did not report all tokens.")
    if spent.estimated:
        parts.append(f"Tokens of {formats.counted(spent.estimated, 'call')} are our own count.")
    return " ".join(parts)


def spending(page: Page, lines: Sequence[Line], chosen: Chosen, theme: Theme) -> None:
    """Money over time."""
    st.subheader("What was spent when, and on which model", anchor=False)
    if total(lines).pico_usd == 0:
        st.caption("All calls of this period were free, as far as prices are known.")
        return
    figure = over_time(lines, chosen.selection, page.user.zone, theme)
    st.plotly_chart(figure, key="spending", config=FIXED, alt="Money spent over time by model")
    if total(lines).pico_usd is None:
        st.caption("No call of this period has a known cost; the list below says why.")
