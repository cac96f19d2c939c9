"""The same calls of the Gmail tools have the same effects on the sandbox and on emulate, over the same mails."""

from base64 import urlsafe_b64decode
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest

from tests.emulators.others import ANA, EMULATE, SAM, Json, emulate
from tests.emulators.pair import Difference, Pair, Scenario, World, named, sandbox_of, world

pytestmark = pytest.mark.skipif(EMULATE is None, reason="emulate is not installed")
ME = {"userId": "me"}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("gmail")
    with sandbox_of(["gmail"], folder) as ours, emulate(copied(ours), folder) as other:
        yield Pair(ours, world(lambda _: other, ["gmail"], folder))


def copied(ours: World) -> Json:
    """The sandbox's mails and labels as a seed of emulate."""
    labels = [one for one in ours.rest("gmail.users.labels.list", **ME)["labels"] if one["type"] == "user"]
    found = ours.rest("gmail.users.messages.list", **ME, maxResults=500, includeSpamTrash=True)["messages"]
    mails = [ours.rest("gmail.users.messages.get", **ME, id=one["id"], format="raw") for one in found]
    return {
        "users": [{"email": SAM, "name": "Sam Okafor"}],
        "labels": [{"id": one["id"], "user_email": SAM, "name": one["name"]} for one in labels],
        "messages": [seed_of(one) for one in mails],
    }


def seed_of(found: Json) -> Json:
    mail = message_from_bytes(urlsafe_b64decode(found["raw"]), policy=policy.default)
    return {
        "id": found["id"],
        "thread_id": found["threadId"],
        "user_email": SAM,
        "raw": found["raw"],
        "label_ids": found.get("labelIds", []),
        "internal_date": found["internalDate"],
        **{field: str(mail[field] or "") for field in ("from", "to", "subject")},
        "body_text": text_of(mail),
    }


def text_of(mail: EmailMessage) -> str:
    part = mail.get_body(("plain", "html"))
    return str(part.get_content()) if part else ""


def listed(world: World, query: str) -> list[str]:
    found = world.rest("gmail.users.messages.list", **ME, q=query, maxResults=500)
    return sorted(one["id"] for one in found.get("messages", []))


QUERIES = [
    "in:inbox",
    "is:unread",
    "is:unread in:inbox",
    "is:read in:inbox",
    "is:starred",
    "is:important",
    "in:sent",
    "from:ana@lumenworks.example",
    "from:kenji",
    "to:marta@brightparts.example",
    "subject:invoice",
    "subject:roadmap is:unread",
    "has:attachment",
    "label:Invoices",
    "label:Travel is:read",
    "invoice 2041",
    '"second delivery"',
    "-label:Invoices in:inbox subject:invoice",
    "after:1764000000",
    "before:1764000000",
    "nothinglikethis",
]
"""1764000000 is a second of November 2025."""


@pytest.mark.parametrize("query", QUERIES)
async def test_a_search_finds_the_same_mails(pair: Pair, query: str) -> None:
    async def found(world: World) -> object:
        return listed(world, query)

    ours, theirs = await pair.seen(found)
    assert ours == theirs


async def a_page_of_mails(world: World) -> object:
    first = await world("search_gmail_messages", query="in:inbox", page_size=5)
    second = await world("search_gmail_messages", query="in:inbox", page_size=5, page_token=first["next_page_token"])
    shown = ("message_id", "sender", "sender_email", "subject", "date", "unread")
    return [[{key: one[key] for key in shown} for one in page["messages"]] for page in (first, second)]


async def a_mail(world: World) -> object:
    page = await world("search_gmail_messages", query="in:inbox is:unread invoice 2041", page_size=1)
    mail = await world("get_gmail_message_content", message_id=page["messages"][0]["message_id"])
    return {key: mail[key] for key in ("subject", "sender_email", "to", "cc", "rfc822_message_id", "thread_id")} | {
        "body": mail["body"].split()
    }


async def a_thread(world: World) -> object:
    page = await world("search_gmail_messages", query="from:lena subject:offsite", page_size=1)
    told = await world("get_gmail_thread_content", thread_id=page["messages"][0]["thread_id"])
    return [(one["message_id"], one["sender_email"], one["subject"]) for one in told["messages"]]


async def mails_in_spam(world: World) -> object:
    return len(listed(world, "in:spam"))


async def mails_to_somebody_in_copy(world: World) -> object:
    made = await world("send_gmail_message", to=ANA, cc="yusra@northgrid.example", subject="Copied", body="x")
    return made["message_id"] in listed(world, "to:yusra@northgrid.example")


async def a_sender_who_is_not_named(world: World) -> object:
    made = await world("send_gmail_message", to=ANA, subject="From", body="x")
    found = world.rest("gmail.users.messages.get", **ME, id=made["message_id"], format="raw")
    return message_from_bytes(urlsafe_b64decode(found["raw"] + "=="), policy=policy.default)["From"]


async def an_inbox_mail_to_the_bin(world: World) -> object:
    made = await world("send_gmail_message", to=ANA, subject="Thrown", body="x")
    await world("modify_gmail_message_labels", message_id=made["message_id"], add_label_ids=["INBOX"])
    await world("modify_gmail_message_labels", message_id=made["message_id"], add_label_ids=["TRASH"])
    return sorted(world.rest("gmail.users.messages.get", **ME, id=made["message_id"])["labelIds"])


async def a_sent_mail(world: World) -> object:
    mail = {"to": f"Ana Ruiz <{ANA}>", "cc": "tom@lumenworks.example", "subject": "Größe 😀", "body": "Grüße\nSam"}
    made = await world("send_gmail_message", **mail)
    return sent(world, made["message_id"])


def sent(world: World, message_id: str) -> object:
    found = world.rest("gmail.users.messages.get", **ME, id=message_id, format="raw")
    mail = message_from_bytes(urlsafe_b64decode(found["raw"] + "=="), policy=policy.default)
    return sorted(found["labelIds"]), [mail[name] for name in ("To", "Cc", "Subject")], text_of(mail).split()


async def an_html_mail_with_a_file(world: World) -> object:
    file = {"filename": "zahlen.csv", "content": "YSxiCjEsMg==", "mime_type": "text/csv"}
    mail = {"to": ANA, "subject": "Numbers", "body": "<p>Here <b>they</b> are</p>", "body_format": "html"}
    made = await world("send_gmail_message", **mail, attachments=[file])
    told = await world("get_gmail_message_content", message_id=made["message_id"])
    (one,) = told["attachments"]
    place = {"message_id": made["message_id"], "attachment_id": one["attachment_id"]}
    saved = await world("get_gmail_attachment_content", **place)
    return told["body"].split(), one["filename"], one["mime_type"], one["size"], saved["sha256"], saved["text"]


async def a_reply_stays_in_its_thread(world: World) -> object:
    page = await world("search_gmail_messages", query="from:lena subject:offsite", page_size=1)
    asked = await world("get_gmail_message_content", message_id=page["messages"][0]["message_id"])
    reply = {"to": asked["sender_email"], "subject": f"Re: {asked['subject']}", "body": "The first date.\nSam"}
    made = await world(
        "send_gmail_message", **reply, thread_id=asked["thread_id"], in_reply_to=asked["rfc822_message_id"]
    )
    thread = world.rest("gmail.users.threads.get", **ME, id=asked["thread_id"])
    return made["thread_id"] == asked["thread_id"], thread["messages"][-1]["id"] == made["message_id"]


async def a_draft(world: World) -> object:
    made = await world("draft_gmail_message", to=ANA, subject="Later", body="Not yet.")
    kept = world.rest("gmail.users.drafts.get", **ME, id=made["draft_id"])["message"]
    drafts = world.rest("gmail.users.drafts.list", **ME)["drafts"]
    return kept["id"] == made["message_id"], kept["labelIds"], made["draft_id"] in {one["id"] for one in drafts}


async def labels_of_a_mail(world: World) -> object:
    made = await world("send_gmail_message", to=ANA, subject="Labelled", body="x")
    one, seen = made["message_id"], []
    for change in (
        {"add_label_ids": ["Travel", "STARRED"]},
        {"remove_label_ids": ["STARRED"], "add_label_ids": ["INBOX", "UNREAD"]},
        {"add_label_ids": ["TRASH"], "remove_label_ids": ["INBOX"]},
    ):
        await world("modify_gmail_message_labels", message_id=one, **change)
        seen.append(sorted(world.rest("gmail.users.messages.get", **ME, id=one)["labelIds"]))
    return seen, one in listed(world, "subject:Labelled")


async def several_mails_at_once(world: World) -> object:
    page = await world("search_gmail_messages", query="in:inbox is:read", page_size=3)
    ids = [one["message_id"] for one in page["messages"]]
    told = await world("batch_modify_gmail_message_labels", message_ids=ids, add_label_ids=["STARRED"])
    starred = [one for one in ids if "STARRED" in world.rest("gmail.users.messages.get", **ME, id=one)["labelIds"]]
    return told["added"], starred == ids


async def a_label_of_ones_own(world: World) -> object:
    made = await world("manage_gmail_label", action="create", name="Fairs/2027", label_list_visibility="labelHide")
    await world("manage_gmail_label", action="update", label_id=made["label_id"], name="Fairs/2028")
    kept = world.rest("gmail.users.labels.get", **ME, id=made["label_id"])
    await world("manage_gmail_label", action="delete", label_id=made["label_id"])
    left = {one["name"] for one in world.rest("gmail.users.labels.list", **ME)["labels"]}
    return kept["name"], kept["labelListVisibility"], "Fairs/2028" in left


async def a_label_twice(world: World) -> object:
    await world.outcome("manage_gmail_label", action="create", name="Twice")
    with pytest.raises(Exception) as caught:
        world.rest("gmail.users.labels.create", **ME, body={"name": "Twice"})
    return str(caught.value)


async def a_filter(world: World) -> object:
    rule = {"criteria": {"from": "marta@brightparts.example"}, "action": {"addLabelIds": ["STARRED"]}}
    made = await world("create_gmail_filter", **rule)
    told = await world("list_gmail_filters")
    return made["filter"]["filter_id"] in {one["filter_id"] for one in told["filters"]}, {
        key: made["filter"][key] for key in rule
    }


async def a_filter_twice(world: World) -> object:
    rule = {"criteria": {"from": "twice@brightparts.example"}, "action": {"addLabelIds": ["STARRED"]}}
    return [isinstance(await world.outcome("create_gmail_filter", **rule), str) for _ in range(2)]


async def what_does_not_exist(world: World) -> object:
    return [
        await world.outcome("get_gmail_message_content", message_id="18f2abcdef012345"),
        await world.outcome("get_gmail_thread_content", thread_id="18f2abcdef012345"),
    ]


SAME = [
    a_page_of_mails,
    a_mail,
    a_thread,
    a_sent_mail,
    an_html_mail_with_a_file,
    a_reply_stays_in_its_thread,
    a_draft,
    labels_of_a_mail,
    several_mails_at_once,
    a_label_of_ones_own,
    a_label_twice,
    a_filter,
    a_filter_twice,
    what_does_not_exist,
]
DIFFERENT = [
    Difference("Gmail: mails in spam", mails_in_spam, 2, 0),
    Difference("Gmail: mails to somebody in copy", mails_to_somebody_in_copy, True, False),
    Difference("Gmail: a sender who is not named", a_sender_who_is_not_named, SAM, None),
    Difference(
        "Gmail: a mail of the inbox put into the bin",
        an_inbox_mail_to_the_bin,
        ["SENT", "TRASH"],
        ["INBOX", "SENT", "TRASH"],
    ),
]


@pytest.mark.parametrize("scenario", SAME, ids=named)
async def test_the_same_calls_have_the_same_effects(pair: Pair, scenario: Scenario) -> None:
    ours, theirs = await pair.seen(scenario)
    assert ours == theirs


@pytest.mark.parametrize("difference", DIFFERENT, ids=named)
async def test_where_they_differ_it_is_known(pair: Pair, difference: Difference) -> None:
    assert await pair.seen(difference.scenario) == (difference.ours, difference.theirs)
