"""The router: which pages there are, and the sidebar."""

import streamlit as st

from pages.components.sidebar import conversations

st.set_page_config(page_title="Glassdesk", page_icon=":material/filter_none:", layout="wide")
page = st.navigation(
    {
        "": [st.Page("chat.py", title="Chat", icon=":material/forum:", default=True)],
        "See through": [st.Page("latency.py", title="Latency", icon=":material/timeline:")],
    }
)
conversations()
page.run()
