"""How telemetry is written and sent on, for administrators: the span writer, the collector where there is one."""

import streamlit as st

from pages.components.markdown import literal
from pages.components.page import Page
from telemetry.formats import SECOND, count, counted, duration, moment
from telemetry.otlp_out import Sending
from telemetry.writer import Health

NOBODY = (
    "Nobody gets this app's spans. Set `GLASSDESK_OTLP_ENDPOINT` to the address of an OpenTelemetry collector, and "
    "start again."
)
INTO = "Other agents can send theirs here, to `/v1/traces` over OTLP/HTTP, with a token that may send traces."


def sending(page: Page) -> None:
    """Draw both."""
    telemetry = page.services.telemetry
    st.subheader("Stored here", anchor=False)
    writer(telemetry.health)
    st.subheader("Sent to a collector", anchor=False)
    state = telemetry.sending
    if state is None:
        st.markdown(NOBODY)
    else:
        collector(page, state)
    st.caption(INTO)


def writer(health: Health) -> None:
    """How the writer is doing."""
    numbers = st.container(horizontal=True)
    numbers.metric("Waiting", count(health.queued), border=True, help="Spans that are not in the database yet.")
    meaning = "How long the spans that are being stored have been under way."
    numbers.metric("Behind", duration(health.behind * SECOND), border=True, help=meaning)
    numbers.metric("Stored", count(health.stored), border=True, help="Since the app's start.")
    numbers.metric("Lost", count(health.lost), border=True, help="Spans that could not be stored, since the start.")
    if health.last_error:
        st.warning(f"The database does not take spans now; they wait. It says: {literal(health.last_error)}")


def collector(page: Page, state: Sending) -> None:
    """How the collector is doing."""
    content = "with messages, arguments and results" if state.content else "names, times and numbers alone"
    st.markdown(f"`{state.host.replace('`', '')}` gets the app's spans: {content}.")
    numbers = st.container(horizontal=True)
    numbers.metric("Waiting", count(state.pending), border=True, help="They are kept until it has had them.")
    numbers.metric("Sent", count(state.sent), border=True, help="Since the app's start.")
    numbers.metric("Refused", count(state.refused), border=True, help="Spans that it did not want, since the start.")
    if state.last_error:
        st.warning(f"{literal(state.last_error)} Waiting: {counted(state.pending, 'span')}. It is tried again.")
    elif state.last_sent is not None:
        at = moment(int(state.last_sent.timestamp() * 1e9), page.user.zone)
        st.caption(f"The last ones went on {at} ({page.user.zone.key}).")
