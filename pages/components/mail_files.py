"""Files that an answer saved from mails: handed to the browser by the app, never by an address of their own."""

import json
import mimetypes
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from core.mcp_server.shaping.files import folder_of
from core.store.tables import Exchange
from pages.components.markdown import literal
from pages.components.page import Page

TOOL = "get_gmail_attachment_content"


def downloads(page: Page, exchange: Exchange) -> None:
    """A button for each file that the answer saved and that is still there."""
    files = list(saved(page, exchange))
    if not files:
        return
    with st.container(horizontal=True, gap="xsmall", key=f"files_{exchange.turn_id}"):
        for number, (name, path) in enumerate(files):
            st.download_button(
                literal(name),
                data=path.read_bytes,
                file_name=name,
                mime=mimetypes.guess_type(name)[0] or "application/octet-stream",
                key=f"file_{exchange.turn_id}_{number}",
                icon=":material/download:",
                on_click="ignore",
            )


def saved(page: Page, exchange: Exchange) -> Iterator[tuple[str, Path]]:
    """The names and places of the files; only of those inside the account's own folder."""
    folder = (page.services.settings.downloads / folder_of(page.user.account)).resolve()
    for result in results(exchange):
        path = (folder / str(result.get("path") or "")).resolve()
        if path.is_file() and path.is_relative_to(folder):
            yield path.name, path


def results(exchange: Exchange) -> Iterator[Mapping[str, Any]]:
    """What the tool that saves attachments has returned in an answer."""
    calls = {item.get("call_id") for item in exchange.items if item.get("name") == TOOL}
    for item in exchange.items:
        if item.get("type") == "function_call_output" and item.get("call_id") in calls:
            for text in texts(item.get("output")):
                try:
                    value = json.loads(text)
                except ValueError:
                    continue
                if isinstance(value, dict):
                    yield value


def texts(output: Any) -> Iterator[str]:
    """The texts of a tool's output."""
    for part in output if isinstance(output, list) else [output]:
        yield str(part.get("text", "")) if isinstance(part, dict) else str(part)
