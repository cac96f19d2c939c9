"""For administrators: who uses this app, what each may do, and who is kept out."""

import streamlit as st

from core.errors import GlassdeskError
from core.store.people_tables import Person
from core.store.tokens import aware
from core.users import Role
from pages.components.markdown import literal
from pages.components.page import Page

PROBLEM = "people_problem"
CHOSEN = "person"
ROLES = {Role.PERSON: "Person", Role.ADMINISTRATOR: "Administrator"}


def people(page: Page) -> None:
    """Draw everybody, and what can be set of one of them."""
    st.subheader("People", anchor=False)
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(literal(problem))
    found = [row for row in page.services.people.list(page.user) if row.email]
    if not found:
        st.info(
            "Only you use this Glassdesk, on this machine. To let others in, set up a sign-in: README.md says how.",
            icon=":material/person:",
        )
        return
    st.caption("Administrators see everybody's numbers. Questions and answers are everybody's own.")
    st.dataframe([cells(page, row) for row in found], hide_index=True, key="people", alt="Everybody who uses this app")
    names = {row.id: f"{row.name or row.email} ({row.email})" for row in found}
    chosen = st.selectbox(
        "Change somebody", list(names), index=None, format_func=names.__getitem__, key=CHOSEN, placeholder="Choose"
    )
    for row in found:
        if row.id == chosen:
            card(page, row)


def cells(page: Page, row: Person) -> dict[str, str]:
    """One person in the table."""
    listed = row.email in page.services.people.rules.administrators
    return {
        "Name": row.name or "—",
        "E-mail": row.email,
        "Role": ROLES[Role.ADMINISTRATOR if listed else Role(row.role)],
        "Writes": "read-only" if row.read_only else "with approval",
        "State": "disabled" if row.disabled_at else "active",
        "Last seen": f"{aware(row.seen_at).astimezone(page.user.zone):%Y-%m-%d %H:%M}",
    }


def card(page: Page, row: Person) -> None:
    """What can be set of one person; nobody takes away their own rights."""
    kept, me, oneself = page.services.people, page.user, row.id == page.user.id
    listed = row.email in kept.rules.administrators
    with st.container(border=True, key=f"person_{row.id}"):
        st.markdown(f"**{literal(row.name or row.email)}**")
        st.text(row.email)
        st.toggle(
            "Administrator",
            listed or row.role == Role.ADMINISTRATOR,
            key=f"role_{row.id}",
            disabled=oneself or listed,
            help="By the setting GLASSDESK_ADMINISTRATORS." if listed else None,
            on_change=lambda: tried(
                kept.set_role, me, row.id, Role.ADMINISTRATOR if now(f"role_{row.id}") else Role.PERSON
            ),
        )
        st.toggle(
            "Read-only: nothing is sent, changed or deleted",
            row.read_only,
            key=f"read_only_{row.id}",
            on_change=lambda: tried(kept.set_read_only, me, row.id, now(f"read_only_{row.id}")),
        )
        st.toggle(
            "Disabled: may not come in",
            row.disabled_at is not None,
            key=f"disabled_{row.id}",
            disabled=oneself,
            on_change=lambda: tried(kept.set_disabled, me, row.id, now(f"disabled_{row.id}")),
        )
        if not oneself:
            delete(page, row)


def now(key: str) -> bool:
    """What a switch is at now."""
    return bool(st.session_state[key])


def delete(page: Page, row: Person) -> None:
    """Delete somebody with all that is theirs, once their address is typed."""
    with st.popover("Delete", icon=":material/delete:", key=f"delete_{row.id}"):
        st.markdown(
            "All that is kept of this person is deleted for good: conversations, approvals, files, ratings, budgets, "
            "tokens, connections and traces. To keep them out, take them off the list of who may sign in, too."
        )
        typed = st.text_input("Type their e-mail address to confirm", key=f"confirm_{row.id}")
        st.button(
            "Delete for good",
            key=f"forget_{row.id}",
            type="primary",
            disabled=typed.strip().lower() != row.email,
            on_click=tried,
            args=(forget, page, row.id),
        )


def forget(page: Page, user_id: str) -> None:
    """Delete somebody, unless rights have changed since the page was drawn."""
    page.services.people.set_disabled(page.user, user_id, True)
    page.services.forget(user_id)


def tried(deed: object, *arguments: object) -> None:
    """Do something; where it is refused, the page says why."""
    assert callable(deed)
    try:
        deed(*arguments)
    except GlassdeskError as error:
        st.session_state[PROBLEM] = error.sentence
