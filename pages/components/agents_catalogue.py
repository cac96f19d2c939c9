"""How large the catalogue of agents and tools is in a prompt, whole and for one domain."""

import streamlit as st

from pages.components.page import Page
from telemetry import formats


def catalogue(page: Page) -> None:
    """Draw the sizes, and what a model is told."""
    agents = page.services.agents
    whole = agents.export_for_prompt()
    sizes = {name: agents.export_for_prompt_filtered([name]) for name in agents.domains.names()}
    described = {
        name: agents.export_for_prompt_filtered([name], tuple(agents.domains.own_tools(name))) for name in sizes
    }
    st.subheader("How much a model reads to know them", anchor=False)
    st.caption(
        f"The whole catalogue takes {formats.tokens(whole.tokens)} in a prompt. For one domain, "
        "its basic tools are described, its others and the utilities named. The counts are estimates."
    )
    st.dataframe(
        [
            {
                "For": agents.domains.agent(name).title,
                "Tokens": formats.count(export.tokens),
                "Smaller by": formats.percent(1 - export.tokens / whole.tokens),
                "All described": formats.percent(1 - described[name].tokens / whole.tokens),
            }
            for name, export in sizes.items()
        ],
        hide_index=True,
        key="catalogue_sizes",
        column_config={
            "All described": st.column_config.TextColumn(
                help="By how much it is smaller where all tools of the domain are described, not only the basic ones."
            )
        },
        alt="Size of the catalogue for each domain against the whole",
    )
    with st.expander("The whole catalogue as a model reads it", key="catalogue_text"):
        st.code(whole.text, language=None, wrap_lines=True, height=360)
