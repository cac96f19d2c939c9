"""Turns out and in: those that the list shows as files, made when they are asked for; files as one's own turns."""

from collections.abc import Callable
from itertools import islice

import streamlit as st

from pages.components.markdown import literal
from pages.components.page import Page
from telemetry.export import WRITERS
from telemetry.formats import counted
from telemetry.imports import Imported, NotImported, import_file
from telemetry.queries import Readable
from telemetry.traces import Ask, Traces

MOST = 10_000
"""Turns in a file, which is made in memory."""
FORMATS = {
    "jsonl": ("JSON Lines", "application/jsonl", "Whole traces: a line a turn, with all its steps; can be imported."),
    "csv": ("CSV", "text/csv", "A table of turns for a spreadsheet."),
}


def exports(page: Page, ask: Ask) -> None:
    """Draw the buttons."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, (label, mime, meaning) in FORMATS.items():
            st.download_button(
                label,
                made(page.services.telemetry.store, ask, name),
                file_name=f"glassdesk-traces.{name}",
                mime=mime,
                key=f"export-{name}",
                help=f"{meaning} All turns that fit, the newest {MOST:,} at most.",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
            )
        with st.popover("Import", icon=":material/upload:", type="tertiary"):
            imports(page)


def made(store: Readable, ask: Ask, name: str) -> Callable[[], bytes]:
    """Makes a file of the reader's own turns that fit."""

    def make() -> bytes:
        heads = 1 if name == "csv" else 0
        pieces = WRITERS[name](store, ask.reader_id, Traces(store).conditions(ask))
        return b"".join(islice(pieces, MOST + heads))

    return make


def imports(page: Page) -> None:
    """Take a file of traces, and say what became of it."""
    st.caption("An export of Glassdesk, or OTLP's JSON from any OpenTelemetry agent. It becomes yours.")
    with st.form("import_traces", border=False, clear_on_submit=True):
        file = st.file_uploader("Traces", type=["jsonl", "json"], label_visibility="collapsed")
        wanted = st.form_submit_button("Import", icon=":material/upload:")
    if not wanted:
        return
    if file is None:
        st.warning("Choose a file first.")
        return
    telemetry = page.services.telemetry
    try:
        with st.spinner("Importing…"):
            done = import_file(telemetry.store, telemetry.redactor, page.user.id, file)
    except NotImported as error:
        st.error(literal(str(error)))
    else:
        st.success(became(done))


def became(done: Imported) -> str:
    """What became of a file, in a sentence."""
    parts = [f"{counted(done.turns, 'trace')} with {counted(done.spans, 'new span')}"]
    parts += [f"{counted(done.known, 'span')} known already"] if done.known else []
    left_out = done.refused + done.rejected
    parts += [f"{counted(left_out, 'span')} left out"] if left_out else []
    return f"{', '.join(parts)}. A longer period shows old ones."
