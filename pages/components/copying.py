"""A button that copies a text at one click; Streamlit has none of its own."""

import streamlit as st

HTML = """
<button type="button" aria-live="polite"></button>
"""
CSS = """
button {
    border: 0; border-radius: var(--st-base-radius); padding: 0.15rem 0.5rem; cursor: pointer;
    background: none; color: var(--st-text-color); opacity: 0.65; font: 0.875rem var(--st-font);
}
button:hover, button:focus-visible { opacity: 1; background: var(--st-secondary-background-color); }
"""
SCRIPT = """
async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text)
    const area = document.createElement("textarea")  // a page that is served over plain HTTP has no clipboard
    area.value = text
    document.body.append(area)
    area.select()
    document.execCommand("copy")
    area.remove()
}
export default function ({ data, parentElement }) {
    const button = parentElement.querySelector("button")
    button.textContent = data.label
    button.onclick = async () => {
        await copy(data.text)
        button.textContent = "Copied"
        setTimeout(() => { button.textContent = data.label }, 1500)
    }
}
"""
BUTTON = st.components.v2.component("glassdesk_copy", html=HTML, css=CSS, js=SCRIPT)


def copy_button(text: str, key: str, label: str = "Copy") -> None:
    """A quiet button that puts `text` into the clipboard."""
    BUTTON(data={"text": text, "label": label}, key=key, width="content", height="content")
