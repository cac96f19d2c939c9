"""How this app becomes known at Google, for administrators: its OAuth client, a service account, kept sign-ins."""

from pathlib import Path

import streamlit as st

from core.errors import GlassdeskError
from core.google.importing import USUAL, import_folder
from core.google.provider import LARGEST
from core.google.scopes import spelled
from core.settings import Workspace
from pages.components.asking import forget, say
from pages.components.connect_accounts import DONE
from pages.components.markdown import code, literal
from pages.components.page import Page

FILE, ADDRESS, FOLDER = "client_file", "robot_address", "import_folder"
IMPORTED = "connect_imported"
CONSOLE = "https://console.cloud.google.com"
ASK = (
    "This app is not registered at Google yet, so nobody can connect an account. Ask an administrator to do that on "
    "this page."
)
STEPS = """
1. Open [Google Cloud]({console}/projectcreate) and make a project.
2. [Enable the APIs]({console}/apis/library) of Gmail, Google Calendar, Google Drive, Google Docs, Google Sheets and
   Google Slides.
3. Set up the [consent screen]({console}/auth/overview): *Internal* where everybody is in your organisation; else
   *External*, with the people who may connect as test users.
4. Under [Clients]({console}/auth/clients), create a client of the type *Web application*, and add this to its
   authorised redirect URIs:
"""
UPLOAD = "5. Download its JSON file, which Google calls `client_secret_….json`, and upload it here. It is kept sealed."
ROBOT_STEPS = """
With a service account that may act for everybody in your domain, nobody is asked for consent.

1. In Google Cloud, make a [service account]({console}/iam-admin/serviceaccounts) with a key of the type JSON, and save
   the file on this machine, readable for this app alone.
2. In the [Admin console](https://admin.google.com/ac/owl/domainwidedelegation), under domain-wide delegation, add its
   client id with the permissions below.
3. Set `GLASSDESK_GOOGLE_SERVICE_ACCOUNT` to the file's path, and start again.
"""


def setup(page: Page) -> None:
    """Draw what an administrator can set up; others only what keeps them from connecting."""
    source = page.services.accounts.client.source
    if source == "none" and not page.user.administers:
        st.info(ASK, icon=":material/info:")
    if source == "none" and page.user.administers:
        st.info("This app is not registered at Google yet. It takes ten minutes, once.", icon=":material/info:")
    if page.user.administers:
        st.subheader("Set up Google", anchor=False)
        st.caption("Only administrators see this.")
        client(page, source)
        robot(page)
        kept(page)
    elif page.services.accounts.robot:
        own(page)


def client(page: Page, source: str) -> None:
    """The app's OAuth client."""
    with st.expander("OAuth client of this app", icon=":material/key:", expanded=source == "none", key="client"):
        st.markdown(registered(page, source))
        if source == "settings":
            return
        st.markdown(STEPS.format(console=CONSOLE))
        st.code(page.services.accounts.connecting.redirect_uri, language=None)
        st.markdown(UPLOAD)
        st.file_uploader(
            "client_secret.json",
            type="json",
            key=FILE,
            max_upload_size=1,
            on_change=upload,
            args=(page,),
        )
        if page.services.accounts.client.uploaded:
            with st.popover("Remove the client", icon=":material/delete:", type="tertiary", key="remove_client"):
                st.markdown(
                    "Accounts that were connected with it stop working. The sandbox stands for Google again from the "
                    "next start on, unless the settings name another client."
                )
                st.button("Remove it", key="client_gone", type="primary", on_click=remove, args=(page,))


def registered(page: Page, source: str) -> str:
    """Which client there is, and since when it is used."""
    accounts = page.services.accounts
    if source == "settings":
        return "The client is set by `GLASSDESK_GOOGLE_CLIENT_ID` and `GLASSDESK_GOOGLE_CLIENT_SECRET`."
    if source == "uploaded":
        found = accounts.client.current()
        return f"The client {code(found.id)} was uploaded, and is in use." if found else ""
    if source == "none":
        return "There is none."
    if not accounts.client.uploaded:
        return (
            "The sandbox stands for Google. With a client of your own, people connect their own Google accounts, from "
            "the next start on."
        )
    if page.services.settings.workspace is Workspace.SANDBOX:
        return (
            "A client was uploaded, but `GLASSDESK_WORKSPACE` is set to `sandbox`. Remove that setting and start again "
            "to use Google."
        )
    return (
        ":orange[:material/restart_alt:] **A client was uploaded. Start Glassdesk again to use Google**; until then "
        "the sandbox goes on. Its accounts rest afterwards, and nothing of them is sent to Google."
    )


def upload(page: Page) -> None:
    """Keep the client of a file."""
    forget()
    file = st.session_state[FILE]
    if file is None:
        return
    try:
        page.services.accounts.client.upload(page.user, file.read(LARGEST + 1))
    except GlassdeskError as error:
        say(error.sentence)
    else:
        st.session_state[DONE] = "The client was uploaded and sealed."


def remove(page: Page) -> None:
    """Forget the uploaded client."""
    forget()
    try:
        page.services.accounts.client.remove(page.user)
    except GlassdeskError as error:
        say(error.sentence)
    else:
        st.session_state[DONE] = "The client was removed."


def robot(page: Page) -> None:
    """The service account."""
    accounts = page.services.accounts
    with st.expander("Service account", icon=":material/smart_toy:", key="robot"):
        if not accounts.robot:
            st.markdown(ROBOT_STEPS.format(console=CONSOLE))
        else:
            st.markdown(f"A service account is set up. Its client id is {code(accounts.robot_id)}.")
        st.caption("The permissions to enter in the Admin console")
        st.code(",".join(spelled(name) for name in accounts.scopes.all()), language=None, wrap_lines=True)
        if accounts.robot:
            own(page)


def own(page: Page) -> None:
    """Connect an account through the service account."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if not page.user.email:
            st.text_input("Address", key=ADDRESS, placeholder="you@example.com")
        st.button(
            f"Connect {literal(page.user.email)}" if page.user.email else "Connect this address",
            key="delegate",
            icon=":material/link:",
            on_click=delegate,
            args=(page,),
        )
    st.caption("Through the service account; nobody is asked for consent.")


def delegate(page: Page) -> None:
    """Let the service account act for an address."""
    forget()
    try:
        account = page.services.accounts.delegate(page.user, st.session_state.get(ADDRESS, ""))
    except GlassdeskError as error:
        say(error.sentence)
    else:
        st.session_state[DONE] = f"{account.email} is connected through the service account."


def kept(page: Page) -> None:
    """Sign-ins that another Workspace server has kept on this machine."""
    with st.expander("Take over sign-ins of another Workspace server", icon=":material/move_item:", key="import"):
        if page.services.workspace.kind is Workspace.SANDBOX:
            st.markdown("This is possible once Google is set up; the sandbox knows no sign-ins of Google's.")
            return
        st.markdown(
            "The public Workspace MCP server keeps a file for each account. They are read, tried at Google, and sealed "
            "here as your accounts; the files stay as they are."
        )
        st.text_input("Folder on this machine", str(USUAL), key=FOLDER)
        st.button("Take them over", key="take_over", icon=":material/download:", on_click=take_over, args=(page,))
        for name, ok, sentence in st.session_state.get(IMPORTED, ()):
            mark = ":green[:material/check:]" if ok else ":red[:material/error:]"
            st.markdown(f"{mark} {literal(name)}: {literal(sentence)}")


def take_over(page: Page) -> None:
    """Connect what a folder's files hold."""
    forget()
    try:
        found = import_folder(page.services.accounts, page.user, Path(st.session_state[FOLDER]))
    except (GlassdeskError, OSError) as error:
        say(error.sentence if isinstance(error, GlassdeskError) else "That folder cannot be read. Name another.")
    else:
        st.session_state[IMPORTED] = [(one.name, one.ok, one.sentence) for one in found]
