"""What one span recorded: messages as a conversation, arguments, result, error, everything else."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.components.markdown import literal
from telemetry import attributes, formats
from telemetry.messages import indented, read_messages
from telemetry.queries import Glass
from telemetry.tables import Span
from telemetry.waterfall import name_of

CONTENT = {
    attributes.SYSTEM_INSTRUCTIONS: "Instructions",
    attributes.INPUT_MESSAGES: "What the model was told",
    attributes.OUTPUT_MESSAGES: "What the model said",
    attributes.TOOL_ARGUMENTS: "Arguments",
    attributes.TOOL_RESULT: "Result",
    attributes.QUESTION: "Question",
    attributes.DATA: "Data",
}
LONG = 1_500
ROLES = {
    "system": "Instructions",
    "user": "Person",
    "assistant": "Model",
    "calls": "Model calls",
    "result": "Tool says",
}


def details(glass: Glass, user_id: str, turn_id: str, span_id: str) -> None:
    """Draw a span's record; large texts are loaded when they are asked for."""
    spans = glass.spans(user_id, turn_id)
    span = next((span for span in spans if span.span_id == span_id), None)
    if span is None:
        return
    with st.container(border=True, key="span-details"):
        st.markdown(f"**{literal(name_of(span))}** · {took(span)}")
        for sentence in errors_of(span):
            st.error(literal(sentence))
        for key, title in CONTENT.items():
            if key in span.attributes:
                content(glass, user_id, span, key, title)
        requests(google_below(spans, span_id), span_id)
        rest = {key: value for key, value in span.attributes.items() if key not in CONTENT}
        if rest:
            st.markdown("Attributes")
            st.dataframe(
                [{"Name": key, "Value": readable(value)} for key, value in sorted(rest.items())],
                hide_index=True,
                key=f"attributes-{span_id}",
                alt=f"Attributes of {name_of(span)}",
            )


def google_below(spans: Sequence[Span], span_id: str) -> list[Span]:
    """The Google requests under a span, in order of start."""
    children: dict[str | None, list[Span]] = defaultdict(list)
    for span in spans:
        children[span.parent_id].append(span)
    found, todo, known = [], [span_id], {span_id}
    while todo:
        below = [span for span in children[todo.pop()] if span.span_id not in known]
        known.update(span.span_id for span in below)
        todo.extend(span.span_id for span in below)
        found.extend(span for span in below if span.type == "google")
    return sorted(found, key=lambda span: (span.start_ns, span.span_id))


def requests(found: Sequence[Span], span_id: str) -> None:
    """Google requests as a table."""
    if not found:
        return
    st.markdown("Google requests")
    st.dataframe(
        [request_cells(span) for span in found],
        hide_index=True,
        key=f"google-{span_id}",
        alt="The Google requests under this step with status, size and duration",
    )


def request_cells(span: Span) -> dict[str, str]:
    """One request in words; what was not recorded says so."""
    read = span.attributes.get
    status, length, again = read(attributes.HTTP_STATUS), read(attributes.HTTP_SIZE), read(attributes.HTTP_RESENDS)
    return {
        "Request": span.name,
        "Method": str(read(attributes.HTTP_METHOD) or formats.NONE),
        "Status": formats.NONE if status is None else str(status),
        "Size": formats.size(length) if isinstance(length, int) else formats.NONE,
        "Tried again": str(again or 0),
        "Took": took(span),
    }


def took(span: Span) -> str:
    """A span's duration, or that it is open."""
    return "running" if span.end_ns is None else formats.duration(span.end_ns - span.start_ns)


def errors_of(span: Span) -> list[str]:
    """What went wrong in it."""
    said = [span.attributes.get(key) for key in (attributes.ERROR_MESSAGE, attributes.ERROR, attributes.ERROR_TYPE)]
    said += [(event.get("attributes") or {}).get("exception.message") for event in span.events]
    found = list(dict.fromkeys(str(sentence) for sentence in said if sentence))
    return found or (["It failed without saying why."] if span.status == "error" else [])


def content(glass: Glass, user_id: str, span: Span, key: str, title: str) -> None:
    """One recorded text; the whole of a cut one on demand."""
    text = readable(span.attributes[key])
    st.markdown(title)
    button = f"whole-{span.span_id}-{key}"
    if "[cut:" in text and st.button("Load all of it", key=button, icon=":material/unfold_more:"):
        payload = glass.payload(user_id, span.trace_id, span.span_id, key)
        if payload is None:
            st.caption("No more than this was kept.")
        else:
            text = payload.text
    conversation = read_messages(text) if key.endswith("messages") else None
    if conversation:
        for message in conversation:
            st.caption(literal(ROLES.get(message.role, message.role)))
            written(indented(message.text) if message.role == "result" else message.text)
    else:
        written(indented(text))


def written(text: str) -> None:
    """A text exactly as it is; a long one scrolls."""
    st.code(text, language=None, wrap_lines=True, height=320 if len(text) > LONG else "content")


def readable(value: Any) -> str:
    """A recorded value as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
