"""Spreadsheets as files of Drive: made, copied, exported, imported; and the seed."""

from collections.abc import Iterator
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import openpyxl
import pytest
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaInMemoryUpload
from openpyxl.formatting.rule import FormulaRule
from pypdf import PdfReader

from core.sandbox import sheets as api
from core.sandbox.drive.kinds import SPREADSHEET, XLSX
from core.sandbox.drive.shelf import seed_id
from core.sandbox.sandbox import Sandbox
from core.users import SANDBOX_ACCOUNT
from tests.sandbox.sheets_world import Sheets, world


@pytest.fixture(scope="module")
def sandbox(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with world(seeded, tmp_path_factory.mktemp("sheets")) as made:
        yield made


@pytest.fixture(scope="module")
def sheets(sandbox: Sandbox) -> Sheets:
    return Sheets(sandbox)


@pytest.fixture(scope="module")
def files(sandbox: Sandbox) -> Any:
    http = sandbox.http(SANDBOX_ACCOUNT)
    return build("drive", "v3", http=http, cache_discovery=False, static_discovery=True).files()


def test_a_new_spreadsheet_is_a_file_with_its_name(sheets: Sheets, files: Any) -> None:
    book = sheets.new()
    assert files.get(fileId=book, fields="name,mimeType").execute() == {"name": "Test", "mimeType": SPREADSHEET}
    rename = {"updateSpreadsheetProperties": {"properties": {"title": "Renamed"}, "fields": "title"}}
    sheets.change(book, rename)
    assert files.get(fileId=book, fields="name").execute() == {"name": "Renamed"}
    files.update(fileId=book, body={"name": "Again"}).execute()
    assert sheets.get(book)["properties"]["title"] == "Again"


def test_a_spreadsheet_is_found_by_what_it_holds(sheets: Sheets, files: Any) -> None:
    book = sheets.new()
    sheets.write(book, "A1", [["quokka"]])
    found = files.list(q="fullText contains 'quokka'", fields="files(id)").execute()
    assert found == {"files": [{"id": book}]}


def test_a_file_made_by_drive_is_an_empty_spreadsheet_and_a_copy_holds_the_same(sheets: Sheets, files: Any) -> None:
    made = files.create(body={"name": "By Drive", "mimeType": SPREADSHEET}, fields="id").execute()["id"]
    sheets.write(made, "A1:B1", [[2, "=A1*2"]])
    copied = files.copy(fileId=made, body={"name": "Copy"}, fields="id").execute()["id"]
    sheets.write(made, "A1", [[5]])
    assert (sheets.read(made, "B1"), sheets.read(copied, "B1")) == ([["10"]], [["4"]])


def test_exports_hold_what_is_shown(files: Any) -> None:
    book = seed_id("q3-numbers")

    def export(kind: str) -> bytes:
        return bytes(files.export(fileId=book, mimeType=kind).execute())

    assert (
        export("text/csv").decode().splitlines()[1] == 'Revenue,"128,400","131,900","151,700","412,000","400,000",3.0%'
    )
    assert export("text/tab-separated-values").decode().splitlines()[1].split("\t")[4] == "412,000"
    excel = openpyxl.load_workbook(BytesIO(export(XLSX)))
    assert excel.sheetnames == ["Quarter", "Units"] and excel["Quarter"]["E2"].value == "=SUM(B2:D2)"
    assert "412,000" in PdfReader(BytesIO(export("application/pdf"))).pages[0].extract_text()


def test_imports_become_spreadsheets(sheets: Sheets, files: Any) -> None:
    excel, out = openpyxl.Workbook(), BytesIO()
    excel.active.title = "Jon's Data"
    excel.active.append([2, "=A1*3"])
    excel.save(out)
    body = {"name": "Imported", "mimeType": SPREADSHEET}
    sources = {"text/csv": b"Item,Price\nLamp,$12.50\n", XLSX: out.getvalue()}
    csv, book = (
        files.create(body=body, media_body=MediaInMemoryUpload(data, kind), fields="id").execute()["id"]
        for kind, data in sources.items()
    )
    assert sheets.read(csv, "A1:B2", valueRenderOption="UNFORMATTED_VALUE") == [["Item", "Price"], ["Lamp", 12.5]]
    assert sheets.read(book, "Jon's Data") == [["2", "6"]]


def test_the_seed_moves_with_the_days_and_leaves_what_was_changed(sandbox: Sandbox, sheets: Sheets) -> None:
    invoices, offsite = seed_id("invoices-2026"), seed_id("offsite-planning")
    assert sheets.read(invoices, "E2") == [["2026-11-20"]]
    sheets.write(offsite, "'Who comes'!B2", [["yes"]])
    before = sheets.get(offsite, "Dates!B2:C2", fields="sheets.data.rowData.values.formattedValue")
    api.seed(sandbox.world, date(2026, 11, 26))
    assert sheets.read(invoices, "E2") == [["2026-11-27"]]
    assert sheets.read(offsite, "'Who comes'!B2") == [["yes"]]
    assert sheets.get(offsite, "Dates!B2:C2", fields="sheets.data.rowData.values.formattedValue") == before


def test_the_seed_tells_one_story(sheets: Sheets) -> None:
    assert sheets.read(seed_id("q3-numbers"), "E2:E5") == [["412,000"], ["243,080"], ["168,920"], ["41.0%"]]
    assert sheets.read(seed_id("invoices-2026"), "A2:D2")[0][::3] == ["2041", "€4,860.00"]
    budget = sheets.get(seed_id("budget-2026"), "Product!D2:D4", fields="sheets.data.rowData.values.formattedValue")
    shown = [row["values"][0]["formattedValue"] for row in budget["sheets"][0]["data"][0]["rowData"]]
    assert shown == ["22,500", "15,800", "4,100"]
    assert sheets.read(seed_id("northgrid-measurements"), "'By step'!A3:D3") == [["50", "500", "97.9%", "100"]]


def cell(formula: str) -> bytes:
    """A workbook with one formula in a cell."""
    excel, out = openpyxl.Workbook(), BytesIO()
    excel.active["A1"] = formula
    excel.save(out)
    return out.getvalue()


def rule(formula: str) -> bytes:
    """A workbook whose rule for colours has a formula."""
    excel, out = openpyxl.Workbook(), BytesIO()
    excel.active.conditional_formatting.add("A1:A9", FormulaRule(formula=[formula.removeprefix("=")]))
    excel.save(out)
    return out.getvalue()


def unpacks_to_much(_: str) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as book:
        book.writestr("xl/workbook.xml", b" " * 201_000_000)
    return out.getvalue()


@pytest.mark.parametrize("made", [cell, rule, unpacks_to_much, lambda _: b"PK no workbook"])
def test_a_workbook_that_would_break_the_engine_is_refused_and_the_process_lives(files: Any, made: Any) -> None:
    deep = f"={'(' * 5_000}1{')' * 5_000}"
    body = {"name": "Deep", "mimeType": SPREADSHEET}
    with pytest.raises(HttpError) as refused:
        files.create(body=body, media_body=MediaInMemoryUpload(made(deep), XLSX), fields="id").execute()
    assert refused.value.resp.status == 400
    assert files.list(q="name = 'Deep'", fields="files(id)").execute() == {"files": []}
