"""The list of traces as an address, so that a turn can lead back to it and on to its neighbours."""

import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from urllib.parse import parse_qs, urlencode
from zoneinfo import ZoneInfo

import streamlit as st

from pages.components.filters import CUSTOM, DEFAULT_RANGE, MOMENT, RANGES, STATUSES, Chosen, between_moments
from pages.components.page import Page
from pages.components.whose import ALL, PARAMETER
from telemetry.queries import EVERYBODY, Selection
from telemetry.querylang.errors import QueryError
from telemetry.querylang.line import Line, Words
from telemetry.querylang.parser import parse
from telemetry.traces import Ask, Traces

LIST = "from"
"""The parameter of a turn's address that holds the list's."""
MOST_PARAMETERS = 200
LATENCY, TRACES = "latency.py", "traces.py"


def ask_for(page: Page, whose_id: str, line: Line, selection: Selection) -> Ask:
    """What the page asks for: turns that run stand above the list, unless the line asks for them.

    Args:
        page: of who looks.
        whose_id: whose turns an administrator has chosen.
    """
    running = any(value == Words(("running",)) for term in line.of("status") for value in term.values)
    user, contents = page.user, page.services.settings.admins_read_content
    return Ask(user.id, line, selection, whose_id, user.administers, contents, ended=not running)


def address(text: str, chosen: Chosen, whose_id: str, place: str | None = None) -> str:
    """The list's parameters as one text."""
    selection = chosen.selection
    pairs = [("q", text)] if text else []
    pairs += range_of(chosen)
    pairs += [(PARAMETER, ALL if whose_id == EVERYBODY else whose_id)] if PARAMETER in st.query_params else []
    pairs += [("agent", one) for one in selection.agents] + [("route", one) for one in selection.routes]
    pairs += [("model", one) for one in selection.models]
    pairs += [("status", STATUSES.get(one, one)) for one in selection.statuses]
    return urlencode([*pairs, *([("page", place)] if place else [])])


def range_of(chosen: Chosen) -> list[tuple[str, str]]:
    """The period as parameters; of two chosen moments as they stand in the address of the page."""
    if not chosen.custom:
        return [("range", chosen.period)]
    return [("range", CUSTOM), *((key, str(st.session_state[key].strftime(MOMENT))) for key in ("since", "until"))]


def period_of(found: Mapping[str, Sequence[str]], zone: ZoneInfo) -> Selection:
    """The period that parameters name; what names none is the usual one."""
    first = {key: next(iter(found.get(key, ())), "") for key in ("range", "since", "until")}
    if first["range"] == CUSTOM:
        try:
            since, until = (datetime.strptime(first[key], MOMENT) for key in ("since", "until"))  # noqa: DTZ007
        except ValueError:
            since = until = None
        if chosen := between_moments(since, until, zone):
            return chosen
    end = time.time_ns()
    return Selection(end - RANGES.get(first["range"], RANGES[DEFAULT_RANGE]), end)


def parameters(written: str) -> dict[str, list[str]]:
    """The parameters in such a text; of one that is too long none."""
    try:
        return parse_qs(written, max_num_fields=MOST_PARAMETERS)
    except ValueError:
        return {}


def ask_of(page: Page, written: str) -> Ask | None:
    """What the list of an address asks for; None if its line is none."""
    found = parameters(written)
    named = {label: status for status, label in STATUSES.items()}
    selection = replace(
        period_of(found, page.user.zone),
        agents=tuple(found.get("agent", ())),
        routes=tuple(found.get("route", ())),
        models=tuple(found.get("model", ())),
        statuses=tuple(named.get(label, label) for label in found.get("status", ())),
    )
    whose_id = next(iter(found.get(PARAMETER, ())), page.user.id)
    whose_id = EVERYBODY if whose_id == ALL else whose_id
    try:
        return ask_for(page, whose_id, parse(next(iter(found.get("q", ())), "")), selection)
    except QueryError:
        return None


def mark(text: str, chosen: Chosen, whose_id: str) -> str:
    """What a place in the list belongs to: with another line or filter it means nothing."""
    return f"{zlib.crc32(address(text, chosen, whose_id).encode()):08x}"


def way_back(page: Page) -> bool:
    """Above a turn that was opened from the list: back to it, and on to its neighbours; False if it was not."""
    written, turn_id = st.query_params.get(LIST), st.query_params.get("turn", "")
    if not written:
        return False
    asked = ask_of(page, written)
    newer, older = Traces(page.services.telemetry.store).neighbours(asked, turn_id) if asked else (None, None)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Back to the list", key="to_list", icon=":material/arrow_back:", type="tertiary"):
            st.switch_page(TRACES, query_params=parameters(written))
        step("Newer", "newer", newer)
        step("Older", "older", older)
    return True


def step(label: str, key: str, turn_id: str | None) -> None:
    """A button to a neighbour."""
    icon = ":material/chevron_left:" if key == "newer" else ":material/chevron_right:"
    position = "left" if key == "newer" else "right"
    st.button(
        label,
        key=key,
        icon=icon,
        icon_position=position,
        type="tertiary",
        disabled=turn_id is None,
        on_click=go_to,
        args=[turn_id],
    )


def go_to(turn_id: str) -> None:
    """Show another turn of the same list."""
    st.query_params["turn"] = turn_id
    st.query_params.pop("span", None)


def turn_address(turn_id: str, written: str) -> Mapping[str, str]:
    """The parameters of a turn's page that lead back to the list."""
    return {"turn": turn_id, LIST: written}
