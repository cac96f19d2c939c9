"""Edits of documents keep every index right: held against a model that is nothing but a string of UTF-16 units."""

from copy import deepcopy
from typing import Any

import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.sandbox.calls import ApiError
from core.sandbox.docs.apply import apply
from core.sandbox.docs.model import Document
from core.sandbox.docs.resource import content

SECTION, TABLE, ROW, CELL, END, OBJECT = "\x01", "\x02", "\x03", "\x04", "\x05", "\x06"
Request = dict[str, Any]
LETTERS = ["a", "B", " ", "é", "e\u0301", "\u0301", "😀", "👩‍🔬", "🇩🇪", "नि", "製", "𠮷", "\n", "\t", "\u200d"]
TEXT = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=8).map("".join)
SPOT = st.integers(0, 60)
EDIT = st.one_of(
    st.tuples(st.just("insert"), SPOT, TEXT),
    st.tuples(st.just("delete"), SPOT, st.integers(1, 12)),
    st.tuples(st.just("table"), SPOT, st.integers(1, 2), st.integers(1, 3)),
    st.tuples(
        st.just("replace"), st.sampled_from(["a", "😀", "e\u0301", "製"]), TEXT.filter(lambda one: "\n" not in one)
    ),
    st.tuples(st.just("break"), SPOT),
    st.tuples(st.just("person"), SPOT),
)


def units(text: str) -> list[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]


def string(codes: list[int]) -> str:
    return b"".join(code.to_bytes(2, "little") for code in codes).decode("utf-16-le", "surrogatepass")


def request(edit: tuple[Any, ...]) -> Request:
    match edit:
        case ("insert", index, text):
            return {"insertText": {"location": {"index": index}, "text": text}}
        case ("delete", index, size):
            return {"deleteContentRange": {"range": {"startIndex": index, "endIndex": index + size}}}
        case ("table", index, rows, columns):
            return {"insertTable": {"location": {"index": index}, "rows": rows, "columns": columns}}
        case ("replace", old, new):
            return {"replaceAllText": {"containsText": {"text": old, "matchCase": True}, "replaceText": new}}
        case ("break", index):
            return {"insertPageBreak": {"location": {"index": index}}}
        case ("person", index):
            person = {"email": "ana@lumenworks.example"}
            return {"insertPerson": {"location": {"index": index}, "personProperties": person}}
    raise AssertionError(edit)


def edited(model: list[int], edit: tuple[Any, ...]) -> list[int]:
    match edit:
        case ("insert", index, text):
            return put(model, index, text)
        case ("delete", index, size):
            return model[:index] + model[index + size :]
        case ("table", index, rows, columns):
            return put(model, index, "\n" + TABLE + (ROW + (CELL + "\n") * columns) * rows + END)
        case ("replace", old, new):
            return units(string(model).replace(old, new))
        case ("break", index):
            return put(model, index, OBJECT + "\n")
        case ("person", index):
            return put(model, index, OBJECT)
    raise AssertionError(edit)


def put(model: list[int], index: int, text: str) -> list[int]:
    """Insert; behind what a reader sees as one character."""
    at = 0
    for match in regex.finditer(r"\X", string(model)):
        begin, at = at, at + len(units(match.group()))
        if begin < index < at:
            index = at
    return model[:index] + units(text) + model[index:]


def flat(elements: list[Any]) -> list[int]:
    """The units that the indices of structural elements say; each must follow the one before."""
    found: list[int] = []
    for element in elements:
        start, end = element.get("startIndex", 0), element["endIndex"]
        inner = flat_element(element)
        assert end - start == len(inner), element
        found += inner
    assert [one.get("startIndex", 0) for one in elements[1:]] == [one["endIndex"] for one in elements[:-1]]
    return found


def flat_element(element: Any) -> list[int]:
    if "sectionBreak" in element:
        return units(SECTION)
    if "textRun" in element:
        return units(element["textRun"]["content"])
    if "paragraph" in element:
        return flat(element["paragraph"]["elements"])
    if "table" in element:
        return units(TABLE) + flat(element["table"]["tableRows"]) + units(END)
    if "tableCells" in element:
        return units(ROW) + flat(element["tableCells"])
    if "tableCellStyle" in element:
        return units(CELL) + flat(element["content"])
    return units(OBJECT)


@settings(max_examples=150, deadline=None)
@given(st.lists(EDIT, max_size=14))
@example([("insert", 1, "😀 a"), ("delete", 2, 1), ("insert", 2, "B")])
@example([("table", 1, 2, 2), ("delete", 1, 1), ("delete", 4, 2), ("delete", 2, 12), ("insert", 5, "a\n😀")])
@example([("insert", 1, "e\u0301"), ("insert", 2, "B"), ("delete", 2, 1)])
def test_any_edits_of_any_text_keep_the_indices_right(edits: list[tuple[Any, ...]]) -> None:
    document, model = Document.new(), units(SECTION + "\n")
    for edit in edits:
        tried = deepcopy(document)
        try:
            apply(tried, [request(edit)])
        except ApiError:
            continue
        document, model = tried, edited(model, edit)
        assert string(flat(content(document.tabs[0].body))) == string(model)
        assert Document.loaded(document.stored()).tabs == document.tabs
