"""Whatever is asked of a document, the answer is a reply or a refusal of Google's, and the document stays whole."""

from copy import deepcopy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.sandbox.calls import ApiError
from core.sandbox.docs import schema
from core.sandbox.docs.apply import REQUESTS, apply
from core.sandbox.docs.blocks import read
from core.sandbox.docs.imports import document_of, from_markdown
from core.sandbox.docs.places import whole
from core.sandbox.docs.resource import content

START = document_of(
    from_markdown(b"# Head\n\n- one\n- two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nlast **bold** \xf0\x9f\x98\x80")
)
apply(START, [{"createHeader": {"type": "DEFAULT"}}, {"addDocumentTab": {"tabProperties": {"title": "Two"}}}])
HEADER = next(iter(START.tabs[0].kinds))
TAB = START.tabs[1].id

index = st.integers(-2, 60)
where = st.sampled_from([{}, {}, {}, {"segmentId": HEADER}, {"tabId": TAB}, {"tabId": "no"}, {"segmentId": "no"}])
place = st.builds(lambda at, more: {"index": at, **more}, index, where)
span = st.builds(lambda a, b, more: {"startIndex": a, "endIndex": b, **more}, index, index, where)
spot = st.one_of(
    st.builds(lambda at: {"location": at}, place),
    st.builds(lambda at: {"endOfSegmentLocation": at}, where),
    st.just({}),
)
cell = st.builds(
    lambda start, row, column: {"tableStartLocation": start, "rowIndex": row, "columnIndex": column},
    place,
    st.integers(-1, 3),
    st.integers(-1, 3),
)
text = st.text("aé😀\n\t\u0301\x00", max_size=4)
fields = st.sampled_from(
    ["*", "bold", "link", "namedStyleType", "backgroundColor", "title", "", "no", "width", "minRowHeight"]
)


def joined(*parts: Any) -> Any:
    return st.tuples(*parts).map(lambda found: {name: value for part in found for name, value in part.items()})


def named(name: str, strategy: Any) -> Any:
    return st.builds(lambda value: {name: value}, strategy)


ranged, masked = named("range", span), named("fields", fields)
at_cell, at_table = named("tableCellLocation", cell), named("tableStartLocation", place)
BODIES: dict[str, Any] = {
    "insertText": joined(spot, named("text", text)),
    "deleteContentRange": ranged,
    "replaceAllText": joined(
        named("containsText", joined(named("text", text), named("searchByRegex", st.booleans()))),
        named("replaceText", text),
    ),
    "updateTextStyle": joined(
        ranged, masked, st.just({"textStyle": {"bold": True, "link": {"url": "https://x.example"}}})
    ),
    "updateParagraphStyle": joined(
        ranged, masked, st.just({"paragraphStyle": {"namedStyleType": "HEADING_3", "alignment": "CENTER"}})
    ),
    "createParagraphBullets": joined(ranged, st.just({"bulletPreset": "BULLET_CHECKBOX"})),
    "deleteParagraphBullets": ranged,
    "insertTable": joined(
        spot, st.builds(lambda r, c: {"rows": r, "columns": c}, st.integers(-1, 3), st.integers(0, 21))
    ),
    "insertTableRow": joined(at_cell, named("insertBelow", st.booleans())),
    "insertTableColumn": joined(at_cell, named("insertRight", st.booleans())),
    "deleteTableRow": at_cell,
    "deleteTableColumn": at_cell,
    "updateTableCellStyle": joined(
        st.one_of(at_table, named("tableRange", joined(at_cell, st.just({"rowSpan": 2, "columnSpan": 1})))), masked
    ),
    "updateTableRowStyle": joined(at_table, masked, named("rowIndices", st.lists(st.integers(-1, 3), max_size=2))),
    "updateTableColumnProperties": joined(
        at_table, masked, named("columnIndices", st.lists(st.integers(-1, 3), max_size=2))
    ),
    "insertPageBreak": spot,
    "insertSectionBreak": joined(spot, st.just({"sectionType": "NEXT_PAGE"})),
    "insertInlineImage": joined(spot, st.just({"uri": "https://x.example/a.png"})),
    "insertPerson": joined(spot, st.just({"personProperties": {"email": "a@x.example"}})),
    "insertDate": joined(spot, st.just({"dateElementProperties": {"timestamp": "2026-12-01T12:00:00Z"}})),
    "insertRichLink": joined(spot, st.just({"richLinkProperties": {"uri": "https://x.example"}})),
    "createFootnote": spot,
    "createHeader": st.builds(lambda at: {"type": "DEFAULT", "sectionBreakLocation": at}, place),
    "createFooter": st.just({"type": "DEFAULT"}),
    "deleteHeader": named("headerId", st.sampled_from([HEADER, "no"])),
    "deleteFooter": st.just({"footerId": "no"}),
    "updateDocumentStyle": joined(masked, st.just({"documentStyle": {}})),
    "createNamedRange": joined(ranged, st.just({"name": "n"})),
    "deleteNamedRange": st.sampled_from([{"name": "n"}, {"namedRangeId": "no"}, {}]),
    "addDocumentTab": named(
        "tabProperties", st.sampled_from([{}, {"parentTabId": TAB}, {"index": 9}, {"index": -3}, {"title": "x"}])
    ),
    "deleteTab": st.sampled_from([{"tabId": TAB}, {"tabId": "t.0"}, {}]),
    "updateDocumentTabProperties": joined(
        masked, named("tabProperties", st.sampled_from([{"tabId": TAB, "title": "y"}, {}]))
    ),
}
REQUEST = st.sampled_from(sorted(BODIES)).flatmap(lambda name: named(name, BODIES[name]))


def test_every_request_of_the_sandbox_is_tried() -> None:
    assert BODIES.keys() == REQUESTS.keys()


@settings(max_examples=300, deadline=None)
@given(st.lists(REQUEST, min_size=1, max_size=6))
def test_any_requests_are_answered_and_leave_a_whole_document(requests: list[Any]) -> None:
    document = deepcopy(START)
    for request in requests:
        tried = deepcopy(document)
        schema.check({"requests": [request]}, "BatchUpdateDocumentRequest")
        try:
            apply(tried, [request])
        except ApiError as error:
            assert error.status == 400 and "requests[0]" in error.message
            continue
        document = tried
        for tab in document.tabs:
            for units in tab.segments.values():
                assert whole(units)
                assert content(units)[-1]["endIndex"] == len(units)
                assert read(tab, units)
