"""The guard at the top of every page: services that are up, and a known user."""

from dataclasses import dataclass

import streamlit as st

from core.bootstrap import Services
from core.errors import GlassdeskError
from core.host import host
from core.users import User, local_user


@dataclass(frozen=True)
class Page:
    """Who looks, and what serves them."""

    services: Services
    user: User


def open_page() -> Page:
    """Wait for the services and find out who is asking; a page that cannot open says why and stops."""
    services = host().ready()
    if services is None:
        with st.spinner("Getting ready…"):
            services = waited()
    return Page(services, local_user(services.settings))


def waited() -> Services:
    """The services, or a sentence instead of the page."""
    try:
        return host().wait()
    except GlassdeskError as error:
        st.error(error.sentence)
        st.stop()
