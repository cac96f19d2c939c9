"""The prices in use, where they come from, one's own among them, and pricing the past again."""

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st
from pydantic import ValidationError
from yaml import YAMLError

from pages.components.costs_numbers import money
from pages.components.costs_own_prices import file_prices, own_prices, wrong
from pages.components.markdown import literal
from pages.components.metrics import NAME_WIDTH
from pages.components.page import Page
from telemetry import formats
from telemetry.costs import Costs, Line
from telemetry.formats import NONE, local
from telemetry.own_prices import OwnPrices, override_of
from telemetry.pricelist import VERSION, PriceRow, list_reaches, price_rows
from telemetry.queries import EVERYBODY
from telemetry.repricing import Progress

POLL_SECONDS = 0.5


def prices(page: Page, costs: Costs, lines: Sequence[Line], now_ns: int) -> None:
    """Draw them."""
    st.subheader("Which prices are in use", anchor=False)
    book, file = OwnPrices(page.services.telemetry.store), file_prices()
    own = (*map(override_of, book.rows()), *file)
    rows = price_rows([(line.provider, line.model) for line in lines], local(now_ns, page.user.zone), own)
    reaches = list_reaches()
    dated = f", whose latest price begins on {reaches:%-d %b %Y}" if reaches else ""
    st.caption(
        f"A provider's own figure counts first where a response carries one, but for own prices. The list is that "
        f"of genai-prices {VERSION}{dated}; each call is priced as of its own time. US dollars per million tokens."
    )
    if rows:
        st.dataframe(
            [cells(row, page) for row in rows],
            hide_index=True,
            key="prices",
            column_config={
                "Model": st.column_config.TextColumn(width=NAME_WIDTH),
                "Published at": st.column_config.LinkColumn(display_text=r"https?://([^/]+)"),
            },
            alt="Prices of the models of the period",
        )
    own_prices(page, book, lines, file)
    again(page)


def cells(row: PriceRow, page: Page) -> dict[str, str]:
    """One price in words."""
    return {
        "Model": row.model,
        "Provider": row.provider or NONE,
        "Input": per_million(row.input, row),
        "Cached input": per_million(row.cached_input, row),
        "Output": per_million(row.output, row),
        "From": row.source,
        "Since": NONE if row.since is None else f"{row.since.astimezone(page.user.zone):%-d %b %Y}",
        "Published at": row.page or "",
    }


def per_million(price: Decimal | None, row: PriceRow) -> str:
    """A price; one with steps says that it begins there."""
    if price is None:
        return formats.UNKNOWN if row.source == "unknown" else NONE
    text = f"{price.normalize():f}"
    return f"{'from ' if row.stepped else ''}${text}"


def again(page: Page) -> None:
    """Price the past again, with progress."""
    repricing, user = page.services.repricing, page.user.id
    whose = "everybody's" if user == EVERYBODY else "all these"
    progress = repricing.progress(user)
    running = progress is not None and progress.running
    st.button(
        "Price the past again",
        icon=":material/sync:",
        key="reprice",
        disabled=running,
        on_click=begin,
        args=[page],
        help=f"Computes the cost of {whose} calls from their spans, with the prices as they are now.",
    )
    if problem := st.session_state.pop("reprice_problem", None):
        st.error(literal(problem))
    if running:
        st.fragment(live, run_every=POLL_SECONDS)(page)
    elif progress is not None:
        outcome(progress)


def begin(page: Page) -> None:
    """Start it; a file of prices that is wrong is said."""
    try:
        page.services.repricing.start(page.user.id)
    except (ValidationError, YAMLError) as error:
        st.session_state.reprice_problem = wrong(error)


def live(page: Page) -> None:
    """How far it is."""
    progress = page.services.repricing.progress(page.user.id)
    if progress is None or not progress.running:
        st.rerun()
    share = progress.done / progress.total if progress.total else 0.0
    st.progress(share, text=f"{progress.done:,} of {formats.counted(progress.total, 'turn')}")


def outcome(progress: Progress) -> None:
    """What came of the last run."""
    if progress.error:
        st.error(literal(progress.error))
        return
    turns = formats.counted(progress.total, "turn")
    left = f", {formats.counted(progress.unpriced or 0, 'call')} unpriced" if progress.unpriced else ""
    st.success(literal(f"{turns} priced again: {money(progress.before)} before, {money(progress.after)} now{left}."))
