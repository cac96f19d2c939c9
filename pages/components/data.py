"""What is kept and for how long: sizes, retention, what is stored of a text; and all of one's own as a file."""

import time
from datetime import UTC, datetime
from typing import IO, Any

import streamlit as st
from sqlalchemy import Engine

from core.store.takeout import takeout
from pages.components.markdown import literal
from pages.components.page import Page
from pages.components.sending import sending
from telemetry import formats
from telemetry.contract import finished_turn
from telemetry.errors import TelemetryError
from telemetry.export import turns_jsonl
from telemetry.redaction import Capture
from telemetry.retention import LEAST_MEGABYTES, MEGABYTE, Limits, Outlook, Progress, Retention
from telemetry.sizes import file_size, size_of

DAYS, MEGABYTES, TEXT = "keep_days", "keep_megabytes", "redact_text"
PROBLEM = "keep_problem"
POLL_SECONDS = 1
KEPT = {
    Capture.FULL: "Messages, arguments and results are stored, without secrets; only you see yours.",
    Capture.METADATA: "Of messages, arguments and results, only the size is stored.",
    Capture.OFF: "Messages, arguments and results are not stored: only names, times and numbers.",
}


def data(page: Page) -> None:
    """Draw it; sizes, retention and the collector for administrators alone."""
    if page.user.administers:
        st.subheader("How large the databases are", anchor=False)
        sizes(page)
        st.subheader("How long single turns are kept", anchor=False)
        retention(page)
        sending(page)
    st.subheader("What is stored of messages", anchor=False)
    redaction(page)
    st.subheader("Your data", anchor=False)
    st.markdown("Conversations, the files you gave, settings and traces, in one zip file.")
    st.download_button(
        "Export my data",
        data=lambda: exported(page),
        file_name=f"glassdesk-{datetime.now(UTC):%Y-%m-%d}.zip",
        mime="application/zip",
        key="takeout",
        icon=":material/download:",
        on_click="ignore",
    )
    st.caption("It is made when you click, and may take a while. To delete all of it, go to You.")


def sizes(page: Page) -> None:
    """Both databases, and the oldest turn."""
    telemetry = page.services.telemetry
    oldest, size = telemetry.retention.oldest, size_of(telemetry.store)
    numbers = st.container(horizontal=True)
    meaning = "Conversations, approvals, accounts, settings."
    numbers.metric("App", formats.size(app_size(page.services.stores.database)), border=True, help=meaning)
    free = f" {formats.size(size.free)} of it are free and will be used again." if size.free else ""
    numbers.metric(
        "Telemetry", formats.size(size.total + size.log), border=True, help=f"Spans, messages, numbers.{free}"
    )
    shown = formats.NONE if oldest is None else f"{formats.local(oldest, page.user.zone):%-d %b %Y}"
    numbers.metric("Oldest turn", shown, border=True)


def app_size(engine: Engine) -> int:
    """Bytes of the app's database."""
    return file_size(engine).total


def retention(page: Page) -> None:
    """The limits, what they would delete, and a run by hand."""
    kept: Retention = page.services.telemetry.retention
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(literal(problem))
    limits = kept.limits
    with st.container(horizontal=True, vertical_alignment="bottom"):
        days = st.number_input("Days", 0, 36_500, limits.days, key=DAYS, help="0: for ever.", width=160)
        large = limits.megabytes
        if kept.by_size:
            meaning = f"Of the telemetry database; the oldest hours go first. At least {LEAST_MEGABYTES}; 0: any size."
            large = st.number_input("Megabytes", 0, 100_000_000, large, 1_000, key=MEGABYTES, help=meaning, width=160)
        wanted = Limits(days, large)
        st.button("Save", key="keep", type="primary", disabled=wanted == limits, on_click=save, args=(page, wanted))
    st.caption(promise(page, kept.outlook(wanted, time.time_ns()), wanted))
    st.fragment(going, run_every=POLL_SECONDS if busy(kept) else None)(kept, wanted == limits, busy(kept))


def busy(kept: Retention) -> bool:
    """Whether old turns are being deleted."""
    return kept.progress is not None and kept.progress.running


def promise(page: Page, outlook: Outlook, limits: Limits) -> str:
    """What limits would delete, in words."""
    said = []
    if outlook.turns:
        day = f"{formats.local(outlook.before_ns, page.user.zone):%-d %b %Y}"
        said.append(f"{formats.counted(outlook.turns, 'turn')} from before {day} would be deleted now.")
    if outlook.too_large:
        over = f"The database is larger than {formats.size(limits.megabytes * MEGABYTE)}"
        said.append(f"{over}: its oldest hours would be deleted, too.")
    if not said:
        said.append("Nothing would be deleted now.")
    return " ".join([*said, "Numbers stay, by the hour; so longer periods are still right."])


def going(kept: Retention, saved: bool, watching: bool) -> None:
    """How far it is, or the button that begins."""
    progress = kept.progress
    if watching and not busy(kept):
        st.rerun()
    if progress is not None and progress.running:
        share = progress.done / progress.total if progress.total else 0.0
        st.progress(min(1.0, share), text=f"{formats.counted(progress.done, 'turn')} deleted so far")
        return
    if progress is not None:
        ended(progress)
    st.button(
        "Delete what is over now",
        key="keep_now",
        icon=":material/auto_delete:",
        disabled=not saved,
        help="It happens by itself once an hour.",
        on_click=begin,
        args=(kept,),
    )


def begin(kept: Retention) -> None:
    """Delete what is over the limits."""
    kept.start(time.time_ns())


def ended(progress: Progress) -> None:
    """How the last run ended."""
    if progress.error:
        st.error(progress.error)
    elif progress.done:
        freed = formats.size(progress.freed or 0)
        st.caption(f"The last time, {formats.counted(progress.done, 'turn')} went, and {freed} were given back.")


def save(page: Page, wanted: Limits) -> None:
    """Let the limits count."""
    try:
        page.services.telemetry.retention.set(wanted)
    except TelemetryError as error:
        st.session_state[PROBLEM] = str(error)


def redaction(page: Page) -> None:
    """What is captured, and a text as it would be stored."""
    redactor = page.services.telemetry.redactor
    st.markdown(KEPT[redactor.capture])
    st.caption(
        "`GLASSDESK_CAPTURE` sets it. Keys, tokens, passwords and cookies are never stored; here you can try that."
    )
    text = st.text_area(
        "A text", key=TEXT, placeholder="Paste a text, to see what would be stored of it", label_visibility="collapsed"
    )
    if text:
        stored = redactor.text(text)
        st.code(stored, language=None, wrap_lines=True)
        st.caption("Nothing in it was hidden." if stored == text else "This is what would be stored.")


def exported(page: Page) -> IO[bytes]:
    """All that is the person's."""
    services, user = page.services, page.user

    def numbers(turn_ids: Any) -> dict[str, dict[str, Any]]:
        glass = services.glass
        return {
            turn_id: finished_turn(turn, glass.llm_calls(user.id, turn_id), glass.tool_calls(user.id, turn_id))
            for turn_id, turn in glass.turn_summaries(user.id, turn_ids).items()
            if turn.status != "running"
        }

    services.telemetry.flush()
    return takeout(services.stores, user, turns_jsonl(services.telemetry.store, user.id), numbers)
