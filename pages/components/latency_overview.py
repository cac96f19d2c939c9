"""All turns of a period: numbers, bars, course over time, differences, the slowest, the reference design."""

import streamlit as st

from core.users import User
from pages.components.filters import Chosen, choose
from pages.components.latency_differences import differences
from pages.components.markdown import literal
from pages.components.metrics import latency_numbers
from pages.components.page import Page
from pages.components.under_way import under_way
from pages.components.whose import veiled
from telemetry import figures, formats
from telemetry.figures import FIXED
from telemetry.figures_latency import heat_map
from telemetry.heat import heat
from telemetry.latency import Latency, Numbers, breakdown, numbers, trend
from telemetry.palette import Theme
from telemetry.queries import Readable
from telemetry.reference import compare
from telemetry.sample import Sample
from telemetry.tables import Turn

BARS = 28
SLOWEST = 8
GROUPS = {"Route": "route", "Agent": "agents", "Model": "model"}


def overview(page: Page, latency: Latency, store: Readable, theme: Theme) -> None:
    """Draw the page of all turns."""
    glass, user = page.services.glass, page.user
    chosen = choose(glass, user.id, user.zone)
    under_way(veiled(page, glass.running(user.id)), glass.waiting(user.id), open_turn)
    sample = latency.sample(user.id, chosen.selection, user.zone)
    if not sample.total:
        nothing(chosen)
        return
    before = numbers(latency.sample(user.id, chosen.selection.previous()))
    latency_numbers(numbers(sample), before)
    explain(sample, before, chosen)
    bars(veiled(page, latency.recent(user.id, chosen.selection, BARS)), user, theme)
    st.subheader("How long answers took over time", anchor=False)
    course = figures.trend(trend(sample, chosen.selection, user.zone), theme)
    st.plotly_chart(course, key="trend", config=FIXED, alt="Median, 95th percentile and first word over time")
    warmth(sample, chosen, user, theme)
    differences(store, user, chosen, theme)
    percentiles(sample)
    slowest(veiled(page, latency.slowest(user.id, chosen.selection, SLOWEST)), user)
    reference(store, user, chosen, theme)


def open_turn(turn: Turn) -> None:
    """Show one turn."""
    st.query_params["turn"] = turn.turn_id


def nothing(chosen: Chosen) -> None:
    """How to fill the page."""
    with st.container(border=True):
        st.markdown(f"**No turn ended in the {chosen.name}** that fits the filters.")
        st.markdown("Ask something in the chat, for example “Show my unread emails”; its account appears here at once.")
        st.page_link("chat.py", label="Go to the chat", icon=":material/forum:")


def explain(sample: Sample, before: Numbers, chosen: Chosen) -> None:
    """What the numbers are over, and against what."""
    against = f"Against the {chosen.period} before." if before.turns else f"No turns in the {chosen.period} before."
    over = f"{against} Time spent waiting for you is not counted."
    if not sample.exact:
        over += f" Over {sample.total:,} turns, medians and percentiles are exact to half a percent."
    st.caption(over)


def bars(turns: list[Turn], user: User, theme: Theme) -> None:
    """The last turns by phase; a click opens one."""
    st.subheader(f"Where the last {formats.counted(len(turns), 'turn')} spent their time", anchor=False)
    st.caption("One bar a turn, the newest on the right. Click one to open it.")
    st.plotly_chart(
        figures.stacked(turns, theme, user.zone),
        key="stacked",
        on_select=open_bar,
        selection_mode="points",
        config=FIXED,
        alt=f"Time by phase of the last {len(turns)} turns",
    )


def open_bar() -> None:
    """Open the turn whose bar was clicked."""
    points = st.session_state.stacked.selection.points
    if points:
        st.query_params["turn"] = points[0]["customdata"]


def warmth(sample: Sample, chosen: Chosen, user: User, theme: Theme) -> None:
    """How many turns took how long, over time."""
    found = heat(sample, chosen.selection, user.zone)
    if found is not None:
        st.subheader("How many took how long", anchor=False)
        st.plotly_chart(heat_map(found, theme), key="heat", config=FIXED, alt="Turns by time and by how long they took")


def percentiles(sample: Sample) -> None:
    """The numbers by route, agent or model."""
    st.subheader("Which route, agent or model is slower", anchor=False)
    for tab, (title, column) in zip(st.tabs(list(GROUPS)), GROUPS.items(), strict=True):
        cells = [group_cells(title, name, found) for name, found in breakdown(sample, column)]
        with tab:
            if cells:
                st.dataframe(cells, hide_index=True, key=f"by-{column}", alt=f"Latency by {title.lower()}")
            else:
                st.caption("No turn of this period says.")


def group_cells(title: str, name: str, found: Numbers) -> dict[str, str]:
    """One row of a difference in words."""
    return {
        title: name,
        "Turns": formats.count(found.turns),
        "Median": formats.duration(found.p50_ns),
        "95 % within": formats.duration(found.p95_ns),
        "First word": formats.duration(found.first_word_ns),
        "Errors": formats.percent(found.errors),
    }


def slowest(turns: list[Turn], user: User) -> None:
    """The slowest turns; a click opens one."""
    st.subheader("The slowest", anchor=False)
    st.caption("Click one to open it.")
    st.dataframe(
        [
            {
                "Took": formats.duration((turn.wall_ns or 0) - turn.phases.get("approval_wait", 0)),
                "Question": turn.question or "–",
                "When": formats.moment(turn.start_ns, user.zone),
                "Route": turn.route or "–",
            }
            for turn in turns
        ],
        hide_index=True,
        key="slowest",
        on_select=lambda: open_slowest(turns),
        selection_mode="single-cell",
        alt="The slowest turns of the period; choose one to open it",
    )


def open_slowest(turns: list[Turn]) -> None:
    """Open the turn whose row was chosen."""
    cells = st.session_state.slowest.selection.cells
    if cells and cells[0][0] < len(turns):
        open_turn(turns[cells[0][0]])


def reference(store: Readable, user: User, chosen: Chosen, theme: Theme) -> None:
    """The reference design beside ours, said honestly."""
    found = compare(store, user.id, chosen.selection)
    if found is None:
        return
    st.subheader("Beside the reference design", anchor=False)
    models = literal(", ".join(found.models)) or "an unknown model"
    if found.built_in:
        models = "the built-in assistant, which is no language model and therefore much quicker than one"
    over = formats.counted(found.turns, "turn")
    st.markdown(
        f"A question with one tool takes the reference design about **{formats.duration(found.reference_ns)}**; "
        f"here it took **{formats.duration(found.measured_ns)}** (median of {over} with a tool)."
    )
    st.caption(
        f"Ours was measured with {models}. The reference times are its own, given with another model and not measured "
        "here, so compare first which steps there are at all. A step that most turns did not need stands at 0."
    )
    alt = "The reference design's six phases beside the measured ones"
    st.plotly_chart(figures.comparison(found, theme), key="reference", config=FIXED, alt=alt)
