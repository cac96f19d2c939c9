"""An answer that is being given: the page only reads the turn's log, from its beginning, to its end."""

import time
from collections.abc import Iterator
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.runtime.events import EventType, TurnEvent
from core.runtime.turn import Turn
from pages.components import steps
from pages.components.approvals import POLL, cards, decided, watch
from pages.components.asking import INPUT
from pages.components.markdown import literal, safe
from pages.components.messages import ASSISTANT
from pages.components.page import Page
from pages.components.plan import LivePlan

PAUSE = 0.04
"""Seconds between two drawings of the text; each one sends the whole of it."""


def live_answer(page: Page, turn: Turn) -> None:
    """Draw an answer while it comes; returns when it is complete, or when it waits for the person."""
    kept = page.services.approvals
    with st.chat_message("assistant", avatar=ASSISTANT):
        board = Board(page)
        decided(page, kept.of_turn(page.user.id, turn.id))
        place = st.empty()
        for text in texts(turn, board):
            if text:
                place.markdown(safe(text))
            else:
                place.empty()
        if turn.finished:
            board.close()
            return
        heard = len(turn.log.after(0))
        cards(page, kept.of_turn(page.user.id, turn.id))
        st.fragment(watch, run_every=POLL)(turn, heard)


def texts(turn: Turn, board: "Board") -> Iterator[str]:
    """The text so far, whenever it is to be drawn; all other events go to the board."""
    text = drawn = ""
    due = 0.0
    for event in turn.log.read(0, PAUSE):
        st.session_state.get(INPUT)  # lets Streamlit end this run when the person clicks; the turn goes on
        if event is not None:
            text = board.hear(event, text)
            if event.type is EventType.WAITING and board.waits(event):
                break
        if text != drawn and time.monotonic() >= due:
            yield text
            drawn, due = text, time.monotonic() + PAUSE
    if text != drawn:
        yield text


class Board:
    """The steps as they happen."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._domains = page.services.catalogue.domains
        self._status = st.status(":shimmer[Thinking]", type="compact", expanded=True)
        self._lines: dict[str, tuple[Any, dict[str, Any]]] = {}
        self._agents: list[str] = []
        self._plan = LivePlan(self._status)

    def hear(self, event: TurnEvent, text: str) -> str:
        """Show what an event tells; returns the text of the answer after it."""
        match event.type:
            case EventType.ROUTED:
                self._routed(event.data)
            case EventType.PLANNED | EventType.STEP:
                self._plan.hear(event)
            case EventType.COMPACTED:
                self._status.caption(steps.shortening(event.data))
            case EventType.AGENT:
                self._agents.append(event.data["agent"])
                self._status.update(label=f":shimmer[{literal(event.data['agent'])}]", expanded=True)
            case EventType.TOOL_STARTED:
                self._line(event.data, steps.tool_line(event.data), "running")
            case EventType.TOOL_FINISHED:
                self._ended(event.data)
            case EventType.DECIDED:
                self._status.update(label=":shimmer[Going on]", expanded=True)
            case EventType.DELTA:
                return text + str(event.data["text"])
            case EventType.RESTART:
                return ""
        return text

    def waits(self, event: TurnEvent) -> bool:
        """Whether what is asked in an event is still open; then nothing goes on before the person has decided."""
        asked = {approval["approval_id"] for approval in event.data["approvals"]}
        rows = self._page.services.approvals.pending(self._page.user.id)
        if not asked & {row.id for row in rows}:
            return False
        self._status.update(label="Waiting for your decision", state="complete", expanded=False)
        return True

    def close(self) -> None:
        """All steps are done: fold them."""
        self._plan.close()
        titles = list(dict.fromkeys(self._agents))
        self._status.update(label=steps.heading(titles, len(self._lines)), state="complete", expanded=False)

    def _routed(self, data: dict[str, Any]) -> None:
        domains = [name for name in data["domains"] if name in self._domains]
        score = data["scores"].get(domains[0]) if len(domains) == 1 else None
        titles = [self._domains[name].agent.title for name in domains]
        line = self._status.status(steps.routed(data["route"], titles, score), type="step", state="complete")
        line.caption(literal(str(data.get("reason") or "")))
        self._plan.route = line

    def _line(self, data: dict[str, Any], label: str, state: Any) -> DeltaGenerator:
        line = self._status.status(label, type="step", state=state)
        line.caption(steps.tool_details(data))
        self._lines[data["call_id"]] = (line, data)
        return line

    def _ended(self, data: dict[str, Any]) -> None:
        state = "error" if data["status"] == "error" else "complete"
        line, started = self._lines.get(data["call_id"], (None, {}))
        step = {**started, **data}
        if line is None:
            self._line(step, steps.tool_line(step), state)
        else:
            line.update(label=steps.tool_line(step), state=state)
