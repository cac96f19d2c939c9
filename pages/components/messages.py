"""Questions and answers as the conversation keeps them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.runtime.steps import closed
from core.store.tables import Approval, Exchange, Feedback
from pages.components import plan, steps
from pages.components.approvals import decided
from pages.components.asking import EDITED, ask_again, ask_otherwise, close_editor, open_editor
from pages.components.copying import copy_button
from pages.components.mail_files import downloads
from pages.components.markdown import literal, safe
from pages.components.offering import offers
from pages.components.page import Page
from pages.components.rating import rating
from pages.components.sketches import size_of
from telemetry.formats import counted, duration, money, tokens
from telemetry.phases import Phase
from telemetry.tables import Turn

ASSISTANT = ":material/filter_none:"
PERSON = ":material/person:"
CHECK, CROSS, CUT = ":material/check:", ":material/error:", ":material/stop_circle:"
ICONS = {"done": CHECK, "ok": CHECK, "failed": CROSS, "error": CROSS, "stopped": CUT, "interrupted": CUT}
LONG = 1_500
"""Characters of a question that is shown in a box of its own, to be scrolled."""
ENDINGS = {
    "failed": "Something went wrong before the answer was complete.",
    "stopped": "You stopped this answer. What was said until then is kept.",
    "interrupted": "Glassdesk was stopped while it answered. What was asked is kept.",
}


def question(page: Page, exchange: Exchange, is_last: bool) -> None:
    """What the person asked, to the letter, with its files; the last one can be asked in other words."""
    with st.chat_message("user", avatar=PERSON):
        if is_last and st.session_state.get(EDITED) == exchange.turn_id:
            editor(page, exchange)
            return
        with st.container(height=240 if len(exchange.question) > LONG else "content", border=False):
            st.text(exchange.question)
        for file in exchange.files:
            st.caption(f":material/attach_file: {literal(file['name'])} · {literal(size_of(file['size']))}")


def editor(page: Page, exchange: Exchange) -> None:
    """The question in a text area."""
    key = f"again_text_{exchange.turn_id}"
    st.text_area("Your question", exchange.question, key=key, label_visibility="collapsed", height="content")
    st.caption("What was done for it stays done; the answer below is replaced.")
    with st.container(horizontal=True):
        st.button("Ask", key="ask_edited", type="primary", on_click=ask_otherwise, args=(page, exchange.turn_id, key))
        st.button("Cancel", key="cancel_edited", type="tertiary", on_click=close_editor)


@dataclass(frozen=True)
class Around:
    """What belongs to an answer beside the exchange.

    Attributes:
        turn: its numbers, where telemetry has them.
        is_last: whether it is the conversation's last.
        account: the Google account that acted, where that is not plain.
    """

    turn: Turn | None = None
    approvals: Sequence[Approval] = ()
    feedback: Feedback | None = None
    is_last: bool = False
    account: str = ""


def answer(page: Page, exchange: Exchange, around: Around) -> None:
    """An answer that has ended, with its steps, how it ended, and its numbers."""
    with st.chat_message("assistant", avatar=ASSISTANT):
        steps_taken(page, exchange, around.turn)
        decided(page, around.approvals)
        if exchange.answer:
            st.markdown(safe(exchange.answer))
        if exchange.status in ENDINGS:
            ending(page, exchange, around.is_last)
        if around.is_last:
            offers(page, exchange)
        downloads(page, exchange)
        footer(page, exchange, around)


def steps_taken(page: Page, exchange: Exchange, turn: Turn | None) -> None:
    """The steps, folded."""
    titles = agents_of(page, exchange, turn)
    if not titles:
        return
    with st.expander(steps.heading(titles, len(exchange.steps)), type="compact", icon=ICONS[exchange.status]):
        route = turn.route if turn else None
        if exchange.plan:
            with st.expander(plan.heading(exchange.plan), type="step", icon=plan.PLAN):
                st.caption(plan.lines(closed(exchange.plan)))
        elif route or exchange.domain:
            st.expander(steps.routed(route or "direct", titles), type="step", icon=CHECK)
        if exchange.shortened:
            st.caption(steps.shortening(exchange.shortened))
        for step in exchange.steps:
            with st.expander(steps.tool_line(step), type="step", icon=ICONS[step.get("status", "ok")]):
                st.caption(steps.tool_details(step))


def agents_of(page: Page, exchange: Exchange, turn: Turn | None) -> list[str]:
    """The titles of the agents that answered, as far as anything tells."""
    if turn and turn.agents:
        return list(turn.agents)
    domain = page.services.catalogue.domains.get(exchange.domain or "")
    return [domain.agent.title] if domain else list(dict.fromkeys(str(step["agent"]) for step in exchange.steps))


def ending(page: Page, exchange: Exchange, is_last: bool) -> None:
    """Why there is no complete answer, and a way to get one."""
    sentence = exchange.error or ENDINGS[exchange.status]
    if exchange.status == "failed":
        st.error(literal(sentence), icon=CROSS)
    else:
        st.caption(f"{CUT} {literal(sentence)}")
    if is_last:
        st.button(
            "Ask again",
            key=f"again_{exchange.turn_id}",
            icon=":material/refresh:",
            on_click=ask_again,
            args=(page, exchange.turn_id),
        )


def footer(page: Page, exchange: Exchange, around: Around) -> None:
    """The quiet line: what the answer took and the way to see where it went; then what can be done about it."""
    turn, turn_id = around.turn, exchange.turn_id
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"numbers_{turn_id}"):
        if around.account:
            st.caption(f":material/account_circle: {literal(around.account)}", width="content")
        if turn is not None:
            st.caption(numbers(turn), width="content")
            st.page_link("latency.py", label=":small[:primary[see where it went]]", query_params={"turn": turn_id})
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key=f"acts_{turn_id}"):
        if exchange.answer:
            copy_button(exchange.answer, key=f"copy_{turn_id}")
            rating(page, exchange, around.feedback)
        if around.is_last and exchange.status == "done":
            again = "Ask afresh" if turn and turn.cached else "Again"
            quiet(again, f"fresh_{turn_id}", ask_again, (page, turn_id))
        if around.is_last:
            quiet("Edit question", f"edit_question_{turn_id}", open_editor, (turn_id,))


def quiet(label: str, key: str, act: Callable[..., None], args: tuple[Any, ...]) -> None:
    """A button that does not draw the eye."""
    st.button(f":small[{label}]", key=key, type="tertiary", on_click=act, args=args)


def numbers(turn: Turn) -> str:
    """What an answer took, in words."""
    waited = (turn.phases or {}).get(Phase.APPROVAL_WAIT, 0)
    parts = [duration(turn.wall_ns - waited)] if turn.wall_ns is not None else []
    if waited:
        parts.append(f"waited for you {duration(waited)}")
    if turn.first_token_ns is not None:
        parts.append(f"first word {duration(turn.first_token_ns)}")
    if turn.cached:
        parts += ["cached", "no cost" if not turn.saved_pico_usd else f"saved {money(turn.saved_pico_usd, 0)}"]
    if turn.tools:
        parts.append(counted(turn.tools, "tool"))
    if turn.requests:
        parts += [tokens(total(turn), turn.estimated), cost(turn)]
    return literal(" · ".join(parts))


def total(turn: Turn) -> int | None:
    """All tokens of a turn; unknown as soon as one part is."""
    if turn.input_tokens is None or turn.output_tokens is None:
        return None
    return turn.input_tokens + turn.output_tokens


def cost(turn: Turn) -> str:
    """What a turn cost, in words."""
    return "no cost" if turn.cost_pico_usd == 0 and not turn.unpriced else money(turn.cost_pico_usd, turn.unpriced)
