"""The query line above the traces: typed, completed, explained, saved."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.errors import GlassdeskError
from pages.components.markdown import code, literal
from pages.components.page import Page
from telemetry.queries import Selection
from telemetry.querylang.errors import QueryError
from telemetry.querylang.fields import FIELDS, Kind
from telemetry.querylang.line import Line
from telemetry.querylang.parser import parse
from telemetry.querylang.suggestions import finished_part, suggest
from telemetry.traces import Traces

LINE = "q"
PAUSE = "400ms"
PLACEHOLDER = 'level:error latency:>2s tool:send_* -model:x "free text"'


def query_line(page: Page, whose_id: str, selection: Selection) -> tuple[str, Line]:
    """Draw it; gives what was typed and what holds of it: of a wrong or unfinished line what stands before that."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input(
            "Which turns",
            key=LINE,
            bind="query-params",
            placeholder=PLACEHOLDER,
            icon=":material/search:",
            type="search",
            live=PAUSE,
            label_visibility="collapsed",
        )
        with st.popover("Saved", icon=":material/bookmark:"):
            saved(page, text or "")
        with st.popover("How to ask", icon=":material/help:"):
            explained(page.user.administers)
    return text or "", understood(page, text or "", names(page, whose_id, selection))


def understood(page: Page, text: str, known: Mapping[str, Sequence[str]]) -> Line:
    """What a line asks for; what is wrong with it is said, and what could stand next is offered."""
    offered = [one for one in suggest(text, known, page.user.administers) if text.strip()]
    line, wrong = Line(), None
    try:
        line = parse(text)
        if line.of("user") and not page.user.administers:
            term = line.of("user")[0]
            raise QueryError(term.start, term.end, "Only administrators may ask for other people. Leave user: out.")
    except QueryError as error:
        line, wrong = finished_part(text[: error.start]), error
    if offered:
        options = {one.label: one.line for one in offered}
        st.pills(
            "Go on with",
            list(options),
            key="next",
            on_change=go_on,
            args=[options],
            label_visibility="collapsed",
            wrap=False,
        )
    if wrong is not None and not (offered and wrong.end >= len(text.rstrip())):
        st.markdown(f"{pointed(text, wrong)}  \n:red[Character {wrong.start + 1}: {literal(wrong.sentence)}]")
    return line


def names(page: Page, whose_id: str, selection: Selection) -> Mapping[str, Sequence[str]]:
    """The names that occur in the turns; those of tools in one's own."""
    choices = page.services.glass.choices(whose_id, selection)
    tools = Traces(page.services.telemetry.store).tools(page.user.id)
    return {"tool": tools, "agent": choices.agents, "model": choices.models, "route": choices.routes}


def go_on(options: Mapping[str, str]) -> None:
    """Complete the line."""
    chosen = st.session_state.next
    if chosen in options:
        st.session_state[LINE] = options[chosen]
    st.session_state.next = None


def pointed(text: str, error: QueryError) -> str:
    """A line with what is wrong in it marked; Markdown."""
    shown, start, end = 60, error.start, min(error.end, error.start + 60)
    before = ("…" if start > shown else "") + text[max(0, start - shown) : start]
    wrong = literal(text[start:end]) or "▁"
    return f"{spaced(before)}:red-background[{wrong}]{spaced(text[end : end + shown])}"


def spaced(text: str) -> str:
    """A part of a line to the letter, with the spaces at its ends."""
    before, after = (" " if end.isspace() else "" for end in (text[:1], text[-1:]))
    return f"{before}{literal(text)}{after}" if text.strip() else text[:1]


def explained(administers: bool) -> None:
    """The fields with what they take."""
    st.markdown(
        f"All words must fit. A minus before one means *not*; a comma means *or*; {code('*')} stands for any letters. "
        "Words without a field are looked for in everything that was said, by their beginnings; in quotation marks "
        "as they stand."
    )
    rows = ["| | finds turns by | for example |", "|---|---|---|"]
    for field in FIELDS.values():
        if field.name != "user" or administers:
            example = ", ".join(code(f"{field.name}:{one}") for one in field.examples or ("…",))
            rows.append(f"| **{field.name}** | {literal(field.meaning)} | {example} |")
    st.markdown("\n".join(rows))
    for field in FIELDS.values():
        if field.kind is Kind.CHOICE and field.choices:
            words = ", ".join(f"{code(word)} {literal(meaning)}" for word, meaning in field.choices.items())
            st.caption(f"{field.name}: {words}.")


def saved(page: Page, text: str) -> None:
    """The user's searches; the line as it is can become one."""
    searches = page.services.stores.searches
    found = searches.of_user(page.user.id)
    for row in found:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                literal(row.name),
                key=f"search-{row.name}",
                type="tertiary",
                help=code(row.line),
                on_click=put,
                args=[row.line],
            )
            st.button(
                "",
                key=f"unsave-{row.name}",
                icon=":material/delete:",
                type="tertiary",
                help="Delete this search",
                on_click=searches.remove,
                args=[page.user.id, row.name],
            )
    if not found:
        st.caption("A query that you need again can be kept here.")
    with st.form("save_search", border=False, clear_on_submit=True):
        name = st.text_input("Name of the query above", placeholder="Slow mails")
        if st.form_submit_button("Save", icon=":material/bookmark_add:"):
            save(page, name, text)


def save(page: Page, name: str, text: str) -> None:
    """Keep the line, or say why not."""
    try:
        parse(text)
        page.services.stores.searches.save(page.user.id, name, text)
    except QueryError as error:
        st.error(literal(f"This query cannot be saved. {error.sentence}"))
    except GlassdeskError as error:
        st.error(literal(error.sentence))
    else:
        st.rerun()


def put(line: str) -> None:
    """Ask for a line."""
    st.session_state[LINE] = line
