"""The prices of one's own: those of the page, which administrators set, change and remove, and those of the file."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal

import streamlit as st
from pydantic import ValidationError
from yaml import YAMLError

from pages.components.markdown import literal
from pages.components.page import Page
from telemetry import pricing
from telemetry.costs import Line
from telemetry.errors import TelemetryError
from telemetry.formats import local
from telemetry.own_prices import OwnPrice, OwnPrices, override_of

MODEL, PROVIDER, INPUT, CACHED, OUTPUT, SINCE = (
    f"price_{name}" for name in ("model", "provider", "input", "cached", "output", "since")
)
PROBLEM, DONE, OPEN = "price_problem", "price_done", "price_open"
RULE = "They win over every other source; of several of a model, the latest that had begun when a call was made."


def own_prices(page: Page, book: OwnPrices, lines: Sequence[Line], file: Sequence[pricing.Override]) -> None:
    """Draw them."""
    rows = book.rows()
    changing = page.user.administers
    with st.expander(
        f"Own prices: {len(rows) + len(file)}",
        icon=":material/edit_note:",
        expanded=bool(st.session_state.get(OPEN)),
        key="own_prices",
    ):
        st.caption(RULE if changing else f"Administrators set them. {RULE}")
        for row in rows:
            one(page, book, row, changing)
        for override in file:
            st.markdown(f"{code_of(override.model, override.provider)} · {literal(amounts(override))}")
            st.caption(f"From {day_of(override.since, page)}; in `data/prices.yaml`, and changed there.")
        if problem := st.session_state.pop(PROBLEM, None):
            st.error(literal(problem))
        if done := st.session_state.pop(DONE, None):
            st.success(literal(done))
        if changing:
            form(page, book, lines)


def one(page: Page, book: OwnPrices, row: OwnPrice, changing: bool) -> None:
    """A price of the page."""
    key = f"{row.model}|{row.provider}|{row.since_ns}"
    with st.container(horizontal=True, vertical_alignment="center"):
        override = override_of(row)
        said = f"{code_of(row.model, row.provider)} · {literal(amounts(override))}"
        since = day_of(override.since, page)
        st.markdown(f"{said}  \n:small[From {since}; set on {local(row.set_ns, page.user.zone):%-d %b %Y}.]")
        if changing:
            st.button(
                "Change", key=f"change-{key}", type="tertiary", icon=":material/edit:", on_click=fill, args=[page, row]
            )
            st.button(
                "Remove",
                key=f"remove-price-{key}",
                type="tertiary",
                icon=":material/delete:",
                on_click=remove,
                args=[page, book, row],
            )


def code_of(model: str, provider: str | None) -> str:
    """Which model a price is of."""
    return f"**{literal(model)}** {f'at {literal(provider)}' if provider else 'at any provider'}"


def amounts(price: pricing.Override) -> str:
    """A price in words."""
    cached = "as input" if price.cached_input is None else dollars(price.cached_input)
    return f"input {dollars(price.input)}, cached {cached}, output {dollars(price.output)}"


def dollars(amount: Decimal) -> str:
    """US dollars per million tokens."""
    return f"${amount.normalize():f}"


def day_of(since: datetime | None, page: Page) -> str:
    """From when on a price holds, in words."""
    return "the first call on" if since is None else f"{since.astimezone(page.user.zone):%-d %b %Y}"


def form(page: Page, book: OwnPrices, lines: Sequence[Line]) -> None:
    """Set a price, or change one: the same model, provider and day are the same price."""
    named = {line.model for line in lines if line.model and line.provider != pricing.BUILT_IN}
    known = sorted(named | {st.session_state.get(MODEL) or ""} - {""})
    with st.form("own-price", border=False):
        with st.container(horizontal=True):
            st.selectbox(
                "Model",
                known,
                index=None,
                accept_new_options=True,
                placeholder="Choose or type one",
                key=MODEL,
                width=310,
            )
            meaning = "As the table above names it; empty: any."
            st.text_input("Provider", placeholder="Any", key=PROVIDER, help=meaning, width=150)
        with st.container(horizontal=True):
            for key, label, meaning in (
                (INPUT, "Input", None),
                (CACHED, "Cached input", "Empty: as input."),
                (OUTPUT, "Output", None),
            ):
                st.number_input(label, 0.0, None, None, 0.01, "%g", key=key, help=meaning, width=150)
        st.caption("US dollars per million tokens. A price of the same model, provider and day is replaced.")
        st.date_input("From", None, key=SINCE, help="Empty: of all calls, whenever they were made.", width=200)
        st.form_submit_button("Set the price", key="set-price", type="primary", on_click=keep, args=[page, book])


def fill(page: Page, row: OwnPrice) -> None:
    """Put a price into the form."""
    state, price = st.session_state, override_of(row)
    state[MODEL], state[PROVIDER], state[OPEN] = row.model, row.provider, True
    state[INPUT], state[OUTPUT] = float(price.input), float(price.output)
    state[CACHED] = None if price.cached_input is None else float(price.cached_input)
    state[SINCE] = None if price.since is None else price.since.astimezone(page.user.zone).date()


def keep(page: Page, book: OwnPrices) -> None:
    """Keep what the form says; only an administrator's."""
    state = st.session_state
    state[OPEN] = True
    if not page.user.administers:
        return
    amounts = [None if state[key] is None else Decimal(str(state[key])) for key in (INPUT, CACHED, OUTPUT)]
    try:
        book.put(state[MODEL] or "", state[PROVIDER] or "", amounts, begun(state[SINCE], page), datetime.now(UTC))
    except TelemetryError as error:
        state[PROBLEM] = str(error)
        return
    state[DONE] = "The price is set, and holds for calls from now on. For those before, price the past again."
    state.update(dict.fromkeys((MODEL, INPUT, CACHED, OUTPUT, SINCE)) | {PROVIDER: ""})


def begun(day: date | None, page: Page) -> datetime | None:
    """The moment at which a day begins for the user."""
    return None if day is None else datetime(day.year, day.month, day.day, tzinfo=page.user.zone)


def remove(page: Page, book: OwnPrices, row: OwnPrice) -> None:
    """Forget one; only for an administrator."""
    st.session_state[OPEN] = True
    if page.user.administers:
        book.remove(row.model, row.provider, row.since_ns)
        st.session_state[DONE] = "The price is removed. What it had priced stays so until the past is priced again."


def file_prices() -> tuple[pricing.Override, ...]:
    """The prices of the file; one that is wrong is said, and counts as none."""
    try:
        return pricing.load_overrides()
    except (ValidationError, YAMLError) as error:
        st.error(literal(wrong(error)))
        return ()


def wrong(error: ValidationError | YAMLError) -> str:
    """What is wrong with the file of prices."""
    if isinstance(error, YAMLError):
        return f"data/prices.yaml is not YAML: {error}. Correct it, then try again."
    problem = error.errors()[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"data/prices.yaml: {place}: {problem['msg']}. Correct it, then try again."
