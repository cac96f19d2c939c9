"""What people ask of their files every day, and the call that it must become, once what it names was found."""

import pytest

from tests.agents.offline_desk import brain
from tests.agents.offline_files import Drawer

GOOGLE = "application/vnd.google-apps."

DRIVE = [
    (
        "find the budget sheet",
        "search_drive_files",
        {"query": f"name contains 'budget' and mimeType = '{GOOGLE}spreadsheet' and trashed = false"},
    ),
    ("where is the contract", "search_drive_files", {"query": "name contains 'contract' and trashed = false"}),
    ("search for the roadmap in drive", "search_drive_files", {"query": "name contains 'roadmap' and trashed = false"}),
    ("find files about flicker", "search_drive_files", {"query": "flicker"}),
    ("search my drive for batteries", "search_drive_files", {"query": "batteries"}),
    ("what's in my Drive", "list_drive_items", {}),
    ("show my drive", "list_drive_items", {}),
    ("show files in the Finance folder", "list_drive_items", {"folder_id": "folder-finance"}),
    ("what is in the Finance folder", "list_drive_items", {"folder_id": "folder-finance"}),
    ("what files are in the Finance folder?", "list_drive_items", {"folder_id": "folder-finance"}),
    ("open the Finance folder", "list_drive_items", {"folder_id": "folder-finance"}),
    (
        "recent files",
        "search_drive_files",
        {"query": "mimeType != 'application/vnd.google-apps.folder' and trashed = false"},
    ),
    (
        "show me my latest files",
        "search_drive_files",
        {"query": "mimeType != 'application/vnd.google-apps.folder' and trashed = false"},
    ),
    (
        "which documents do I have",
        "search_drive_files",
        {"query": "mimeType = 'application/vnd.google-apps.document' and trashed = false"},
    ),
    (
        "my presentations",
        "search_drive_files",
        {"query": "mimeType = 'application/vnd.google-apps.presentation' and trashed = false"},
    ),
    ("which PDFs do I have", "search_drive_files", {"query": "mimeType = 'application/pdf' and trashed = false"}),
    ("which files are shared with me", "search_drive_files", {"query": "sharedWithMe = true and trashed = false"}),
    ("show my starred files", "search_drive_files", {"query": "starred = true and trashed = false"}),
    ("what's in the trash", "search_drive_files", {"query": "trashed = true"}),
    ("open the roadmap", "get_drive_file_content", {"file_id": "doc-roadmap"}),
    ("what does the contract say", "get_drive_file_content", {"file_id": "pdf-contract"}),
    ("read the contract pdf", "get_drive_file_content", {"file_id": "pdf-contract"}),
    ("who can see the roadmap", "get_drive_file_permissions", {"file_id": "doc-roadmap"}),
    ("who has access to the budget?", "get_drive_file_permissions", {"file_id": "sheet-budget"}),
    ("who is the roadmap shared with", "get_drive_file_permissions", {"file_id": "doc-roadmap"}),
    ("is the roadmap shared", "get_drive_file_permissions", {"file_id": "doc-roadmap"}),
    ("is the budget public", "check_drive_file_public_access", {"file_name": "Budget 2026"}),
    ("can anyone open the roadmap", "check_drive_file_public_access", {"file_name": "Product roadmap"}),
    ("link to the roadmap", "get_drive_shareable_link", {"file_id": "doc-roadmap"}),
    ("give me the link to the board deck, please", "get_drive_shareable_link", {"file_id": "deck-board"}),
    (
        "share the roadmap with Ana as reader",
        "share_drive_file",
        {"file_id": "doc-roadmap", "share_with": "ana@lumenworks.example", "role": "reader"},
    ),
    (
        "share the roadmap with Ana",
        "share_drive_file",
        {"file_id": "doc-roadmap", "share_with": "ana@lumenworks.example", "role": "reader"},
    ),
    (
        "can you share the roadmap with tom@lumenworks.example so that he can edit it?",
        "share_drive_file",
        {"file_id": "doc-roadmap", "share_with": "tom@lumenworks.example", "role": "writer"},
    ),
    (
        "give Kenji access to the budget",
        "share_drive_file",
        {"file_id": "sheet-budget", "share_with": "kenji@lumenworks.example", "role": "reader"},
    ),
    (
        "let Kenji comment on the roadmap",
        "share_drive_file",
        {"file_id": "doc-roadmap", "share_with": "kenji@lumenworks.example", "role": "commenter"},
    ),
    (
        "share the roadmap with Ana and Kenji as editors",
        "batch_share_drive_file",
        {
            "file_id": "doc-roadmap",
            "recipients": [
                {"email": "ana@lumenworks.example", "role": "writer"},
                {"email": "kenji@lumenworks.example", "role": "writer"},
            ],
        },
    ),
    (
        "share the roadmap with everyone",
        "set_drive_file_permissions",
        {"file_id": "doc-roadmap", "link_sharing": "reader"},
    ),
    ("make the roadmap public", "set_drive_file_permissions", {"file_id": "doc-roadmap", "link_sharing": "reader"}),
    ("make the roadmap private again", "set_drive_file_permissions", {"file_id": "doc-roadmap", "link_sharing": "off"}),
    (
        "make Kenji a commenter of the roadmap",
        "update_drive_permission",
        {"file_id": "doc-roadmap", "permission_id": "kenji@lumenworks.example", "role": "commenter"},
    ),
    (
        "stop sharing the roadmap with Kenji",
        "remove_drive_permission",
        {"file_id": "doc-roadmap", "permission_id": "kenji@lumenworks.example"},
    ),
    (
        "remove Kenji's access to the roadmap",
        "remove_drive_permission",
        {"file_id": "doc-roadmap", "permission_id": "kenji@lumenworks.example"},
    ),
    (
        "make Ana the owner of the roadmap",
        "transfer_drive_ownership",
        {"file_id": "doc-roadmap", "new_owner_email": "ana@lumenworks.example"},
    ),
    ("rename the roadmap to Old roadmap", "update_drive_file", {"file_id": "doc-roadmap", "name": "Old roadmap"}),
    (
        "move the roadmap to the Finance folder",
        "update_drive_file",
        {"file_id": "doc-roadmap", "add_parents": "folder-finance"},
    ),
    ("put the file Northgrid contract in the trash", "update_drive_file", {"file_id": "pdf-contract", "trashed": True}),
    ("delete the contract file", "update_drive_file", {"file_id": "pdf-contract", "trashed": True}),
    ("star the roadmap file", "update_drive_file", {"file_id": "doc-roadmap", "starred": True}),
    ("make a copy of the roadmap", "copy_drive_file", {"file_id": "doc-roadmap"}),
    ("copy the budget sheet as Budget 2027", "copy_drive_file", {"file_id": "sheet-budget", "new_name": "Budget 2027"}),
    (
        "make a folder called Trips",
        "create_drive_file",
        {"file_name": "Trips", "mime_type": "application/vnd.google-apps.folder"},
    ),
    (
        "create a folder Trips in the Finance folder",
        "create_drive_file",
        {"file_name": "Trips", "mime_type": "application/vnd.google-apps.folder", "folder_id": "folder-finance"},
    ),
    ("download the roadmap as PDF", "get_drive_file_download_url", {"file_id": "doc-roadmap", "export_format": "pdf"}),
    (
        "download the budget as excel",
        "get_drive_file_download_url",
        {"file_id": "sheet-budget", "export_format": "xlsx"},
    ),
    (
        "export the board deck as powerpoint",
        "get_drive_file_download_url",
        {"file_id": "deck-board", "export_format": "pptx"},
    ),
    ("Wer kann die Roadmap sehen?", "get_drive_file_permissions", {"file_id": "doc-roadmap"}),
    (
        "Teile die Roadmap mit Kenji",
        "share_drive_file",
        {"file_id": "doc-roadmap", "share_with": "kenji@lumenworks.example", "role": "reader"},
    ),
    ("qui peut voir le roadmap ?", "get_drive_file_permissions", {"file_id": "doc-roadmap"}),
    ("¿Quién puede ver el roadmap?", "get_drive_file_permissions", {"file_id": "doc-roadmap"}),
]
DOCS = [
    ("what does the offsite agenda say", "get_doc_content", {"document_id": "doc-agenda"}),
    ("what does the roadmap say about batteries", "get_doc_content", {"document_id": "doc-roadmap"}),
    ("open the offsite agenda", "get_doc_content", {"document_id": "doc-agenda"}),
    ("summarise the roadmap document", "get_doc_content", {"document_id": "doc-roadmap"}),
    (
        "make a doc with these notes: buy milk and call Tom",
        "create_doc",
        {"title": "Buy milk and call Tom", "content": "buy milk and call Tom"},
    ),
    (
        "create a document called Trip plan with these notes: trains, hotels",
        "create_doc",
        {"title": "Trip plan", "content": "trains, hotels"},
    ),
    ("create a document called Trip plan", "create_doc", {"title": "Trip plan"}),
    (
        "replace Acme by Globex in the roadmap",
        "find_and_replace_doc",
        {"document_id": "doc-roadmap", "find_text": "Acme", "replace_text": "Globex"},
    ),
    (
        'change "Halo 2" to "Halo Two" in the roadmap document',
        "find_and_replace_doc",
        {"document_id": "doc-roadmap", "find_text": "Halo 2", "replace_text": "Halo Two"},
    ),
    (
        "append Call Priya on Monday to the roadmap",
        "batch_update_doc",
        {
            "document_id": "doc-roadmap",
            "operations": [{"type": "insert_text", "end_of_segment": True, "text": "\nCall Priya on Monday"}],
        },
    ),
    (
        "add to the roadmap: batteries are late",
        "batch_update_doc",
        {
            "document_id": "doc-roadmap",
            "operations": [{"type": "insert_text", "end_of_segment": True, "text": "\nbatteries are late"}],
        },
    ),
    (
        "comment on the roadmap: looks good!",
        "create_document_comment",
        {"document_id": "doc-roadmap", "comment_content": "looks good!"},
    ),
    (
        "add a comment to the roadmap saying that March is too late",
        "create_document_comment",
        {"document_id": "doc-roadmap", "comment_content": "March is too late"},
    ),
    ("show the comments of the roadmap", "read_document_comments", {"document_id": "doc-roadmap"}),
    ("who commented on the roadmap?", "read_document_comments", {"document_id": "doc-roadmap"}),
    (
        'make "Halo" bold in the roadmap',
        "modify_doc_text",
        {"document_id": "doc-roadmap", "start_index": 5, "end_index": 9, "bold": True},
    ),
    (
        "set the footer of the roadmap to Draft",
        "update_doc_headers_footers",
        {"document_id": "doc-roadmap", "section_type": "footer", "content": "Draft"},
    ),
    ("save the roadmap as a PDF in my Drive", "export_doc_to_pdf", {"document_id": "doc-roadmap"}),
    (
        "Ersetze Acme durch Globex in der Roadmap",
        "find_and_replace_doc",
        {"document_id": "doc-roadmap", "find_text": "Acme", "replace_text": "Globex"},
    ),
    (
        "Remplace Acme par Globex dans le roadmap",
        "find_and_replace_doc",
        {"document_id": "doc-roadmap", "find_text": "Acme", "replace_text": "Globex"},
    ),
]
SHEETS = [
    ("recent spreadsheets", "list_spreadsheets", {"max_results": 10}),
    ("which tabs does the budget have?", "get_spreadsheet_info", {"spreadsheet_id": "sheet-budget"}),
    ("what's in B2:D5 of the budget", "read_sheet_values", {"spreadsheet_id": "sheet-budget", "range_name": "B2:D5"}),
    (
        "what is in cells B2 to D5 of the budget sheet?",
        "read_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "B2:D5"},
    ),
    ("show column B of the budget", "read_sheet_values", {"spreadsheet_id": "sheet-budget", "range_name": "B:B"}),
    (
        "show the sheet Tom's pipeline",
        "read_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "'Tom''s pipeline'"},
    ),
    (
        "what's in A1 of the tab Tom's pipeline of the budget",
        "read_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "'Tom''s pipeline'!A1"},
    ),
    ("what are the Q3 numbers", "read_sheet_values", {"spreadsheet_id": "sheet-q3"}),
    ("how much is left in the budget", "read_sheet_values", {"spreadsheet_id": "sheet-budget"}),
    ("what is the total of the budget sheet", "read_sheet_values", {"spreadsheet_id": "sheet-budget"}),
    ("sum B2:B5 in the budget", "read_sheet_values", {"spreadsheet_id": "sheet-budget", "range_name": "B2:B5"}),
    (
        "add a row Paint, 200, 180 to the budget",
        "modify_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "'Summary'!A5", "values": [["Paint", 200, 180]]},
    ),
    (
        "add a row to the budget: Paint, 200, 180",
        "modify_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "'Summary'!A5", "values": [["Paint", 200, 180]]},
    ),
    (
        "set B3 of the budget to 1200",
        "modify_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "B3", "values": [[1200]]},
    ),
    (
        "set B3 in the budget to 1,200.50",
        "modify_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "B3", "values": [[1200.5]]},
    ),
    (
        "write =SUM(B2:B5) into B6 of the budget",
        "modify_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "B6", "values": [["=SUM(B2:B5)"]]},
    ),
    (
        "clear B2:B5 of the budget",
        "modify_sheet_values",
        {"spreadsheet_id": "sheet-budget", "range_name": "B2:B5", "clear_values": True},
    ),
    (
        "make the first row of the budget bold",
        "format_sheet_range",
        {"spreadsheet_id": "sheet-budget", "range_name": "1:1", "bold": True},
    ),
    (
        "colour B2:B5 of the budget yellow",
        "format_sheet_range",
        {"spreadsheet_id": "sheet-budget", "range_name": "B2:B5", "background_color": "#FFF2CC"},
    ),
    (
        "create a spreadsheet called Trips with the tabs Costs and Dates",
        "create_spreadsheet",
        {"title": "Trips", "sheet_names": ["Costs", "Dates"]},
    ),
    ("create a spreadsheet called Trips", "create_spreadsheet", {"title": "Trips"}),
    (
        "add a tab called Travel to the budget",
        "create_sheet",
        {"spreadsheet_id": "sheet-budget", "sheet_name": "Travel"},
    ),
    (
        "comment on the budget sheet: check row 4",
        "create_spreadsheet_comment",
        {"spreadsheet_id": "sheet-budget", "comment_content": "check row 4"},
    ),
]
SLIDES = [
    (
        "how many slides has https://docs.google.com/presentation/d/deck-board/edit",
        "get_presentation",
        {"presentation_id": "deck-board"},
    ),
    (
        "what's on slide 2 of https://docs.google.com/presentation/d/deck-board/edit",
        "get_presentation",
        {"presentation_id": "deck-board"},
    ),
    (
        "show me a picture of the first slide of https://docs.google.com/presentation/d/deck-board/edit",
        "get_page_thumbnail",
        {"presentation_id": "deck-board", "page_object_id": "p1"},
    ),
]
ALL = [
    (domain, *row)
    for domain, rows in {"drive": DRIVE, "docs": DOCS, "sheets": SHEETS, "slides": SLIDES}.items()
    for row in rows
]


@pytest.fixture(scope="module")
def mind():
    return brain()


@pytest.mark.parametrize(("domain", "question", "tool", "args"), ALL)
def test_a_request_about_files_becomes_a_call(mind, domain, question, tool, args):
    drawer = Drawer(mind, domain)
    drawer.ask(question)
    assert (drawer.calls[-1].name, dict(drawer.calls[-1].args)) == (tool, args)


def test_a_deck_is_made_with_its_titles_in_one_batch(mind):
    drawer = Drawer(mind, "slides")
    drawer.ask("make a deck about the pilot: lamps, batteries")
    made, filled = drawer.calls
    assert (made.name, dict(made.args)) == ("create_presentation", {"title": "Pilot"})
    kinds = [next(iter(one)) for one in filled.args["requests"]]
    assert kinds == ["insertText", "createSlide", "insertText", "createSlide", "insertText"]
    texts = [one["insertText"]["text"] for one in filled.args["requests"] if "insertText" in one]
    assert texts == ["Pilot", "lamps", "batteries"]


def test_a_deck_of_three_slides_has_two_more_than_the_first(mind):
    drawer = Drawer(mind, "slides")
    drawer.ask("make a three-slide deck about the pilot")
    assert [next(iter(one)) for one in drawer.calls[-1].args["requests"]] == [
        "insertText",
        "createSlide",
        "createSlide",
    ]


@pytest.mark.parametrize(
    ("domain", "question", "said"),
    [
        ("drive", "who can see the zebra", "I found nothing called “zebra”."),
        ("drive", "share the roadmap with Zoe", "I do not know the address of Zoe, so nothing was done."),
        ("drive", "who can see it", "I do not know which file you mean."),
        ("drive", "rename the Q3 file to Retreat", "2 files have “Q3” in their name, so nothing was done."),
        ("sheets", "what is the total", "I do not know which file you mean."),
        ("slides", "how many slides has the board deck", "I do not see “board” here. Ask Drive"),
    ],
)
def test_what_cannot_be_told_is_said_and_nothing_is_changed(mind, domain, question, said):
    drawer = Drawer(mind, domain)
    assert drawer.ask(question).startswith(said)
    assert all(call.name.startswith(("search", "list", "get")) for call in drawer.calls)
