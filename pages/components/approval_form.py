"""The form by which a call is changed before it is approved."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import streamlit as st

from core.runtime.forms import Field, Kind, fields_of, local_moment
from core.store.tables import Approval
from pages.components.asking import say
from pages.components.deciding import edit, revise
from pages.components.markdown import literal
from pages.components.page import Page

UNSET = "—"
YES_NO = ("yes", "no")


def form(page: Page, approval: Approval) -> None:
    """Draw it; saving decides nothing yet."""
    added = page.own.schema(approval.tool)
    schema = added.parameters if added else None
    fields = fields_of(page.services.catalogue, approval.tool, approval.arguments, schema)
    main = [field for field in fields if field.required or field.value is not None]
    with st.form(f"form_{approval.id}", border=False):
        for field in main:
            ask(approval, field)
        if len(main) < len(fields):
            with st.expander("More"):
                for field in fields[len(main) :]:
                    ask(approval, field)
        with st.container(horizontal=True):
            st.form_submit_button("Save changes", type="primary", on_click=save, args=(page, approval, fields))
            st.form_submit_button("Cancel", type="tertiary", on_click=edit, args=(approval, False))


def ask(approval: Approval, field: Field) -> None:
    """One field, by its kind."""
    label, key, value = literal(field.title), key_of(approval, field), field.value
    match field.kind:
        case Kind.LONG:
            st.text_area(label, value or "", key=key, height=200)
        case Kind.LINES:
            st.text_area(label, "\n".join(value or ()), key=key, help="One a line.")
        case Kind.MOMENT:
            st.datetime_input(label, local_moment(value) if value else None, key=key, format="YYYY-MM-DD")
        case Kind.NUMBER:
            st.number_input(label, value=value, key=key)
        case Kind.YES_NO:
            options = [UNSET, *YES_NO]
            st.selectbox(label, options, 0 if value is None else 1 if value else 2, key=key)
        case Kind.CHOICE:
            options = [UNSET, *field.choices]
            st.selectbox(label, options, 0 if value is None else options.index(value), key=key)
        case Kind.JSON:
            text = "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)
            st.text_area(label, text, key=key, help="As JSON.")
        case Kind.TEXT:
            st.text_input(label, value or "", key=key)


def save(page: Page, approval: Approval, fields: Sequence[Field]) -> None:
    """Keep the fields as the call's arguments; what was emptied is left out unless it is needed."""
    arguments = dict(approval.arguments)
    for field in fields:
        try:
            value = read(field, st.session_state.get(key_of(approval, field)))
        except ValueError:
            say(f"{field.title} is not JSON. Correct it, or cancel.")
            return
        if value is None or (value == "" and not field.required and not field.value):
            arguments.pop(field.name, None)
        else:
            arguments[field.name] = value
    revise(page, approval, arguments)


def read(field: Field, said: Any) -> Any:
    """What was entered, as the tool takes it; None for nothing.

    Raises:
        ValueError: it is not JSON where that is needed.
    """
    match field.kind:
        case Kind.LINES:
            return [line.strip() for line in str(said or "").splitlines() if line.strip()] or (
                [] if field.value else None
            )
        case Kind.MOMENT:
            return said.isoformat(timespec="minutes") if isinstance(said, datetime) else None
        case Kind.YES_NO:
            return None if said == UNSET else said == YES_NO[0]
        case Kind.CHOICE:
            return None if said == UNSET else said
        case Kind.JSON:
            return json.loads(said) if str(said or "").strip() else None
    return said


def key_of(approval: Approval, field: Field) -> str:
    """The widget's key; another one once the arguments have changed, so that it shows the new ones."""
    return f"field_{approval.id}_{approval.arguments_hash[:8]}_{field.name}"
