"""Documents of the Docs API as text and as maps of their indices."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.mcp_server.results_docs import CellMap, Part, RunPart, TabInfo

Json = dict[str, Any]
SHORT = 80
"""Characters of a paragraph in an index map."""

GLYPHS = ("DECIMAL", "ALPHA", "ROMAN", "UPPER", "ZERO")
MARKS = ("bold", "italic", "underline", "strikethrough")
LEVELS = {"TITLE": 1, "SUBTITLE": 2, **{f"HEADING_{level}": level for level in range(1, 7)}}


@dataclass(frozen=True)
class Segment:
    """A body, header, footer or footnote of a tab."""

    tab_id: str
    segment_id: str
    title: str
    level: int
    content: list[Json]
    lists: Json

    @property
    def end(self) -> int:
        """Behind its last newline."""
        return int(self.content[-1]["endIndex"]) if self.content else 0

    def paragraphs(self) -> list[Json]:
        """All paragraphs in order, those in tables too, as structural elements."""
        return list(paragraphs(self.content))

    def tables(self) -> list[Json]:
        """All tables in order, those in tables too, as structural elements."""
        return list(tables(self.content))


def tabs(document: Json) -> Iterator[tuple[Json, int]]:
    """All tabs in order, with their nesting level."""

    def below(some: list[Json], level: int) -> Iterator[tuple[Json, int]]:
        for tab in some:
            yield tab, level
            yield from below(tab.get("childTabs", []), level + 1)

    yield from below(document.get("tabs", []), 0)


def segments(document: Json) -> list[Segment]:
    """All segments: each tab's body, then its headers, footers and footnotes."""
    found = []
    for tab, level in tabs(document):
        properties, content = tab["tabProperties"], tab.get("documentTab", {})
        title, lists = properties.get("title", ""), content.get("lists", {})

        def segment(segment_id: str, name: str, part: Json) -> Segment:
            return Segment(properties["tabId"], segment_id, name, level, part.get("content", []), lists)  # noqa: B023

        found.append(segment("", title, content.get("body", {})))
        for kind in ("header", "footer", "footnote"):
            for key, part in content.get(f"{kind}s", {}).items():
                found.append(segment(key, f"{kind} of {title}", part))
    return found


def tab_list(document: Json) -> list[TabInfo]:
    """The tabs as results show them."""
    return [
        TabInfo(tab_id=one.tab_id, title=one.title, level=one.level, end_index=one.end)
        for one in segments(document)
        if not one.segment_id
    ]


def text_of(document: Json) -> str:
    """All text: tabs with their titles where there are several; headers, footers and footnotes at the end of theirs."""
    parts = segments(document)
    several = sum(not one.segment_id for one in parts) > 1
    shown = []
    for one in parts:
        text = segment_text(one).strip("\n")
        if not one.segment_id and several:
            shown.append(f"{'=' * (one.level + 1)} Tab: {one.title} {'=' * (one.level + 1)}\n{text}")
        elif text:
            shown.append(f"[{one.title}] {text}" if one.segment_id else text)
    return "\n\n".join(shown)


def segment_text(segment: Segment) -> str:
    """The text of a segment."""
    return "\n".join(element_text(one, segment.lists) for one in segment.content if "sectionBreak" not in one)


def element_text(element: Json, lists: Json) -> str:
    """A paragraph or table as text: headings, lists and tables as Markdown has them."""
    if "table" in element:
        return table_text(element["table"], lists)
    if "tableOfContents" in element:
        return "[table of contents]"
    paragraph = element.get("paragraph", {})
    text = paragraph_text(paragraph)
    bullet = paragraph.get("bullet")
    if bullet is not None:
        return f"{'  ' * bullet.get('nestingLevel', 0)}{'1.' if counts(bullet, lists) else '-'} {text}"
    level = LEVELS.get(paragraph.get("paragraphStyle", {}).get("namedStyleType", ""), 0)
    return f"{'#' * level} {text}" if level and text.strip() else text


def counts(bullet: Json, lists: Json) -> bool:
    """Whether the list of a bullet is numbered."""
    levels = lists.get(str(bullet.get("listId")), {}).get("listProperties", {}).get("nestingLevels", [{}])
    kind = levels[min(bullet.get("nestingLevel", 0), len(levels) - 1)].get("glyphType", "")
    return str(kind).startswith(GLYPHS)


def table_text(table: Json, lists: Json) -> str:
    """A table, row by row."""
    rows = []
    for row in table.get("tableRows", []):
        cells = [" / ".join(element_text(one, lists) for one in cell["content"]) for cell in row["tableCells"]]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def paragraph_text(paragraph: Json, links: bool = True) -> str:
    """A paragraph's text without its newline: chips by what they say, links with their address."""
    return "".join(run_text(one, links) for one in paragraph.get("elements", [])).rstrip("\n").replace("\v", "\n")


def run_text(run: Json, links: bool = True) -> str:
    """An element of a paragraph as text."""
    if "textRun" in run:
        text = str(run["textRun"].get("content", ""))
        url = run["textRun"].get("textStyle", {}).get("link", {}).get("url") if links else None
        return f"{text} ({url})" if url and url.rstrip("/") != text.strip().rstrip("/") else text
    return chip_text(run)


def chip_text(run: Json) -> str:
    """A chip, image or break as text; empty for what says nothing."""
    if "person" in run:
        known = run["person"].get("personProperties", {})
        name, email = known.get("name"), known.get("email", "")
        return f"{name} <{email}>" if name and name != email else email
    if "dateElement" in run:
        known = run["dateElement"].get("dateElementProperties", {})
        return str(known.get("displayText") or known.get("timestamp", ""))
    if "richLink" in run:
        known = run["richLink"].get("richLinkProperties", {})
        return f"{known.get('title', '')} ({known.get('uri', '')})"
    if "dropdown" in run:
        return str(run["dropdown"].get("dropdownProperties", {}).get("displayValue", ""))
    if "footnoteReference" in run:
        return f"[{run['footnoteReference'].get('footnoteNumber', '')}]"
    names = {"inlineObjectElement": "[image]", "pageBreak": "[page break]", "horizontalRule": "[line]"}
    return next((name for kind, name in names.items() if kind in run), "")


def paragraphs(content: list[Json]) -> Iterator[Json]:
    """The paragraphs of some elements, in order, those in tables too."""
    for element in content:
        if "paragraph" in element:
            yield element
        for row in element.get("table", {}).get("tableRows", []):
            for cell in row["tableCells"]:
                yield from paragraphs(cell["content"])


def tables(content: list[Json]) -> Iterator[Json]:
    """The tables of some elements, in order, those in tables too."""
    for element in content:
        if "table" in element:
            yield element
            for row in element["table"]["tableRows"]:
                for cell in row["tableCells"]:
                    yield from tables(cell["content"])


def part(element: Json, lists: Json, detailed: bool) -> Part:
    """An element of an index map."""
    start, end = element.get("startIndex", 0), element["endIndex"]
    if "paragraph" in element:
        shown = [run_part(run) for run in element["paragraph"]["elements"]] if detailed else []
        text, style = shorten(paragraph_text(element["paragraph"], links=False)), style_of(element["paragraph"], lists)
        return Part(kind="paragraph", start_index=start, end_index=end, style=style, text=text, runs=shown)
    if "table" in element:
        table = element["table"]
        size = f"{table['rows']} rows x {table['columns']} columns"
        text = shorten(table_text(table, lists).replace("\n", " "))
        return Part(kind="table", start_index=start, end_index=end, style=size, text=text)
    return Part(kind="section_break", start_index=start, end_index=end, text="")


def style_of(paragraph: Json, lists: Json) -> str:
    """A paragraph's named style and list in words."""
    style, bullet = paragraph.get("paragraphStyle", {}), paragraph.get("bullet")
    words = [str(style.get("namedStyleType", ""))]
    if "alignment" in style:
        words.append(str(style["alignment"]).lower())
    if bullet is not None:
        kind = "numbered" if counts(bullet, lists) else "bulleted"
        words.append(f"{kind} list, level {bullet.get('nestingLevel', 0)}")
    return ", ".join(words)


def run_part(run: Json) -> RunPart:
    """A run of an index map."""
    style = run.get("textRun", {}).get("textStyle", {})
    words = [name for name in MARKS if style.get(name)]
    if "fontSize" in style:
        words.append(f"{style['fontSize'].get('magnitude', 0):g} pt")
    if "link" in style:
        words.append(f"link {style['link'].get('url', '')}")
    text = shorten(run_text(run, links=False).replace("\n", "⏎"))
    return RunPart(start_index=run.get("startIndex", 0), end_index=run["endIndex"], text=text, style=", ".join(words))


def cells(table: Json) -> list[CellMap]:
    """The cells of a table element."""
    return [
        CellMap(
            row=row_number,
            column=column,
            insert_index=cell["content"][0]["startIndex"],
            end_index=cell["endIndex"] - 1,
            text=shorten(" / ".join(element_text(one, {}) for one in cell["content"])),
        )
        for row_number, row in enumerate(table["table"]["tableRows"])
        for column, cell in enumerate(row["tableCells"])
    ]


def shorten(text: str) -> str:
    """The beginning of a text, with words about the rest."""
    return text if len(text) <= SHORT else f"{text[:SHORT]}… [{len(text):,} characters in all]"


def utf16(text: str) -> int:
    """The UTF-16 units of a text, in which Docs counts."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
