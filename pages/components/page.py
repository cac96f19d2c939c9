"""The guard at the top of every page: services that are up, and a known user."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import GlassdeskError
from core.host import host
from core.users import User, local_user
from pages.components.markdown import literal

if TYPE_CHECKING:
    from core.bootstrap import Services


@dataclass(frozen=True)
class Page:
    """Who looks, and what serves them."""

    services: "Services"
    user: User


def open_page() -> Page:
    """Wait for the services and find out who is asking; a page that cannot open says why and stops."""
    try:
        services = host().ready()
        if services is None:
            with st.spinner("Getting ready…"):
                services = host().wait()
    except GlassdeskError as error:
        st.error(literal(error.sentence), icon=":material/error:")
        st.stop()
    return Page(services, local_user(services.settings))
