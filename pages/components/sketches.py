"""What a call would do, drawn: a mail as it will leave, labels, an event before and after."""

from collections.abc import Iterable, Sequence

import streamlit as st

from core.mcp_server.shaping.text import html_to_text
from core.runtime.previews import Change, LabelSketch, MailSketch, Preview
from core.runtime.summaries import DECEIVING
from core.runtime.summaries import honest as told
from pages.components.markdown import literal

LONG = 1_200
"""Characters of a mail that is shown in a box of its own, to be scrolled."""
KB = 1024


def sketch(preview: Preview) -> None:
    """Draw it; nothing where the summary says all."""
    if preview.problem:
        st.warning(literal(f"As it stands this would not be done. {preview.problem}"), icon=":material/warning:")
    if preview.mail:
        mail(preview.mail)
    if preview.labels:
        labels(preview.labels)
    if preview.changes:
        table(preview.changes, preview.compares)


def mail(sketched: MailSketch) -> None:
    """A mail as it will leave; nothing in it acts."""
    people = (("To", sketched.to), ("Cc", sketched.cc), ("Bcc", sketched.bcc))
    heads = [("From", sketched.sender), *((name, ", ".join(who)) for name, who in people if who)]
    heads += [("Subject", sketched.subject or "(none)")]
    st.markdown("  \n".join(f":gray[{name}] {honest(value)}" for name, value in heads))
    with st.container(border=True, height=320 if len(sketched.body) > LONG else "content"):
        text = html_to_text(sketched.body) if sketched.html else sketched.body
        st.text(DECEIVING.sub("\ufffd", text) or "(empty)")
    if sketched.html:
        st.caption("Sent as HTML; shown here as text. The exact arguments below hold the HTML.")
    for name, size in sketched.files:
        st.markdown(f":material/attach_file: {honest(name)} :gray[{literal(size_of(size))}]")


def labels(sketched: LabelSketch) -> None:
    """Labels by name, and the mails."""
    badges = [f":green-badge[+ {honest(name)}]" for name in sketched.added]
    badges += [f":orange-badge[− {honest(name)}]" for name in sketched.removed]
    st.markdown(" ".join(badges))
    with st.container(height=240 if len(sketched.mails) > 8 else "content", border=False):
        st.markdown("\n".join(f"- {honest(line)}" for line in sketched.mails))


def table(changes: Sequence[Change], compares: bool = False) -> None:
    """Properties, before and after where there is a before."""
    if not compares:
        rows = [(change.name.capitalize(), honest(change.after)) for change in changes]
        st.markdown("  \n".join(f":gray[{literal(name)}] {value}" for name, value in rows))
        return
    lines = ["| | Before | After |", "|---|---|---|"]
    for change in changes:
        after = honest(change.after)
        cells = (literal(change.name.capitalize()), honest(change.before), after)
        lines.append("| " + " | ".join(cells if change.before == change.after else (*cells[:2], f"**{after}**")) + " |")
    st.markdown("\n".join(lines))


def revisions(changes: Iterable[Change]) -> None:
    """What a person changed of what was proposed."""
    shown = list(changes)
    if shown:
        st.caption("You changed")
        table(shown, compares=True)


def honest(value: str | None) -> str:
    """A value to the letter, on one line; what would make it pass for another is made visible."""
    return literal(told(value)) if value else "—"


def size_of(size: int) -> str:
    """Bytes in words."""
    return f"{size} bytes" if size < KB else f"{size / KB:.1f} KB" if size < KB * KB else f"{size / KB / KB:.1f} MB"
