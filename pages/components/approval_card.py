"""The card that asks for a yes: what will happen, on which account, with exactly which arguments."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from core.runtime.previews import Change, Preview
from core.runtime.summaries import DECEIVING
from core.store.tables import Approval
from pages.components.approval_form import form
from pages.components.deciding import REASON, decide, edit, is_edited
from pages.components.markdown import literal
from pages.components.page import Page
from pages.components.sketches import honest, revisions, sketch, table

MOST = 20_000
"""Characters of one argument that are shown; a file's content may have millions."""
SEEN = "preview_"


def card(page: Page, approval: Approval) -> None:
    """Draw one that waits."""
    verb = verb_of(page, approval)
    preview = preview_of(page, approval)
    with st.container(border=True, key=f"approval_{approval.id}"):
        st.markdown(f":material/front_hand: **{honest(preview.summary)}**")
        st.caption(about(page, approval))
        if is_edited(approval):
            form(page, approval)
            return
        sketch(preview)
        if not (preview.mail or preview.labels or preview.changes):
            table([Change(name.replace("_", " "), None, brief(value)) for name, value in approval.arguments.items()])
        revisions(changed(approval.proposed, approval.arguments))
        with st.expander("Exact arguments", type="compact"):
            st.code(exact(approval.arguments), language="json", wrap_lines=True)
        buttons(page, approval, verb)


def buttons(page: Page, approval: Approval, verb: str) -> None:
    """Yes by the verb, Edit, and the quiet no."""
    if expired(approval):
        st.caption(":material/timer_off: Nobody decided in time; this has expired and was not done.")
        st.button("Go on without it", key=f"late_{approval.id}", on_click=decide, args=(page, approval, "reject"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(verb, key=f"yes_{approval.id}", type="primary", on_click=decide, args=(page, approval, "approve"))
        st.button("Edit", key=f"edit_{approval.id}", icon=":material/edit:", on_click=edit, args=(approval, True))
        with st.popover(f"Don't {verb.lower()}", type="tertiary", key=f"no_{approval.id}"):
            st.text_input("Why not? (optional)", key=REASON + approval.id, placeholder="The assistant is told this")
            st.button(
                f"Don't {verb.lower()}", key=f"reject_{approval.id}", on_click=decide, args=(page, approval, "reject")
            )


def about(page: Page, approval: Approval) -> str:
    """On which account, who wants it, and until when it can be decided."""
    until = f"{approval.expires_at.astimezone(page.user.zone):%a %-d %b, %H:%M}"
    added = page.own.serving(approval.tool)
    where = f"tool server **{literal(added[0].row.title)}**" if added else f"account **{literal(approval.account)}**"
    return f"Your approval is needed · {where} · {literal(f'asked by {approval.agent} · open until {until}')}"


def preview_of(page: Page, approval: Approval) -> Preview:
    """The preview, made once for the arguments: Google is asked for it."""
    key = f"{SEEN}{approval.id}_{approval.arguments_hash}"
    if key not in st.session_state:
        with st.spinner("Looking at what this would change…"):
            st.session_state[key] = page.services.previews.of(page.user, approval)
    preview: Preview = st.session_state[key]
    return preview


def verb_of(page: Page, approval: Approval) -> str:
    """The verb of the tool's title; Approve where no manifest has the tool."""
    tools = {tool.name: tool for _, tool in page.services.catalogue.tools()}
    known = tools.get(approval.tool)
    return known.title.split()[0] if known else "Approve"


def expired(approval: Approval) -> bool:
    """Whether it is too late."""
    return approval.expires_at <= datetime.now(UTC)


def changed(proposed: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[Change]:
    """What a person changed of what the model proposed."""
    names = dict.fromkeys([*proposed, *arguments])
    return [
        Change(name.replace("_", " "), brief(proposed.get(name)), brief(arguments.get(name)))
        for name in names
        if proposed.get(name) != arguments.get(name)
    ]


def brief(value: Any) -> str | None:
    """A value on one line."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        value = "; ".join(value)
    text = value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False)
    return text if text is None or len(text) <= 200 else f"{text[:200]}…"


def exact(arguments: Mapping[str, Any]) -> str:
    """All arguments as JSON, to the letter; only very long ones are cut, and say so."""

    def bounded(value: Any) -> Any:
        if isinstance(value, str) and len(value) > MOST:
            return f"{value[:MOST]}… [{len(value):,} characters in all]"
        if isinstance(value, dict):
            return {key: bounded(one) for key, one in value.items()}
        return [bounded(one) for one in value] if isinstance(value, list) else value

    return DECEIVING.sub("\ufffd", json.dumps(bounded(dict(arguments)), ensure_ascii=False, indent=2))
