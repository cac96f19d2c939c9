"""Cells for a model: rows with their numbers, failed formulas explained, links, and values that a model sends."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from core.a1 import column_letters
from core.mcp_server.desk import BadArgument
from core.mcp_server.results_sheets import CellError, CellLink, SheetRow
from core.mcp_server.shaping.text import cut

Json = dict[str, Any]
SHORTEST, LONGEST = 200, 2000
"""Characters shown at least and at most of a cell among others."""
MOST = 50_000
"""Cells written in one call."""
FAILURES = ("#DIV/0!", "#REF!", "#NAME?", "#VALUE!", "#N/A", "#NUM!", "#NULL!", "#ERROR!")
NOTE_FIELDS = (
    "sheets.data(startRow,startColumn,rowData.values(formattedValue,hyperlink,effectiveValue.errorValue,"
    "userEnteredValue.formulaValue,textFormatRuns.format.link,chipRuns.chip.richLinkProperties))"
)


def rows(values: Sequence[Sequence[Any]], top: int, limit: int = LONGEST) -> list[SheetRow]:
    """Rows with their numbers, without those that say nothing.

    Args:
        top: number of the first row, counted from 0.
        limit: characters of one cell.
    """
    rest = "Read this cell alone for more."
    kept = [(top + at + 1, [cut(str(value), limit, rest=rest) for value in row]) for at, row in enumerate(values)]
    return [SheetRow(row=number, cells=texts) for number, texts in kept if any(texts)]


def cell_limit(values: Sequence[Sequence[Any]], limit: int, alone: bool) -> int:
    """Characters shown of each cell, so that the widest row fits into a result.

    Args:
        limit: characters of a result.
        alone: whether only one cell was asked for.
    """
    widest = max((sum(value != "" for value in row) for row in values), default=1)
    return limit if alone else min(LONGEST, max(SHORTEST, limit // max(widest, 1)))


def weight(row: SheetRow) -> int:
    """Characters that a row takes in a result, roughly."""
    return 20 + sum(len(text) + 3 for text in row.cells)


def looks_failed(text: str) -> bool:
    """Whether a shown value is that of a failed formula."""
    return text in FAILURES


def each(data: Json) -> Iterator[tuple[str, Json]]:
    """The cells of a GridData, with their names."""
    top, left = data.get("startRow", 0), data.get("startColumn", 0)
    for down, row in enumerate(data.get("rowData", [])):
        for across, cell in enumerate(row.get("values", [])):
            yield f"{column_letters(left + across + 1)}{top + down + 1}", cell


def errors(data: Json) -> list[CellError]:
    """The failed formulas of a GridData."""
    return [
        CellError(
            cell=name,
            shown=cell.get("formattedValue", ""),
            formula=cell.get("userEnteredValue", {}).get("formulaValue"),
            reason=cell["effectiveValue"]["errorValue"].get("message") or cell["effectiveValue"]["errorValue"]["type"],
        )
        for name, cell in each(data)
        if "errorValue" in cell.get("effectiveValue", {})
    ]


def links(data: Json) -> list[CellLink]:
    """Where the cells of a GridData lead."""
    return [
        CellLink(cell=name, text=cell.get("formattedValue", ""), url=url)
        for name, cell in each(data)
        for url in dict.fromkeys(urls(cell))
    ]


def urls(cell: Json) -> Iterator[str]:
    """The addresses of a cell: its own, those of parts of its text, those of chips."""
    if cell.get("hyperlink"):
        yield str(cell["hyperlink"])
    for run in cell.get("textFormatRuns", []):
        if run.get("format", {}).get("link", {}).get("uri"):
            yield str(run["format"]["link"]["uri"])
    for run in cell.get("chipRuns", []):
        if run.get("chip", {}).get("richLinkProperties", {}).get("uri"):
            yield str(run["chip"]["richLinkProperties"]["uri"])


def table(values: list[Any] | str) -> list[list[Any]]:
    """Rows of plain values, from a list of rows or the same as JSON; one row may stand alone.

    Raises:
        BadArgument: they are something else, or too many.
    """
    found: Any = values
    if isinstance(values, str):
        try:
            found = json.loads(values)
        except ValueError as error:
            raise BadArgument("values", 'must be rows such as [["a", 1], ["b", 2]]') from error
    if isinstance(found, list) and found and not any(isinstance(row, list) for row in found):
        found = [found]
    plain = (str, int, float, bool, type(None))
    if not isinstance(found, list) or not found or not all(isinstance(row, list) for row in found):
        raise BadArgument("values", 'must be rows such as [["a", 1], ["b", 2]]')
    if not all(isinstance(value, plain) for row in found for value in row):
        raise BadArgument("values", "a cell is text, a number, true, false or null (null leaves it as it is)")
    if sum(map(len, found)) > MOST:
        raise BadArgument("values", f"at most {MOST:,} cells a call; write the rest with a second one")
    return found
