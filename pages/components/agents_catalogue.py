"""How large the catalogue of agents and tools is in a prompt, whole and for one domain."""

import streamlit as st

from pages.components.page import Page
from telemetry import formats


def catalogue(page: Page) -> None:
    """Draw the sizes, and what a model is told."""
    agents = page.services.agents
    whole = agents.export_for_prompt()
    sizes = {name: agents.export_for_prompt_filtered([name]) for name in agents.domains.names()}
    st.subheader("How much a model reads to know them", anchor=False)
    st.caption(
        f"The whole catalogue takes {formats.tokens(whole.tokens)} in a prompt. For one domain, "
        "its basic tools are described and its others named. The counts are estimates."
    )
    st.dataframe(
        [
            {
                "For": agents.domains.agent(name).title,
                "Tokens": formats.count(export.tokens),
                "Smaller by": formats.percent(1 - export.tokens / whole.tokens),
            }
            for name, export in sizes.items()
        ],
        hide_index=True,
        key="catalogue_sizes",
        alt="Size of the catalogue for each domain against the whole",
    )
    with st.expander("The whole catalogue as a model reads it", key="catalogue_text"):
        st.code(whole.text, language=None, wrap_lines=True, height=360)
