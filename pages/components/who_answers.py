"""Who answers in the chat: which Workspace, which model and which account; and what came of connecting one."""

from collections.abc import Sequence

import streamlit as st

from core.google.connecting import RESULTS
from core.google.standing import Account
from core.settings import Workspace
from pages.components.acting import NOBODY, acting, choice, several
from pages.components.asking import CONVERSATION, say
from pages.components.leaving import arrived
from pages.components.markdown import literal
from pages.components.page import Page

WHOSE = {
    Workspace.SANDBOX: ":material/science: Sandbox Workspace",
    Workspace.GOOGLE: ":material/cloud: Google Workspace",
}


def who_answers(page: Page) -> None:
    """One quiet line: which Workspace and model, and which account where that is not plain; or a choice of several."""
    settings = page.services.settings
    if settings.offline:
        model = "offline assistant, no language model"
    else:
        host = settings.model_base_url.host if settings.model_base_url else "api.openai.com"
        model = f"{settings.model} at {host}"
    found = page.services.accounts.list(page.user)
    email = acting(page, found)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="who_answers"):
        st.caption(
            " · ".join([WHOSE[page.services.workspace.kind], literal(model), *account(page, found, email)]),
            width="content",
        )
        if several(found, email):
            with st.popover(f":small[{literal(email or 'Choose an account')}]", type="tertiary", key="acting"):
                choice(page, found, email, st.query_params.get(CONVERSATION), f"acts_{email}")
    warning = page.services.budgets.warning(page.user)
    if warning:
        st.caption(f":material/savings: {literal(warning)}")


def account(page: Page, found: Sequence[Account], email: str) -> list[str]:
    """The account in words; in the sandbox its only one goes without saying."""
    if not email:
        return [NOBODY]
    goes_without = several(found, email) or page.services.workspace.kind is Workspace.SANDBOX
    return [] if goes_without else [literal(email)]


def back_from_google() -> None:
    """What came of connecting something; that it worked shows at the answer that lacked it."""
    back = arrived()
    if back is not None and back.result != "ok":
        say(RESULTS[back.result])
