"""Alerts: one's rules with what they say now, a form for a new one, and what they said before."""

import time
from typing import Final

import streamlit as st

from pages.components.markdown import literal
from pages.components.page import Page
from telemetry import formats
from telemetry.alert_tables import AlertRule
from telemetry.alerts import ALERT, NO_DATA, OK, WARN, Alerts, Wish, loud, number_of, sentence
from telemetry.errors import TelemetryError
from telemetry.measures import MEASURES

PROBLEM = "alert_problem"
SIGNS: Final = {ALERT: ":red[●] Alert", WARN: ":orange[●] Warning", OK: ":green[●] Well", NO_DATA: ":gray[●] Too few"}
PERIODS: Final = {5: "5 minutes", 15: "15 minutes", 60: "hour", 360: "6 hours", 1440: "day", 10_080: "week"}
AGAIN: Final = {0: "Only once", 30: "Every 30 minutes", 60: "Every hour", 1440: "Every day"}
STEP: Final = {"errors": 5.0, "p95": 1.0, "cost": 0.5, "unpriced": 1.0, "tools": 5.0, "silence": 1.0}
ANY = "Any tool"
SHOWN = 20


def alerts(page: Page) -> None:
    """Draw them."""
    found = page.services.telemetry.alerts
    rules = seen(page)
    st.subheader("What you watch", anchor=False)
    if not rules:
        st.caption("Nothing yet. A rule is looked at once a minute, and says when a number becomes too large.")
    for rule in rules:
        one(page, found, rule)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(literal(problem))
    with st.expander("Watch something", icon=":material/notification_add:"):
        form(page)
    told(page, found)
    history(page, found, rules)


def seen(page: Page) -> list[AlertRule]:
    """The person's rules; those about everybody only while they administer."""
    rules = page.services.telemetry.alerts.rules(page.user.id)
    return [rule for rule in rules if page.user.administers or not rule.everybody]


def one(page: Page, found: Alerts, rule: AlertRule) -> None:
    """One rule, and what it says now."""
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{SIGNS[rule.state]} · **{literal(title_of(rule))}**", width="stretch")
            st.button(
                "Remove",
                key=f"unwatch-{rule.rule_id}",
                type="tertiary",
                icon=":material/delete:",
                on_click=found.remove,
                args=(page.user.id, rule.rule_id),
            )
        st.caption(literal(f"{now_of(page, rule)} {limits_of(rule)}"))


def title_of(rule: AlertRule) -> str:
    """What is watched."""
    of = f" of {rule.tool}" if rule.tool else ""
    whose = ", everybody's" if rule.everybody else ""
    return f"{MEASURES[rule.measure].title}{of} in the last {period_of(rule.minutes)}{whose}"


def period_of(minutes: int) -> str:
    """A length of time in words."""
    return PERIODS.get(minutes, f"{minutes} minutes")


def now_of(page: Page, rule: AlertRule) -> str:
    """The number now, and since when it is judged so."""
    if not rule.checked_ns:
        return "Not looked at yet; within a minute it is."
    since = formats.moment(rule.since_ns, page.user.zone)
    return f"{capital(number_of(rule))}, since {since}."


def limits_of(rule: AlertRule) -> str:
    """The thresholds in words."""
    shown = MEASURES[rule.measure].shown
    parts = [f"{name} at {shown(at)}" for name, at in (("warns", rule.warn), ("alerts", rule.alert)) if at is not None]
    if rule.least > 1:
        parts.append(f"from {rule.least:,} turns or calls on")
    return f"{capital(', '.join(parts))}." if parts else ""


def capital(text: str) -> str:
    """A text with a capital letter first."""
    return text[:1].upper() + text[1:]


def form(page: Page) -> None:
    """A new rule."""
    measure = st.selectbox("What", list(MEASURES), format_func=lambda key: MEASURES[key].title, key="watch_measure")
    tool = None
    if measure == "tools":
        names = [ANY, *sorted(tool.name for _, tool in page.services.catalogue.all_tools())]
        chosen = st.selectbox("Which", names, key="watch_tool")
        tool = None if chosen == ANY else chosen
    with st.container(horizontal=True):
        minutes = st.selectbox(
            "In the last", list(PERIODS), index=2, format_func=PERIODS.__getitem__, key="watch_minutes", width=180
        )
        again = st.selectbox("Say it", list(AGAIN), format_func=AGAIN.__getitem__, key="watch_again", width=180)
    warn = alert = None
    least = 1
    if measure != "silence":
        unit, step = MEASURES[measure].unit, STEP[measure]
        with st.container(horizontal=True):
            warn = st.number_input(f"Warn at ({unit})", 0.0, value=None, step=step, key=f"warn_{measure}", width=180)
            alert = st.number_input(f"Alert at ({unit})", 0.0, value=None, step=step, key=f"alert_{measure}", width=180)
            meaning = "With fewer turns or calls, nothing is said."
            least = st.number_input("At least", 1, 1_000_000, key=f"least_{measure}", help=meaning, width=140)
    everybody = page.user.administers and st.checkbox("Everybody's numbers, not mine alone", key="watch_everybody")
    wish = Wish(measure, minutes, warn, alert, tool, least, again, everybody)
    st.button("Watch it", key="watch", type="primary", on_click=keep, args=(page, wish))


def keep(page: Page, wish: Wish) -> None:
    """Keep a rule; one about everybody only of who administers now."""
    if wish.everybody and not page.services.people.user(page.user.id).administers:
        st.session_state[PROBLEM] = "Everybody's numbers are for administrators."
        return
    try:
        page.services.telemetry.alerts.add(page.user.id, wish, time.time_ns())
    except TelemetryError as error:
        st.session_state[PROBLEM] = str(error)


def told(page: Page, found: Alerts) -> None:
    """Who else is told; for administrators."""
    if not page.user.administers:
        return
    if found.webhook is None:
        st.caption("Nobody else is told. Set `GLASSDESK_ALERT_WEBHOOK` to an address that takes JSON, and start again.")
    else:
        st.caption(f"`{found.webhook.host.replace('`', '')}` is told, too.")
        if found.problem:
            st.warning(f"{literal(found.problem)} It is tried again within a minute.")


def history(page: Page, found: Alerts, rules: list[AlertRule]) -> None:
    """What the rules said before."""
    by_id = {rule.rule_id: rule for rule in rules}
    events = [event for event in found.events(page.user.id, SHOWN) if event.rule_id in by_id]
    if not events:
        return
    st.subheader("What they said", anchor=False)
    rows = []
    for event in events:
        rule = by_id[event.rule_id]
        shown = formats.NONE if event.value is None else MEASURES[rule.measure].shown(event.value)
        state = SIGNS[event.state].rpartition("] ")[2].removeprefix("● ")
        rows.append(
            {
                "When": formats.moment(event.at_ns, page.user.zone),
                "State": state,
                "Number": shown,
                "What": title_of(rule),
            }
        )
    st.dataframe(rows, hide_index=True, key="alert_events", alt="What alerts said, the latest first")


def ringing(page: Page) -> None:
    """For the sidebar: what warns or alerts now; nothing as long as all is well."""
    for rule in loud(seen(page))[:3]:
        color = "red" if rule.state == ALERT else "orange"
        label = f":{color}[●] :small[{literal(capital(number_of(rule)))}]"
        st.page_link("settings.py", label=label, help=f"{literal(sentence(rule))}. Settings, Alerts says more.")
