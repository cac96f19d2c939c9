"""Labels and filters, through the server against the sandbox, read back past the tools."""

import pytest

from core.mcp_server.meta import OUTCOME
from tests.mcp_server.writing import Desk


async def newest(desk: Desk, query: str) -> dict[str, object]:
    return (await desk("search_gmail_messages", query=query, page_size=1))["messages"][0]


async def test_a_mail_is_archived_read_and_labelled_by_names(desk: Desk) -> None:
    mail = await newest(desk, "in:inbox is:unread invoice 2041")
    await desk("manage_gmail_label", action="create", name="Money/Üben")
    done = await desk(
        "modify_gmail_message_labels",
        message_id=mail["message_id"],
        add_label_ids=["money/üben", "starred"],
        remove_label_ids=["Inbox", "UNREAD"],
    )
    assert (done["added"], done["removed"]) == (["Money/Üben", "STARRED"], ["INBOX", "UNREAD"])
    ids = desk.message(mail["message_id"])["labelIds"]
    assert "STARRED" in ids and not {"INBOX", "UNREAD"} & set(ids)
    assert done["messages"][0]["subject"] == mail["subject"] and "Money/Üben" in done["messages"][0]["labels"]
    assert done["unchanged"] == 0


async def test_what_changes_nothing_says_so(desk: Desk) -> None:
    mail = await newest(desk, "in:inbox is:unread")
    done = await desk("modify_gmail_message_labels", message_id=mail["message_id"], add_label_ids=["UNREAD"])
    assert done["unchanged"] == 1


async def test_several_mails_are_changed_at_once_and_the_missing_one_is_named(desk: Desk) -> None:
    page = await desk("search_gmail_messages", query="in:inbox is:unread", page_size=3)
    ids = [one["message_id"] for one in page["messages"]]
    before = len(desk.seen)
    done = await desk(
        "batch_modify_gmail_message_labels", message_ids=[*ids, "18f2abcdef012345"], remove_label_ids=["unread"]
    )
    assert [one["message_id"] for one in done["messages"]] == ids
    assert [one["id"] for one in done["failed"]] == ["18f2abcdef012345"]
    assert all("UNREAD" not in desk.message(one)["labelIds"] for one in ids)
    assert all("UNREAD" not in one["labels"] for one in done["messages"])
    assert sum("batchModify" in line for line in desk.seen[before:]) == 1


async def test_a_lost_answer_to_a_change_of_labels_is_unknown(desk: Desk) -> None:
    mail = await newest(desk, "in:inbox")
    desk.trouble("/modify", "lost_reply")
    result = await desk.result("modify_gmail_message_labels", message_id=mail["message_id"], add_label_ids=["STARRED"])
    assert result.is_error and result.meta[OUTCOME] == "unknown"
    assert sum("/modify" in line for line in desk.changed()) == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"add_label_ids": ["Stared"]}, "add_label_ids: there is no label 'Stared'. Similar: STARRED"),
        ({}, "add_label_ids: give labels to add or to remove"),
        (
            {"add_label_ids": ["INBOX"], "remove_label_ids": ["inbox"]},
            "remove_label_ids: INBOX cannot be added and rem",
        ),
        ({"message_id": "18f2abcdef012345", "add_label_ids": ["STARRED"]}, "message_id: There is no such mail"),
    ],
)
async def test_a_wrong_change_is_refused_before_anything_changes(
    desk: Desk, change: dict[str, object], sentence: str
) -> None:
    mail = await newest(desk, "in:inbox")
    said = await desk.refusal("modify_gmail_message_labels", **{"message_id": mail["message_id"], **change})
    assert said.startswith(sentence) and desk.changed() == []


async def test_a_label_is_made_renamed_and_deleted_and_its_mails_stay(desk: Desk) -> None:
    made = await desk("manage_gmail_label", action="create", name="Trips", label_list_visibility="labelHide")
    mail = await newest(desk, "in:inbox")
    await desk("modify_gmail_message_labels", message_id=mail["message_id"], add_label_ids=["trips"])
    renamed = await desk("manage_gmail_label", action="update", label_id="trips", name="Journeys")
    assert (renamed["label_id"], renamed["before"], renamed["name"]) == (made["label_id"], "Trips", "Journeys")
    kept = desk.read("gmail.users.labels", userId="me", id=made["label_id"])
    assert (kept["name"], kept["labelListVisibility"]) == ("Journeys", "labelHide")
    deleted = await desk("manage_gmail_label", action="delete", name="Journeys")
    assert (deleted["name"], deleted["total"]) == ("Journeys", 1)
    assert made["label_id"] not in desk.message(mail["message_id"])["labelIds"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"action": "create"}, "name: a new label needs one"),
        ({"action": "create", "name": "inbox"}, "Google did not accept the request"),
        ({"action": "update", "name": "X"}, "label_id: say which label"),
        ({"action": "update", "label_id": "INBOX", "name": "X"}, "label_id: INBOX is one of Gmail's own labels"),
        ({"action": "delete", "label_id": "nothing like it"}, "label_id: there is no label 'nothing like it'"),
    ],
)
async def test_a_label_that_cannot_be_is_refused(desk: Desk, arguments: dict[str, str], sentence: str) -> None:
    assert (await desk.refusal("manage_gmail_label", **arguments)).startswith(sentence)


async def test_a_filter_is_made_with_names_and_deleted(desk: Desk) -> None:
    label = await desk("manage_gmail_label", action="create", name="Suppliers")
    made = await desk(
        "create_gmail_filter",
        criteria={"from": "marta@brightparts.example", "hasAttachment": True},
        action={"addLabelIds": ["suppliers"], "removeLabelIds": ["inbox"]},
    )
    filter_id = made["filter"]["filter_id"]
    kept = desk.read("gmail.users.settings.filters", userId="me", id=filter_id)
    assert kept["criteria"] == {"from": "marta@brightparts.example", "hasAttachment": True}
    assert kept["action"] == {"addLabelIds": [label["label_id"]], "removeLabelIds": ["INBOX"]}
    assert "from now on" in made["note"]
    gone = await desk("delete_gmail_filter", filter_id=filter_id)
    assert gone["filter"]["criteria"]["from"] == "marta@brightparts.example"
    assert "There is no such filter" in await desk.refusal("delete_gmail_filter", filter_id=filter_id)


@pytest.mark.parametrize(
    ("criteria", "action", "sentence"),
    [
        ({}, {"addLabelIds": ["STARRED"]}, "criteria: say which mail it takes"),
        ({"from": "a@x.example"}, {}, "action: say what it does"),
        ({"from": "a@x.example"}, {"addLabelIds": ["no such"]}, "action.addLabelIds: there is no label 'no such'"),
        ({"size": 5}, {"addLabelIds": ["STARRED"]}, "criteria: size and sizeComparison go together"),
        (
            {"colour": "red"},
            {"addLabelIds": ["STARRED"]},
            "The arguments of create_gmail_filter are wrong: criteria.col",
        ),
        (
            {"from": "a@x.example"},
            {"forward": "evil@x.example"},
            "Google did not accept the request: Unrecognized forw",
        ),
    ],
)
async def test_a_filter_that_cannot_be_is_refused(
    desk: Desk, criteria: dict[str, object], action: dict[str, object], sentence: str
) -> None:
    said = await desk.refusal("create_gmail_filter", criteria=criteria, action=action)
    assert said.startswith(sentence)
    assert len(desk.changed()) == sentence.startswith("Google")
