"""Money and tokens by model, by agent and by conversation; every table sums to the numbers above."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.errors import NotFound
from pages.components.asking import CONVERSATION, forget
from pages.components.costs_numbers import money
from pages.components.metrics import NAME_WIDTH
from pages.components.page import Page
from telemetry import formats
from telemetry.costs import Costs, Line, Spent, by, total
from telemetry.figures import FIXED
from telemetry.figures_costs import NO_MODEL, token_kinds
from telemetry.palette import Theme
from telemetry.queries import EVERYBODY, Selection

PAGE_SIZE = 10
SHOWN = 8
GONE = "A conversation that was deleted"
NOT_SHOWN = "Somebody's conversation"


def groups(
    page: Page, costs: Costs, lines: Sequence[Line], selection: Selection, theme: Theme, names: Mapping[str, str]
) -> None:
    """Draw them.

    Args:
        names: of people by their ids, where everybody's numbers are looked at; else none.
    """
    models = {name or NO_MODEL: spent for name, spent in by(lines, lambda line: line.model).items()}
    agents = {name or "no agent": spent for name, spent in by(lines, lambda line: line.agent).items()}
    st.subheader("Who spent it", anchor=False)
    whole = total(lines)
    everybody = page.user.id == EVERYBODY
    by_model, by_agent, by_conversation, *by_person = st.tabs(
        ["Model", "Agent", "Conversation", *(["Person"] if everybody else [])]
    )
    with by_model:
        table("Model", models, whole)
    with by_agent:
        table("Agent", agents, whole)
    with by_conversation:
        conversations(page, costs, selection, whole)
    for place in by_person:
        with place:
            table("Person", persons(costs, selection, names), whole)
    st.subheader("Which tokens the models read and wrote", anchor=False)
    shown = dict(list(models.items())[:SHOWN])
    st.plotly_chart(token_kinds(shown, theme), key="kinds", config=FIXED, alt="Tokens by kind and model")
    if len(models) > SHOWN:
        st.caption(f"The {SHOWN} dearest of {len(models)} models.")


def persons(costs: Costs, selection: Selection, names: Mapping[str, str]) -> dict[str, Spent]:
    """Who spent what; two who share a name stay two."""
    found: dict[str, Spent] = {}
    for user_id, spent in costs.users(selection).items():
        name = names.get(user_id, user_id)
        found[f"{name} ({user_id})" if name in found else name] = spent
    return found


def table(title: str, spent_by: Mapping[str, Spent], whole: Spent) -> None:
    """One row a group."""
    rows = [{title: name, **cells(spent, whole)} for name, spent in spent_by.items()]
    st.dataframe(
        rows,
        hide_index=True,
        key=f"by-{title}",
        column_config={title: st.column_config.TextColumn(width=NAME_WIDTH)},
        alt=f"Money and tokens by {title.lower()}",
    )


def cells(spent: Spent, whole: Spent) -> dict[str, str]:
    """Sums in words."""
    share = spent.pico_usd / whole.pico_usd if spent.pico_usd is not None and whole.pico_usd else None
    return {
        "Spent": money(spent.pico_usd),
        "Share": formats.percent(share),
        "Unpriced": formats.count(spent.unpriced),
        "Calls": formats.count(spent.calls),
        "Input": formats.count(spent.input_tokens),
        "of it cached": formats.count(spent.cached_tokens),
        "Output": formats.count(spent.output_tokens),
        "of it reasoning": formats.count(spent.reasoning_tokens),
    }


def conversations(page: Page, costs: Costs, selection: Selection, whole: Spent) -> None:
    """The dearest conversations, a page at a time; a click opens one."""
    place = st.container()
    pages = -(-costs.count_conversations(page.user.id, selection) // PAGE_SIZE)
    number = st.pagination(pages, key="page", bind="query-params") if pages > 1 else 1
    found = costs.conversations(page.user.id, selection, skip=(number - 1) * PAGE_SIZE, limit=PAGE_SIZE)
    rows = [
        {
            "Conversation": title_of(page, name) or (GONE if page.contents else NOT_SHOWN),
            "Turns": formats.count(turns),
            **cells(spent, whole),
        }
        for name, turns, spent in found
    ]
    key = f"conversations-{number}"
    with place:
        st.caption("Click one to open it.")
        st.dataframe(
            rows,
            hide_index=True,
            height="content",
            key=key,
            on_select=lambda: note(key, [name for name, *_ in found]),
            selection_mode="single-cell",
            alt="Money and tokens by conversation; choose one to open it",
        )
    opened = st.session_state.pop("opened_conversation", None)
    if opened and title_of(page, opened) is not None:
        forget()
        st.switch_page("chat.py", query_params={CONVERSATION: opened})


def title_of(page: Page, conversation_id: str) -> str | None:
    """A conversation's title; None if it is not there any more, or is nobody's business."""
    if not page.contents:
        return None
    try:
        return page.services.conversations.get(page.user.id, conversation_id).title
    except NotFound:
        return None


def note(key: str, names: Sequence[str]) -> None:
    """Note which conversation was chosen; the page changes once the script runs."""
    chosen = st.session_state[key].selection.cells
    if chosen and chosen[0][0] < len(names):
        st.session_state.opened_conversation = names[chosen[0][0]]
