"""The same calls of the Sheets tools have the same effects on the sandbox and on myworld."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.emulators.others import MYWORLD, SAM, myworld
from tests.emulators.pair import Difference, Pair, Scenario, World, named, pair_of

pytestmark = pytest.mark.skipif(MYWORLD is None, reason="myworld is not installed")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("sheets")
    seed = {"user": {"email": SAM, "name": "Sam Okafor"}}
    with myworld({"drive": seed}, folder) as other, pair_of(lambda _: other, ["sheets"], folder) as both:
        yield both


async def book(world: World, *rows: list[Any], sheets: tuple[str, ...] = ("Plan",), **more: Any) -> str:
    """A new spreadsheet with values in its first sheet."""
    made = str((await world("create_spreadsheet", title="Case", sheet_names=list(sheets)))["spreadsheet_id"])
    if rows:
        await world("modify_sheet_values", spreadsheet_id=made, range_name="A1", values=list(rows), **more)
    return made


async def cells(world: World, book_id: str, where: str = "A1:F20") -> object:
    told = await world("read_sheet_values", spreadsheet_id=book_id, range_name=where)
    return told["range"], [row["cells"] for row in told["rows"]]


def raw(world: World, book_id: str, where: str, option: str) -> object:
    """Values as REST tells them."""
    found = world.rest("sheets.spreadsheets.values.get", spreadsheetId=book_id, range=where, valueRenderOption=option)
    return found.get("values")


async def values_as_a_person_types_them(world: World) -> object:
    one = await book(world, ["a", 1, 2.5, True, "007", ""], ["12%", "FALSE", " x ", "-3"])
    return await cells(world, one, "A1:G2")


async def percents_and_truth_values_unformatted(world: World) -> object:
    return raw(world, await book(world, ["12%", True]), "A1:B1", "UNFORMATTED_VALUE")


async def numbers_typed_with_separators_quotes_and_exponents(world: World) -> object:
    one = await book(world, ["1,200", "'5", "1e3"])
    return raw(world, one, "A1:C1", "FORMATTED_VALUE")


async def values_as_they_are(world: World) -> object:
    one = await book(world, ["=1+1", "5", "TRUE"], [7, False], value_input_option="RAW")
    return await cells(world, one, "A1:C2")


async def a_truth_value_as_it_is(world: World) -> object:
    return raw(world, await book(world, [False], value_input_option="RAW"), "A1", "UNFORMATTED_VALUE")


async def sums_and_means(world: World) -> object:
    formulas = ["=SUM(A1:A3)", "=AVERAGE(A1:A3)", "=MIN(A1:A3)", "=MAX(A1:A3)", "=COUNT(A1:A4)"]
    one = await book(world, [1], [2], [6], ["x"], formulas, ["=A1+A2*A3", "=(A1+A2)*A3", "=-A3/A2"])
    return await cells(world, one), raw(world, one, "A5:E6", "FORMULA")


async def a_power(world: World) -> object:
    return raw(world, await book(world, ["=6^2"]), "A1", "FORMATTED_VALUE")


async def a_formula_follows_what_it_reads(world: World) -> object:
    one = await book(world, [1, "=A1*2", "=B1+1"])
    before = await cells(world, one)
    await world("modify_sheet_values", spreadsheet_id=one, range_name="A1", values=[[10]])
    return before, await cells(world, one)


async def errors_in_cells(world: World) -> object:
    one = await book(world, ["=1/0", "=NOSUCH(1)", "=A9+1"])
    return (await cells(world, one))[1]  # type: ignore[index]


async def quoted_names(world: World) -> object:
    one = await book(world, sheets=("Plan", "Tom's list", "Q3 2026", "Übersicht"))
    for number, name in enumerate(("Tom's list", "Q3 2026", "Übersicht")):
        where = f"'{name.replace(chr(39), chr(39) * 2)}'!B{number + 1}"
        await world("modify_sheet_values", spreadsheet_id=one, range_name=where, values=[[name]])
    return [await cells(world, one, where) for where in ("'Tom''s list'!A1:B3", "'Q3 2026'!B2", "Übersicht")]


async def a_formula_over_a_quoted_name(world: World) -> object:
    one = await book(world, ["='Tom''s list'!B1"], sheets=("Plan", "Tom's list"))
    await world("modify_sheet_values", spreadsheet_id=one, range_name="'Tom''s list'!B1", values=[[7]])
    return raw(world, one, "Plan!A1", "FORMATTED_VALUE")


async def whole_columns_and_rows(world: World) -> object:
    one = await book(world, [1, 2, 3], [4, 5, 6])
    return [raw(world, one, where, "FORMATTED_VALUE") for where in ("Plan!B:B", "Plan!2:2", "Plan!B2:C", "Plan", "b1")]


async def empty_ends_are_left_out(world: World) -> object:
    one = await book(world, ["a", "", "c", "", ""], ["", ""], ["z"])
    return raw(world, one, "A1:F9", "FORMATTED_VALUE"), raw(world, one, "D5:E6", "FORMATTED_VALUE")


async def a_null_leaves_a_cell(world: World) -> object:
    one = await book(world, ["a", "b", "c"])
    await world("modify_sheet_values", spreadsheet_id=one, range_name="A1", values=[["x", None, ""]])
    return await cells(world, one)


async def a_cleared_range(world: World) -> object:
    one = await book(world, [1, 2], [3, "=A1+B1"])
    told = await world("modify_sheet_values", spreadsheet_id=one, range_name="A1:B1", clear_values=True)
    return told["range"], await cells(world, one)


async def a_new_sheet(world: World) -> object:
    one = await book(world)
    await world("create_sheet", spreadsheet_id=one, sheet_name="Second")
    told = await world("get_spreadsheet_info", spreadsheet_id=one)
    return [(sheet["title"], sheet["rows"], sheet["columns"]) for sheet in told["sheets"]]


async def a_sheet_of_the_same_name(world: World) -> object:
    change = {"addSheet": {"properties": {"title": "Plan"}}}
    with pytest.raises(Exception) as caught:
        world.rest("sheets.spreadsheets.batchUpdate", spreadsheetId=await book(world), body={"requests": [change]})
    return str(caught.value)


async def ranges_that_are_none(world: World) -> object:
    one = await book(world, [1])
    return [
        await world.outcome("read_sheet_values", spreadsheet_id=one, range_name=where)
        for where in ("Nowhere!A1", "A1:B2:C3", "'Plan!A1")
    ]


async def a_range_that_is_none_past_the_tools(world: World) -> object:
    one, said = await book(world), []
    for where in ("Nowhere!A1", "A1:B2:C3"):
        with pytest.raises(Exception) as caught:
            raw(world, one, where, "FORMATTED_VALUE")
        said.append(str(caught.value))
    return said


async def more_values_than_the_range_holds(world: World) -> object:
    one = await book(world)
    with pytest.raises(Exception) as caught:
        world.rest(
            "sheets.spreadsheets.values.update",
            spreadsheetId=one,
            range="Plan!A1:B1",
            valueInputOption="RAW",
            body={"values": [[1, 2, 3]]},
        )
    return str(caught.value)


async def what_a_write_tells(world: World) -> object:
    one = await book(world)
    told = world.rest(
        "sheets.spreadsheets.values.update",
        spreadsheetId=one,
        range="A1",
        valueInputOption="USER_ENTERED",
        includeValuesInResponse=True,
        body={"values": [[1, "=A1*3"], [2]]},
    )
    return {key: value for key, value in told.items() if key != "spreadsheetId"}


async def a_spreadsheet_that_does_not_exist(world: World) -> object:
    return await world.outcome("read_sheet_values", spreadsheet_id="nothing")


SAME = [
    values_as_a_person_types_them,
    values_as_they_are,
    sums_and_means,
    a_formula_follows_what_it_reads,
    errors_in_cells,
    quoted_names,
    whole_columns_and_rows,
    empty_ends_are_left_out,
    a_null_leaves_a_cell,
    a_cleared_range,
    a_new_sheet,
    a_sheet_of_the_same_name,
    ranges_that_are_none,
    a_range_that_is_none_past_the_tools,
    more_values_than_the_range_holds,
    what_a_write_tells,
    a_spreadsheet_that_does_not_exist,
]
DIFFERENT = [
    Difference(
        "Sheets: numbers as a person types them",
        numbers_typed_with_separators_quotes_and_exponents,
        [["1,200", "5", "1.00E+03"]],
        [["1200", "'5", "1e3"]],
    ),
    Difference(
        "Sheets: percents and truth values unformatted",
        percents_and_truth_values_unformatted,
        [[0.12, True]],
        [["12%", "TRUE"]],
    ),
    Difference("Sheets: a truth value written RAW", a_truth_value_as_it_is, [[False]], [["FALSE"]]),
    Difference("Sheets: the operator ^", a_power, [["36"]], [["#ERROR!"]]),
    Difference(
        "Sheets: a formula over a sheet with an apostrophe", a_formula_over_a_quoted_name, [["7"]], [["#ERROR!"]]
    ),
]


@pytest.mark.parametrize("scenario", SAME, ids=named)
async def test_the_same_calls_have_the_same_effects(pair: Pair, scenario: Scenario) -> None:
    ours, theirs = await pair.seen(scenario)
    assert ours == theirs


@pytest.mark.parametrize("difference", DIFFERENT, ids=named)
async def test_where_they_differ_it_is_known(pair: Pair, difference: Difference) -> None:
    assert await pair.seen(difference.scenario) == (difference.ours, difference.theirs)
