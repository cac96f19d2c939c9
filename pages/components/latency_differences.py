"""By what latency differs: what got slower between two periods, and where the time goes by route, agent, model."""

from collections.abc import Sequence

import streamlit as st

from core.users import User
from pages.components.compared import Compared, compare_with
from pages.components.filters import Chosen
from pages.components.markdown import literal
from telemetry import formats
from telemetry.accounts import By, Group, Part, grouped, parts_of
from telemetry.figures import FIXED, phase_key
from telemetry.figures_latency import group_bars
from telemetry.palette import Theme
from telemetry.phases import Phase
from telemetry.queries import Readable
from telemetry.slower import Change, changes, name_of, sentence
from telemetry.toolstats import ToolStats

SHOWN = 10
COUNTED = tuple(phase for phase in Phase if phase != Phase.APPROVAL_WAIT)
WAYS: dict[str, By] = {"Route": "route", "Agents": "agents", "Model": "model"}


def differences(store: Readable, user: User, chosen: Chosen, theme: Theme) -> None:
    """Draw both."""
    st.subheader("What got slower", anchor=False)
    compared = compare_with(chosen, user.zone)
    whole = parts_of(store, user.id, chosen.selection)
    if compared is not None:
        same = compared.now == chosen.selection
        slower(store, user.id, compared, whole if same else parts_of(store, user.id, compared.now))
    by_phase(whole, theme)


def slower(store: Readable, user_id: str, compared: Compared, now: Sequence[Part]) -> None:
    """What got slower, and what got quicker."""
    tools, periods = ToolStats(store), (compared.before, compared.now)
    earlier = parts_of(store, user_id, compared.before)
    if not earlier or not now:
        which = "earlier" if now else "later"
        st.caption(f"No turn was answered in the {which} of the two, so there is nothing to compare with.")
        return
    found = changes(earlier, now, *(tools.table(user_id, period) for period in periods))
    worse = [one for one in found if one.adds_ns > 0]
    better = [one for one in reversed(found) if one.adds_ns < 0]
    st.markdown(literal(sentence(worse[0])) if worse else "Nothing did by enough to say, or there are too few turns.")
    if better:
        st.caption(f"Quicker, above all: {literal(sentence(better[0]))}")
    if found:
        st.dataframe(
            [change_cells(one) for one in [*worse[:SHOWN], *better[:SHOWN]]],
            hide_index=True,
            key="slower",
            alt="What changed between the two periods, what adds most to a turn first",
        )


def change_cells(change: Change) -> dict[str, str]:
    """A change as a row of a table."""
    share = change.now_ns / change.before_ns - 1 if change.before_ns else None
    return {
        "What": name_of(change),
        "Before": formats.duration(change.before_ns),
        "Now": formats.duration(change.now_ns),
        "Change": formats.NONE if share is None else signed(share > 0, formats.percent(abs(share))),
        "Adds to a turn": signed(change.adds_ns > 0, formats.duration(abs(change.adds_ns))),
        "Over": formats.counted(change.number, "call" if change.kind == "tool" else "turn"),
    }


def signed(more: bool, text: str) -> str:
    """A number with its sign."""
    return f"{'+' if more else '−'}{text}"


def by_phase(parts: Sequence[Part], theme: Theme) -> None:
    """The phases of a turn on average, by any of route, agents and model together."""
    if not parts:
        return
    st.subheader("Where the time goes, by route, agents and model", anchor=False)
    ways = st.pills(
        "By",
        list(WAYS),
        selection_mode="multi",
        default=["Route"],
        key="by",
        bind="query-params",
        label_visibility="collapsed",
    )
    groups = grouped(parts, [WAYS[way] for way in WAYS if way in ways])
    shown = groups[:SHOWN]
    st.caption(
        "An answered turn on average, without waiting for you; what took most time in all is on top. The key is of all."
    )
    st.plotly_chart(group_bars(shown, theme), key="by-phase", config=FIXED, alt="The phases of a turn by group")
    [whole] = grouped(parts, [])
    means = {phase: round(whole.mean_ns(phase)) for phase in COUNTED if whole.phases.get(phase)}
    st.html(phase_key(means, theme))
    st.dataframe(
        [group_cells(group, [way for way in WAYS if way in ways], list(means)) for group in groups],
        hide_index=True,
        key="by-phase-table",
        alt="The phases of a turn on average, by group",
    )


def group_cells(group: Group, ways: Sequence[str], phases: Sequence[Phase]) -> dict[str, str]:
    """A group as a row of a table."""
    names = {way: name or formats.NONE for way, name in zip(ways, group.key, strict=True)}
    times = {formats.phase(phase): formats.duration(group.mean_ns(phase)) for phase in phases}
    return {**names, "Turns": formats.count(group.turns), "A turn": formats.duration(group.mean_ns()), **times}
