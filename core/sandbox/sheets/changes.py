"""The requests of spreadsheets.batchUpdate: which there are, and those about whole sheets."""

from collections.abc import Callable, Mapping
from typing import Any

from ironcalc import WorkbookError

from core.sandbox.calls import ApiError
from core.sandbox.fields import Mask
from core.sandbox.sheets import dimensions, gridwork, rules
from core.sandbox.sheets.book import COLUMNS, ROWS, Sheet
from core.sandbox.sheets.cells import merged, read_mask
from core.sandbox.sheets.resource import properties
from core.sandbox.sheets.work import Json, Refused, Work

Request = Callable[[Work, Json], Json]
OWN = ("sheetId", "title", "index", "sheetType")
"""SheetProperties that are kept by themselves."""
LONGEST_TITLE = 100


def apply(work: Work, number: int, request: Any) -> Json:
    """Do one request; returns its reply.

    Raises:
        ApiError: 400, as Google says it.
    """
    if not isinstance(request, Mapping) or not request:
        raise ApiError(400, "badRequest", f"Invalid requests[{number}]: No request set.")
    kind, *others = request
    if kind not in REQUESTS or others:
        wrong = next(name for name in request if name not in REQUESTS or others)
        message = f"Invalid JSON payload received. Unknown name \"{wrong}\" at 'requests[{number}]': Cannot find field."
        if wrong in REQUESTS:
            message = (
                f"Invalid value at 'requests[{number}]': oneof field 'kind' is already set. Cannot set '{others[0]}'"
            )
        raise ApiError(400, "badRequest", message)
    try:
        return REQUESTS[kind](work, request[kind] or {})
    except (Refused, WorkbookError, OverflowError, AttributeError, TypeError, ValueError) as error:
        raise ApiError(400, "badRequest", f"Invalid requests[{number}].{kind}: {error}") from error


def add_sheet(work: Work, body: Json) -> Json:
    """addSheet."""
    wanted = body.get("properties") or {}
    title = str(wanted.get("title") or free_title(work))
    check_title(work, title, None)
    sheet_id = wanted.get("sheetId")
    if sheet_id is not None and any(sheet.id == sheet_id for sheet in work.book.sheets):
        raise Refused(f"Cannot create a sheet with id {sheet_id}: it exists already.")
    sheet = work.book.add(title, sheet_id)
    grid = wanted.get("gridProperties") or {}
    sheet.rows, sheet.columns = int(grid.get("rowCount") or ROWS), int(grid.get("columnCount") or COLUMNS)
    set_properties(sheet, wanted, {name: {} for name in wanted})
    if wanted.get("index") is not None:
        move(work, sheet, int(wanted["index"]))
    return {"addSheet": {"properties": properties(work.book, sheet)}}


def delete_sheet(work: Work, body: Json) -> Json:
    """deleteSheet."""
    sheet = work.sheet(body.get("sheetId"))
    if len(work.book.sheets) == 1:
        raise Refused("You can't remove all the sheets in a document.")
    work.book.remove(sheet)
    return {}


def duplicate_sheet(work: Work, body: Json) -> Json:
    """duplicateSheet."""
    sheet = work.sheet(body.get("sourceSheetId"))
    title = str(body.get("newSheetName") or copy_title(work, sheet))
    check_title(work, title, None)
    taken = {known.id for known in work.book.sheets}
    sheet_id = body.get("newSheetId") or next(number for number in range(1_000_000_001, 2**31) if number not in taken)
    if sheet_id in taken:
        raise Refused(f"Cannot create a sheet with id {sheet_id}: it exists already.")
    position = int(body.get("insertSheetIndex") or 0)
    copied = work.book.duplicate(sheet, title, int(sheet_id), position)
    return {"duplicateSheet": {"properties": properties(work.book, copied)}}


def update_sheet(work: Work, body: Json) -> Json:
    """updateSheetProperties."""
    wanted = body.get("properties") or {}
    sheet, mask = work.sheet(wanted.get("sheetId")), read_mask(body.get("fields"), "updateSheetProperties")
    mask = {name: {} for name in wanted} if "*" in mask else mask
    if "title" in mask:
        check_title(work, str(wanted.get("title") or ""), sheet)
        work.book.rename(sheet, str(wanted["title"]))
    if "index" in mask:
        move(work, sheet, int(wanted.get("index") or 0))
    resize(work, sheet, wanted.get("gridProperties") or {}, mask.get("gridProperties"))
    set_properties(sheet, wanted, mask)
    return {}


def resize(work: Work, sheet: Sheet, grid: Json, mask: Mask | None) -> None:
    """Give a sheet another number of rows and columns."""
    if mask is None:
        return
    for name, axis in (("rowCount", "ROWS"), ("columnCount", "COLUMNS")):
        if name not in grid or (mask and name not in mask):
            continue
        now, wanted = dimensions.length(sheet, dimensions.axis_of({"dimension": axis})), int(grid[name])
        where = {"sheetId": sheet.id, "dimension": axis}
        if wanted < now:
            dimensions.delete_dimension(work, {"range": {**where, "startIndex": wanted, "endIndex": now}})
        else:
            dimensions.append_dimension(work, {**where, "length": wanted - now})


def set_properties(sheet: Sheet, wanted: Mapping[str, Any], mask: Mask) -> None:
    """Take over the SheetProperties that are only kept, such as colour and frozen rows."""
    rest = {name: inner for name, inner in mask.items() if name not in OWN}
    if not rest:
        return
    more = merged(sheet.more, wanted, rest)
    grid = {
        name: value for name, value in more.get("gridProperties", {}).items() if name not in ("rowCount", "columnCount")
    }
    if "columnMetadata" in sheet.more:
        more["columnMetadata"] = sheet.more["columnMetadata"]
    sheet.more = {**{name: value for name, value in more.items() if name != "gridProperties"}}
    if grid:
        sheet.more["gridProperties"] = grid


def move(work: Work, sheet: Sheet, index: int) -> None:
    """Put a sheet at another place in the order."""
    work.book.sheets.remove(sheet)
    work.book.sheets.insert(index, sheet)


def update_spreadsheet(work: Work, body: Json) -> Json:
    """updateSpreadsheetProperties."""
    wanted, mask = body.get("properties") or {}, read_mask(body.get("fields"), "updateSpreadsheetProperties")
    if ("title" in mask or "*" in mask) and wanted.get("title"):
        work.file.name = str(wanted["title"])
    if ("locale" in mask or "*" in mask) and wanted.get("locale"):
        work.book.locale = str(wanted["locale"])
    if ("timeZone" in mask or "*" in mask) and wanted.get("timeZone"):
        work.book.zone = str(wanted["timeZone"])
        work.book.tell_time("")
        work.book.engine.evaluate()
    return {}


def check_title(work: Work, title: str, own: Sheet | None) -> None:
    """A title is there, not too long, and no other sheet's.

    Raises:
        Refused: it is not so.
    """
    if not title or len(title) > LONGEST_TITLE:
        raise Refused(f"Sheet names must have 1 to {LONGEST_TITLE} characters.")
    if any(sheet.title.casefold() == title.casefold() for sheet in work.book.sheets if sheet is not own):
        raise Refused(f'A sheet with the name "{title}" already exists. Please enter another name.')


def free_title(work: Work) -> str:
    """A title for a sheet that has none."""
    taken = {title.casefold() for title in work.book.titles()}
    return next(title for number in range(1, 10_000) if (title := f"Sheet{number}").casefold() not in taken)


def copy_title(work: Work, sheet: Sheet) -> str:
    """A title for a copy."""
    taken, first = set(work.book.titles()), f"Copy of {sheet.title}"
    return next(t for n in range(1, 10_000) if (t := first if n == 1 else f"{first} {n}") not in taken)


REQUESTS: dict[str, Request] = {
    "repeatCell": gridwork.repeat_cell,
    "updateCells": gridwork.update_cells,
    "appendCells": gridwork.append_cells,
    "findReplace": gridwork.find_replace,
    "sortRange": gridwork.sort_range,
    "mergeCells": gridwork.merge_cells,
    "unmergeCells": gridwork.unmerge_cells,
    "addSheet": add_sheet,
    "deleteSheet": delete_sheet,
    "duplicateSheet": duplicate_sheet,
    "updateSheetProperties": update_sheet,
    "updateSpreadsheetProperties": update_spreadsheet,
    "insertDimension": dimensions.insert_dimension,
    "appendDimension": dimensions.append_dimension,
    "deleteDimension": dimensions.delete_dimension,
    "updateDimensionProperties": dimensions.update_properties,
    "autoResizeDimensions": dimensions.auto_resize,
    "addConditionalFormatRule": rules.add_rule,
    "updateConditionalFormatRule": rules.update_rule,
    "deleteConditionalFormatRule": rules.delete_rule,
}
"""What a request may be."""
