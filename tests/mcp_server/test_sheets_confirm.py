"""What a person is asked before the Sheets tools change anything."""

from typing import Any

import pytest

from core.registry.manifests import load_catalogue
from core.runtime.summaries import summary_of

CATALOGUE = load_catalogue()
BOOK = {"spreadsheet_id": "1abc"}


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        (
            "modify_sheet_values",
            {"range_name": "A5", "values": [["Lamps", 100]]},
            "Write 1 row into the spreadsheet 1abc from A5 on: [['Lamps', 100]]",
        ),
        (
            "modify_sheet_values",
            {"range_name": "A5", "values": '[["Lamps", 100]]'},
            'Write [["Lamps", 100]] into A5 of the spreadsheet 1abc',
        ),
        (
            "modify_sheet_values",
            {"range_name": "A1:B9", "clear_values": True},
            "Clear the values of A1:B9 in the spreadsheet 1abc",
        ),
        (
            "format_sheet_range",
            {"range_name": "A1:F1", "bold": True, "background_color": "#FFEE00", "number_format_type": "PERCENT"},
            "Format A1:F1 of the spreadsheet 1abc, background #FFEE00, numbers as PERCENT, bold",
        ),
        (
            "add_conditional_formatting",
            {"range_name": "B2:B9", "condition_type": "NUMBER_BETWEEN", "condition_values": ["1", "5"]},
            "Colour B2:B9 of the spreadsheet 1abc where NUMBER_BETWEEN 1 and 5",
        ),
        (
            "add_conditional_formatting",
            {"range_name": "B2:B9", "condition_type": "x", "gradient_points": [{}, {}]},
            "Colour B2:B9 of the spreadsheet 1abc by a colour scale",
        ),
        (
            "update_conditional_formatting",
            {"rule_index": 0, "sheet_name": "Jon's Data", "range_name": "B:B"},
            "Change the conditional format 0 of the sheet “Jon's Data” in the spreadsheet 1abc to B:B",
        ),
        ("delete_conditional_formatting", {"rule_index": 2}, "Delete the conditional format 2 in the spreadsheet 1abc"),
        (
            "create_spreadsheet",
            {"title": "Costs", "sheet_names": ["Parts", "Work"]},
            "Create the spreadsheet “Costs” with the sheets Parts, Work",
        ),
        ("create_sheet", {"sheet_name": "Work"}, "Add the sheet “Work” to the spreadsheet 1abc"),
        ("create_spreadsheet_comment", {"comment_content": "Why?"}, "Comment on the spreadsheet 1abc: “Why?”"),
        ("reply_to_spreadsheet_comment", {"reply_content": "So."}, "Reply to a comment in the spreadsheet 1abc: “So.”"),
        ("resolve_spreadsheet_comment", {}, "Mark a comment in the spreadsheet 1abc as resolved"),
    ],
)
def test_a_change_is_asked_for_in_a_plain_sentence(tool: str, arguments: dict[str, Any], sentence: str) -> None:
    assert summary_of(CATALOGUE, tool, {**BOOK, **arguments}) == sentence
