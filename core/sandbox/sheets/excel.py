"""Workbooks of Excel's, looked at before the calculation engine reads them: what is in them comes from anywhere."""

from collections.abc import Iterator
from io import BytesIO
from zipfile import BadZipFile, ZipFile

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import ParseError, iterparse

from core.sandbox.sheets.formulas import bearable

FORMULAS = frozenset({"f", "formula", "formula1", "formula2", "definedName", "calculatedColumnFormula"})
"""Elements that hold formulas: of cells, rules, validations, names and tables."""
MOST_BYTES = 200_000_000
"""Of a workbook that is unpacked."""


def readable(data: bytes) -> bool:
    """Whether the engine can be given a workbook: one deep formula would break down the whole process."""
    try:
        with ZipFile(BytesIO(data)) as book:
            if sum(part.file_size for part in book.infolist()) > MOST_BYTES:
                return False
            return all(map(bearable, formulas(book)))
    except (BadZipFile, ParseError, DefusedXmlException, EOFError, NotImplementedError, RuntimeError):
        return False


def formulas(book: ZipFile) -> Iterator[str]:
    """The formulas of a workbook, wherever they stand.

    Raises:
        ParseError, DefusedXmlException: a part is not XML, or XML that is made to do harm.
    """
    for part in book.namelist():
        if part.startswith("xl/") and part.endswith(".xml"):
            with book.open(part) as file:
                for _, element in iterparse(file):
                    if element.tag.rpartition("}")[2] in FORMULAS and element.text:
                        yield element.text
                    element.clear()
