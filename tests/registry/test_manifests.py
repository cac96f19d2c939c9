import inspect

import pytest
import yaml

from core.agents.offline.days import Range
from core.agents.offline.intents import SLOT
from core.agents.offline.render import ANSWERS, Answers
from core.agents.offline.tables import Table
from core.mcp_server.server import tool_functions
from core.registry.glossary import GLOSSARIES
from core.registry.manifests import Access, Approval, ManifestError, load_catalogue
from tests.agents import offline_files as files
from tests.agents import offline_results as results
from tests.agents.offline_desk import NOW

CATALOGUE = load_catalogue()
TOOLS = [(domain, tool) for domain, tool in CATALOGUE.tools()]
IDS = [tool.name for _, tool in TOOLS]


def parameters(domain, name):
    function = tool_functions(domain)[name]
    return dict(list(inspect.signature(function).parameters.items())[1:])


@pytest.mark.parametrize("tool", [tool for _, tool in TOOLS if tool.reads], ids=lambda tool: tool.name)
def test_a_tool_that_reads_says_so_in_every_way(tool):
    assert tool.approval is Approval.NONE
    assert tool.idempotent
    assert not tool.destructive


@pytest.mark.parametrize("tool", [tool for _, tool in TOOLS if not tool.reads], ids=lambda tool: tool.name)
def test_a_tool_that_writes_asks_first_in_a_sentence_of_its_own(tool):
    assert tool.approval is not Approval.NONE
    assert tool.confirm


def test_what_cannot_be_taken_back_always_asks():
    always = {tool.name for _, tool in TOOLS if tool.approval is Approval.ALWAYS_ASK}
    assert always == {
        "send_gmail_message", "create_gmail_filter", "delete_gmail_filter",
        "create_event", "modify_event", "delete_event",
        "update_drive_file", "share_drive_file", "batch_share_drive_file", "update_drive_permission",
        "remove_drive_permission", "transfer_drive_ownership", "set_drive_file_permissions",
    }  # fmt: skip


@pytest.mark.parametrize(("domain", "tool"), TOOLS, ids=IDS)
def test_intents_fill_only_parameters_that_exist_and_all_that_are_required(domain, tool):
    for intent in tool.intents:
        steps = ((step.tool, step.args) for step in (*intent.first, *intent.then))
        for name, args in [(tool.name, intent.args), *steps]:
            known = parameters(domain, name)
            required = {one for one, parameter in known.items() if parameter.default is inspect.Parameter.empty}
            assert set(args) <= set(known)
            assert required <= set(args)


@pytest.mark.parametrize(("domain", "tool"), TOOLS, ids=IDS)
def test_every_answer_has_its_template(domain, tool):
    intents = [name for one in tool.intents for name in (one.answer, one.missing, *one.asks.values())]
    names = [tool.answer, *intents]
    for name in filter(None, names):
        assert (ANSWERS / f"{name}.md.j2").exists()


def test_every_tool_has_keywords_in_all_six_languages_and_some_that_are_of_that_language_alone():
    languages = {"en", *(path.stem for path in GLOSSARIES.glob("*.yaml"))}
    assert len(languages) == 6
    lacking = [
        (tool.name, language)
        for _, tool in CATALOGUE.all_tools()
        for language in languages
        if not words_of(tool, [language]) - words_of(tool, languages - {language})
    ]
    assert lacking == [] and len(list(CATALOGUE.all_tools())) == 85
    assert all(set(tool.keywords) == languages for _, tool in CATALOGUE.all_tools())


def words_of(tool, languages):
    return {word.casefold() for language in languages for word in tool.keywords.get(language, ())}


@pytest.mark.parametrize("name", sorted(path.name.removesuffix(".md.j2") for path in ANSWERS.glob("[a-z]*.md.j2")))
def test_every_template_is_read_without_error_over_an_example(name):
    mail = results.whole(results.INVOICE, attachments=(results.PDF,)).model_dump()
    lists = {
        "threads": [{"subject": "x", "messages": [mail]}],
        "failed": [],
        "labels": [],
        "filters": [],
        "free": [results.hour("09:00", "10:00").model_dump()],
    }
    file = {"filename": "a.pdf", "path": "/a.pdf", "size": 3, "text": None}
    pages = (results.UNREAD, results.TOMORROW, results.CALENDARS)
    sheet = files.values("sheet-budget").model_dump()
    papers = {"changed": ["Done."], "link": "", "file": files.file("doc-roadmap").model_dump()}
    shown = {"grants": [files.ANA.model_dump()], "found": [{"around": "a lamp"}], "sheets": [], "comments": []}
    result = {**mail, **{k: v for page in pages for k, v in page.model_dump().items()}, **papers, **sheet, **shown}
    result |= {**lists, **file}
    if name.startswith("free"):
        result["calendars"] = results.free_busy([results.hour("09:00", "10:00")], []).model_dump()["calendars"]
    if name == "label_list":
        result["labels"] = [{"name": "A", "kind": "user", "total": 1, "unread": None}]
    whole = Range(NOW, NOW)
    text = Answers().render(
        name,
        NOW,
        result=result,
        args={},
        slots={"range": whole, "person": "Ana", "subject": "Kenji"},
        asked={},
        item=mail | results.STANDUP.model_dump() | results.CALENDARS.calendars[0].model_dump(),
        kept=[mail],
        of=3,
        found_count=2,
        number=3,
        sentence="It failed.",
        table=Table(sheet),
        items=[papers["file"]],
        domains=[{"title": "Gmail", "examples": ["show my mail"]}],
        people={"ana@lumenworks.example": "Ana Ruiz"},
    )
    assert text.strip()
    assert "Undefined" not in text


def test_slots_of_arguments_are_known():
    known = {
        "flags", "person", "to", "label", "quoted", "topic", "range", "count", "guest", "subject",
        "mail", "event", "all_mails", "found",
        "file", "folder", "gone", "comment", "name", "text", "new", "old", "words", "written",
        "written_comment", "people", "recipients", "role", "format", "part", "place", "row", "value", "colour",
        "tabs", "table", "result", "page", "pages",
        "address", "said", "title", "new_name", "booking", "moved", "full", "everybody", "wide", "add", "remove",
        "wanted", "addresses", "checklist",
    }  # fmt: skip
    for _, tool in TOOLS:
        for intent in tool.intents:
            steps = (intent, *intent.first, *intent.then)
            named = [slot for step in steps for slot in SLOT.findall(str(step.args))]
            assert set(named) <= known


def test_a_wrong_field_is_named_with_its_place(tmp_path):
    data = yaml.safe_load((ANSWERS.parent / "manifests" / "gmail.yaml").read_text())
    data["tools"][1]["colour"] = "red"
    (tmp_path / "gmail.yaml").write_text(yaml.safe_dump(data))
    with pytest.raises(ManifestError, match=r"gmail\.yaml: tools\.1\.colour: Extra inputs are not permitted"):
        load_catalogue(tmp_path)


def test_a_file_that_is_not_yaml_is_named(tmp_path):
    (tmp_path / "odd.yaml").write_text("a: [1")
    with pytest.raises(ManifestError, match=r"odd\.yaml is not YAML"):
        load_catalogue(tmp_path)


def test_a_tool_that_does_not_say_it_reads_is_a_write_that_always_asks():
    data = yaml.safe_load((ANSWERS.parent / "manifests" / "gmail.yaml").read_text())["tools"][0]
    for field in ("access", "approval", "destructive", "idempotent"):
        data.pop(field)
    tool = type(TOOLS[0][1]).model_validate(data)
    assert (tool.access, tool.approval, tool.destructive, tool.reads) == (
        Access.WRITE,
        Approval.ALWAYS_ASK,
        True,
        False,
    )


def test_an_unknown_tool_is_named_with_those_that_exist():
    with pytest.raises(KeyError, match=r"There is no tool 'fly'; there are: .*get_events"):
        CATALOGUE.tool("fly")
