"""Files of other programs made into documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

import docx
from docx.table import Table as WordTable
from html2text import HTML2Text
from markdown_it import MarkdownIt
from markdown_it.token import Token
from sqlmodel import Session

from core.sandbox.docs.blocks import Block, Grid, Paragraph, Run, write
from core.sandbox.docs.model import Document, name_headings
from core.sandbox.docs.tables import save
from core.sandbox.docs.text import LINK_LOOK
from core.sandbox.drive.kinds import DOCX
from core.sandbox.drive.tables import DriveFile

BULLETED, NUMBERED = "BULLET_DISC_CIRCLE_SQUARE", "NUMBERED_DECIMAL_ALPHA_ROMAN"
MARKS = {"strong_open": "bold", "em_open": "italic", "s_open": "strikethrough"}


class Markdown:
    """Reads Markdown into blocks."""

    def __init__(self, text: str) -> None:
        self._tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
        self._lists: list[tuple[str, str]] = []
        self._at = 0

    def blocks(self, until: str = "") -> list[Block]:
        """The blocks up to a closing token, or all."""
        found: list[Block] = []
        named = "NORMAL_TEXT"
        while self._at < len(self._tokens):
            token = self._tokens[self._at]
            self._at += 1
            if until and token.type == until:
                break
            if token.type == "heading_open":
                named = f"HEADING_{token.tag[1]}"
            elif token.type == "heading_close":
                named = "NORMAL_TEXT"
            elif token.type == "table_open":
                found.append(Grid(self._rows()))
            elif token.type in ("fence", "code_block"):
                found += [Paragraph([Run(line, CODE)]) for line in token.content.rstrip("\n").split("\n")]
            elif token.type == "inline":
                found.append(self._paragraph(token, named))
            else:
                self._list(token)
        return found

    def _list(self, token: Token) -> None:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            preset = BULLETED if token.type == "bullet_list_open" else NUMBERED
            group = self._lists[0][1] if self._lists else str(self._at)
            self._lists.append((preset, group))
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()

    def _paragraph(self, token: Token, named: str) -> Paragraph:
        runs = list(inline(token.children or []))
        if not self._lists:
            return Paragraph(runs, named)
        preset, group = self._lists[-1]
        return Paragraph(runs, named, preset, len(self._lists) - 1, group)

    def _rows(self) -> list[list[list[Block]]]:
        rows: list[list[list[Block]]] = []
        while (token := self._tokens[self._at]).type != "table_close":
            self._at += 1
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append([Paragraph(list(inline(token.children or [])))])
        self._at += 1
        return rows


CODE = {"weightedFontFamily": {"fontFamily": "Roboto Mono", "weight": 400}}


def inline(tokens: Sequence[Token]) -> Iterator[Run]:
    """The runs of a line of Markdown."""
    style: dict[str, Any] = {}
    for token in tokens:
        if token.type in MARKS:
            style = {**style, MARKS[token.type]: True}
        elif token.type == "link_open":
            style = {**style, **LINK_LOOK, "link": {"url": str(token.attrs["href"])}}
        elif token.type.endswith("_close"):
            gone = {"link", *LINK_LOOK} if token.type == "link_close" else {MARKS[token.type.replace("close", "open")]}
            style = {name: value for name, value in style.items() if name not in gone}
        elif token.type in ("text", "code_inline", "html_inline"):
            yield Run(token.content, {**style, **CODE} if token.type == "code_inline" else style)
        elif token.type in ("softbreak", "hardbreak"):
            yield Run(" " if token.type == "softbreak" else "\v", style)
        elif token.type == "image":
            yield Run(token.content, style)


def from_markdown(data: bytes) -> list[Block]:
    """Markdown."""
    return Markdown(data.decode(errors="replace")).blocks()


def from_text(data: bytes) -> list[Block]:
    """Plain text: a paragraph a line."""
    text = data.decode(errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")
    return [Paragraph([Run(line)] if line else []) for line in text.removesuffix("\n").split("\n")]


def from_html(data: bytes) -> list[Block]:
    """HTML, by way of Markdown."""
    reader = HTML2Text(bodywidth=0)
    reader.ignore_images = reader.unicode_snob = reader.pad_tables = True
    return from_markdown(reader.handle(data.decode(errors="replace")).encode())


def from_docx(data: bytes) -> list[Block]:
    """A Word file."""
    return [word_block(item) for item in docx.Document(BytesIO(data)).iter_inner_content()]


def word_block(item: Any) -> Block:
    """A paragraph or a table of a Word file."""
    if isinstance(item, WordTable):
        return Grid([[[word_block(one) for one in cell.paragraphs] for cell in row.cells] for row in item.rows])
    name = item.style.name if item.style is not None else "Normal"
    runs = [Run(run.text, word_marks(run)) for run in item.runs if run.text]
    if name.startswith("List"):
        preset = NUMBERED if name.startswith("List Number") else BULLETED
        level = int(name[-1]) - 1 if name[-1].isdigit() else 0
        return Paragraph(runs, preset=preset, level=level, group=preset)
    if name.startswith("Heading "):
        return Paragraph(runs, f"HEADING_{min(int(name[8:]), 6)}")
    return Paragraph(runs, {"Title": "TITLE", "Subtitle": "SUBTITLE"}.get(name, "NORMAL_TEXT"))


def word_marks(run: Any) -> dict[str, bool]:
    """The style of a run of a Word file."""
    return {name: True for name in ("bold", "italic", "underline") if getattr(run, name)}


Format = Callable[[bytes], list[Block]]
FORMATS: Mapping[str, Format] = {
    "text/plain": from_text,
    "text/markdown": from_markdown,
    "text/html": from_html,
    DOCX: from_docx,
}


def document_of(blocks: Sequence[Block]) -> Document:
    """A document with one tab."""
    document = Document.new()
    write(document, document.tabs[0], blocks)
    name_headings(document)
    return document


def importer(form: Format) -> Callable[[Session, DriveFile, bytes], None]:
    """What Drive calls to make an upload a document."""

    def take(session: Session, file: DriveFile, data: bytes) -> None:
        save(session, file.id, document_of(form(data)))

    return take
