"""The guard at the top of every page: services that are up, and a known user."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import GlassdeskError
from core.host import host
from core.users import User
from pages.components.markdown import literal
from pages.components.session import signed_in, signs_in

if TYPE_CHECKING:
    from core.bootstrap import Services
    from core.servers.manifests import Own


@dataclass(frozen=True)
class Page:
    """Who looks, and what serves them; `contents`: whether what people wrote may be shown, not numbers alone."""

    services: "Services"
    user: User
    contents: bool = True

    @property
    def own(self) -> "Own":
        """What the user works with: the app's domains, and those of the tool servers that they have added."""
        return self.services.servers.refreshed(self.user.id)


def open_page() -> Page:
    """Wait for the services and find out who is asking; a page that cannot open says why and stops."""
    try:
        services = host().ready()
        if services is None:
            with st.spinner("Getting ready…"):
                services = host().wait()
        return Page(services, who_looks(services))
    except GlassdeskError as error:
        st.error(literal(error.sentence), icon=":material/error:")
        if signs_in() and st.user.is_logged_in:
            st.button("Sign in as somebody else", key="sign_out", icon=":material/logout:", on_click=st.logout)
        st.stop()


def who_looks(services: "Services") -> User:
    """The local user, or who has signed in; a page that nobody has signed in for asks for that and stops.

    Raises:
        NotAllowed: they may not use this app.
    """
    if not signs_in():
        return services.people.local()
    claims = signed_in()
    if claims is None:
        welcome()
        st.stop()
    return services.people.signed_in(claims)


def welcome() -> None:
    """The only thing that is shown to somebody unknown."""
    with st.container(border=True, horizontal_alignment="center"):
        st.header("Glassdesk", anchor=False, text_alignment="center")
        st.markdown("A Google Workspace assistant that you can see through.", text_alignment="center")
        st.button("Sign in", key="sign_in", type="primary", icon=":material/login:", on_click=st.login)
        st.caption("You sign in with your organisation's account; no password is kept here.", text_alignment="center")
