"""spreadsheets.values: the cells' values alone."""

from datetime import date
from typing import Any

from core.a1 import shown
from core.sandbox.calls import Call
from core.sandbox.routes import Route
from core.sandbox.sheets.access import changing, opened, spot
from core.sandbox.sheets.bodies import asked
from core.sandbox.sheets.book import Book
from core.sandbox.sheets.reader import Reader
from core.sandbox.sheets.reading import RENDERINGS, choice, dimension, value_range
from core.sandbox.sheets.regions import table_in
from core.sandbox.sheets.writing import Written, emptied, fill, rows_of, typed, write

Json = dict[str, Any]
VALUES = "/v4/spreadsheets/{id}/values"


def get_values(call: Call) -> Json:
    """values.get."""
    with call.world.session() as session:
        _, book = opened(session, call)
    return value_range(book, call.params["range"], **rendering(call))


def batch_get(call: Call) -> Json:
    """values.batchGet."""
    with call.world.session() as session:
        file, book = opened(session, call)
    found = [value_range(book, text, **rendering(call)) for text in call.args("ranges")]
    return {"spreadsheetId": file.id, "valueRanges": found}


def rendering(call: Call) -> dict[str, str]:
    """How a call wants its values."""
    dates = call.arg("dateTimeRenderOption", "SERIAL_NUMBER")
    return {
        "render": choice(call.arg("valueRenderOption"), RENDERINGS, "value_render_option", RENDERINGS[0]),
        "dates": choice(dates, ("SERIAL_NUMBER", "FORMATTED_STRING"), "date_time_render_option", ""),
        "dimension": dimension(call.arg("majorDimension")),
    }


def update_values(call: Call) -> Json:
    """values.update."""
    body = asked(call, "ValueRange")
    with changing(call) as (_, file, book):
        written = write(book, call.params["range"], body, typed(call.arg("valueInputOption")), today(call))
        return {"spreadsheetId": file.id, **told(book, written, body | response_wishes(call))}


def batch_update(call: Call) -> Json:
    """values.batchUpdate."""
    body = asked(call, "BatchUpdateValuesRequest")
    with changing(call) as (_, file, book):
        how, ranges = typed(str(body.get("valueInputOption") or "")), body.get("data") or []
        written = [write(book, str(item.get("range") or ""), item, how, today(call)) for item in ranges]
        told_of = [{"spreadsheetId": file.id, **told(book, one, body)} for one in written]
    totals = {
        f"totalUpdated{name}": sum(one[f"updated{name}"] for one in told_of) for name in ("Rows", "Columns", "Cells")
    }
    sheets = len({one.sheet.id for one in written})
    return {"spreadsheetId": file.id, **totals, "totalUpdatedSheets": sheets, "responses": told_of}


def append_values(call: Call) -> Json:
    """values.append: below the table that a range finds."""
    body = asked(call, "ValueRange")
    with changing(call) as (_, file, book):
        sheet, area = spot(book, call.params["range"])
        how, values = typed(call.arg("valueInputOption")), rows_of(body)
        table = table_in(Reader.of(book, sheet), area)
        top, left = (table.bottom or 0, table.left) if table else (area.top, area.left)
        if table and call.arg("insertDataOption") == "INSERT_ROWS" and top < sheet.rows and values:
            book.engine.insert_rows(book.place(sheet), top + 1, len(values))
            sheet.rows += len(values)
        width = max((len(row) for row in values), default=0)
        sheet.rows, sheet.columns = max(sheet.rows, top + len(values)), max(sheet.columns, left + width)
        written = fill(book, sheet, top, left, values, how, today(call))
        answer: Json = {"spreadsheetId": file.id}
        if table:
            answer["tableRange"] = shown(sheet.title, table)
        return {**answer, "updates": {"spreadsheetId": file.id, **told(book, written, response_wishes(call))}}


def clear_values(call: Call) -> Json:
    """values.clear."""
    with changing(call) as (_, file, book):
        return {"spreadsheetId": file.id, "clearedRange": emptied(book, call.params["range"])}


def batch_clear(call: Call) -> Json:
    """values.batchClear."""
    with changing(call) as (_, file, book):
        cleared = [emptied(book, str(text)) for text in asked(call, "BatchClearValuesRequest").get("ranges") or []]
        return {"spreadsheetId": file.id, "clearedRanges": cleared}


def response_wishes(call: Call) -> Json:
    """What a call wants to hear of the values that it wrote."""
    names = ("includeValuesInResponse", "responseValueRenderOption", "responseDateTimeRenderOption")
    wishes: Json = {name: call.arg(name) for name in names if call.arg(name)}
    return {**wishes, "includeValuesInResponse": call.flag("includeValuesInResponse")}


def told(book: Book, written: Written, wishes: Json) -> Json:
    """What an UpdateValuesResponse says."""
    area, name = written.area, shown(written.sheet.title, written.area)
    answer: Json = {
        "updatedRange": name,
        "updatedRows": (area.bottom or 0) - area.top,
        "updatedColumns": (area.right or 0) - area.left,
        "updatedCells": written.cells,
    }
    if wishes.get("includeValuesInResponse"):
        render = choice(str(wishes.get("responseValueRenderOption") or ""), RENDERINGS, "render", RENDERINGS[0])
        dates = str(wishes.get("responseDateTimeRenderOption") or "SERIAL_NUMBER")
        answer["updatedData"] = value_range(
            book, name, render, dates, dimension(str(wishes.get("majorDimension") or ""))
        )
    return answer


def today(call: Call) -> date:
    """The day, for dates that are typed without a year."""
    return call.now().date()


ROUTES = (
    Route("GET", f"{VALUES}:batchGet", batch_get),
    Route("POST", f"{VALUES}:batchUpdate", batch_update),
    Route("POST", f"{VALUES}:batchClear", batch_clear),
    Route("POST", f"{VALUES}/{{range}}:append", append_values),
    Route("POST", f"{VALUES}/{{range}}:clear", clear_values),
    Route("GET", f"{VALUES}/{{range}}", get_values),
    Route("PUT", f"{VALUES}/{{range}}", update_values),
)
