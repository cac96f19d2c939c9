"""Documents in the formats of other programs: what Drive exports, and what it searches."""

from collections.abc import Callable, Iterator, Mapping

from sqlmodel import Session

from core.sandbox.docs.blocks import INDENT, Block, Grid, Tabs, read, texts
from core.sandbox.docs.markup import to_html, to_markdown
from core.sandbox.docs.model import Document
from core.sandbox.docs.office import to_docx, to_pdf
from core.sandbox.docs.tables import DocumentRow
from core.sandbox.drive.kinds import DOCX
from core.sandbox.drive.tables import DriveFile


def tabs_of(document: Document) -> Tabs:
    """All tabs of a document."""
    several = len(document.tabs) > 1
    return [(tab.title if several else "", read(tab, tab.body)) for tab, _ in document.ordered()]


def plain(document: Document) -> str:
    """All text, such as a search wants it."""
    lines: list[str] = []
    for title, blocks in tabs_of(document):
        lines += [*([title] if title else []), *texts(blocks)]
    for tab in document.tabs:
        for segment in tab.kinds:
            lines += texts(read(tab, tab.segments[segment]))
    return "\n".join(lines)


def to_text(_: str, tabs: Tabs) -> bytes:
    """Plain text as Google exports it: a byte order mark, CRLF."""
    lines: list[str] = []
    for title, blocks in tabs:
        lines += [*([title, ""] if title else []), *(line for block in blocks for line in text_lines(block))]
    return ("\ufeff" + "\r\n".join(lines).replace("\v", "\r\n")).encode()


def text_lines(block: Block) -> Iterator[str]:
    """A block as lines of plain text."""
    if isinstance(block, Grid):
        for row in block.texts:
            yield "\t".join(cell.replace("\n", " ") for cell in row)
    else:
        yield f"{INDENT * block.level}* {block.text}" if block.preset else block.text


Format = Callable[[str, Tabs], bytes]
FORMATS: Mapping[str, Format] = {
    "text/plain": to_text,
    "text/markdown": to_markdown,
    "text/html": to_html,
    "application/pdf": to_pdf,
    DOCX: to_docx,
}


def exporter(form: Format) -> Callable[[Session, DriveFile], bytes]:
    """What Drive calls to export a document."""

    def export(session: Session, file: DriveFile) -> bytes:
        return form(file.name, tabs_of(session.get_one(DocumentRow, file.id).document()))

    return export
