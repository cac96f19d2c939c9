"""The Gmail tools, one case each."""

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from email import message_from_bytes, policy
from email.message import EmailMessage

from tests.mcp_server.every_tool.office import ANA, Json, Office

ME = {"userId": "me"}


def ids(office: Office, query: str, count: int = 3) -> list[str]:
    found = office.rest("gmail.users.messages.list", **ME, q=query, maxResults=count)
    return [one["id"] for one in found["messages"]]


def message(office: Office, message_id: str) -> Json:
    return office.rest("gmail.users.messages.get", **ME, id=message_id)


def header(found: Json, name: str) -> str:
    return next(str(one["value"]) for one in found["payload"]["headers"] if one["name"] == name)


def stored(office: Office, message_id: str) -> EmailMessage:
    """A mail as Google keeps it."""
    raw = office.rest("gmail.users.messages.get", **ME, id=message_id, format="raw")["raw"]
    return message_from_bytes(urlsafe_b64decode(raw + "=="), policy=policy.default)


def sent(office: Office, subject: str) -> str:
    """The id of a mail to work on."""
    mail = EmailMessage()
    mail["To"], mail["Subject"] = ANA, subject
    mail.set_content("A line.")
    body = {"raw": urlsafe_b64encode(mail.as_bytes()).decode()}
    return str(office.rest("gmail.users.messages.send", **ME, body=body)["id"])


async def search_gmail_messages(office: Office) -> None:
    page = await office.call("search_gmail_messages", query="in:inbox is:unread", page_size=3)
    assert [one["message_id"] for one in page["messages"]] == ids(office, "in:inbox is:unread")
    assert page["next_page_token"]


async def get_gmail_message_content(office: Office) -> None:
    (one,) = ids(office, "subject:invoice 2041 is:unread", 1)
    mail = await office.call("get_gmail_message_content", message_id=one)
    kept = stored(office, one)
    assert (mail["subject"], mail["rfc822_message_id"]) == (kept["Subject"], kept["Message-ID"])
    assert mail["body"].split() == kept.get_body(("plain",)).get_content().split()  # type: ignore[union-attr]


async def get_gmail_messages_content_batch(office: Office) -> None:
    wanted = ids(office, "in:inbox")
    told = await office.call("get_gmail_messages_content_batch", message_ids=wanted, format="metadata")
    subjects = [header(message(office, one), "Subject") for one in wanted]
    assert [(one["message_id"], one["subject"]) for one in told["messages"]] == list(zip(wanted, subjects, strict=True))
    assert told["failed"] == []


async def get_gmail_attachment_content(office: Office) -> None:
    (one,) = ids(office, "filename:confirmation-7731.pdf", 1)
    (part,) = (part for part in message(office, one)["payload"]["parts"] if part.get("filename"))
    attachment = part["body"]["attachmentId"]
    saved = await office.call("get_gmail_attachment_content", message_id=one, attachment_id=attachment)
    place = {"messageId": one, "id": attachment}
    data = office.rest("gmail.users.messages.attachments.get", **ME, **place)["data"]
    kept = office.stored(saved)
    assert kept == urlsafe_b64decode(data) and kept.startswith(b"%PDF")
    assert (saved["filename"], saved["sha256"]) == ("confirmation-7731.pdf", hashlib.sha256(kept).hexdigest())


async def get_gmail_thread_content(office: Office) -> None:
    (one,) = ids(office, "from:lena subject:offsite", 1)
    thread = office.rest("gmail.users.threads.get", **ME, id=message(office, one)["threadId"])
    told = await office.call("get_gmail_thread_content", thread_id=thread["id"])
    assert [mail["message_id"] for mail in told["messages"]] == [mail["id"] for mail in thread["messages"]]


async def get_gmail_threads_content_batch(office: Office) -> None:
    threads = list(dict.fromkeys(message(office, one)["threadId"] for one in ids(office, "in:inbox")))
    told = await office.call("get_gmail_threads_content_batch", thread_ids=threads)
    assert [one["thread_id"] for one in told["threads"]] == threads and told["failed"] == []


async def list_gmail_labels(office: Office) -> None:
    told = await office.call("list_gmail_labels")
    kept = office.rest("gmail.users.labels.list", **ME)["labels"]
    assert {(one["label_id"], one["name"]) for one in told["labels"]} == {(one["id"], one["name"]) for one in kept}


async def list_gmail_filters(office: Office) -> None:
    told = await office.call("list_gmail_filters")
    kept = office.rest("gmail.users.settings.filters.list", **ME)["filter"]
    assert [one["filter_id"] for one in told["filters"]] == [one["id"] for one in kept]


async def send_gmail_message(office: Office) -> None:
    made = await office.call("send_gmail_message", to=f"Ana Ruiz <{ANA}>", subject="Größe 😀", body="Grüße\nSam")
    mail = stored(office, made["message_id"])
    assert (mail["To"], mail["Subject"]) == (f"Ana Ruiz <{ANA}>", "Größe 😀")
    assert mail.get_content().split() == ["Grüße", "Sam"]
    assert "SENT" in message(office, made["message_id"])["labelIds"]


async def draft_gmail_message(office: Office) -> None:
    made = await office.call("draft_gmail_message", subject="Later", body="Not yet.")
    kept = office.rest("gmail.users.drafts.get", **ME, id=made["draft_id"])["message"]
    assert (header(kept, "Subject"), kept["labelIds"]) == ("Later", ["DRAFT"])


async def modify_gmail_message_labels(office: Office) -> None:
    one = sent(office, "One")
    await office.call("modify_gmail_message_labels", message_id=one, add_label_ids=["Travel", "STARRED"])
    names = {one["id"]: one["name"] for one in office.rest("gmail.users.labels.list", **ME)["labels"]}
    assert {names[label] for label in message(office, one)["labelIds"]} == {"SENT", "STARRED", "Travel"}


async def batch_modify_gmail_message_labels(office: Office) -> None:
    both = [sent(office, "First"), sent(office, "Second")]
    await office.call("batch_modify_gmail_message_labels", message_ids=both, add_label_ids=["IMPORTANT"])
    assert all("IMPORTANT" in message(office, one)["labelIds"] for one in both)


async def manage_gmail_label(office: Office) -> None:
    made = await office.call("manage_gmail_label", action="create", name="Fairs/2027")
    await office.call("manage_gmail_label", action="update", label_id=made["label_id"], name="Fairs/2028")
    assert office.rest("gmail.users.labels.get", **ME, id=made["label_id"])["name"] == "Fairs/2028"
    await office.call("manage_gmail_label", action="delete", label_id=made["label_id"])
    kept = office.rest("gmail.users.labels.list", **ME)["labels"]
    assert made["label_id"] not in {one["id"] for one in kept}


async def create_gmail_filter(office: Office) -> None:
    rule = {"criteria": {"from": "marta@brightparts.example"}, "action": {"addLabelIds": ["STARRED"]}}
    made = await office.call("create_gmail_filter", **rule)
    kept = office.rest("gmail.users.settings.filters.get", **ME, id=made["filter"]["filter_id"])
    assert {key: kept[key] for key in rule} == rule


async def delete_gmail_filter(office: Office) -> None:
    rule = {"criteria": {"subject": "sale"}, "action": {"removeLabelIds": ["INBOX"]}}
    one = office.rest("gmail.users.settings.filters.create", **ME, body=rule)["id"]
    await office.call("delete_gmail_filter", filter_id=one)
    assert one not in {kept["id"] for kept in office.rest("gmail.users.settings.filters.list", **ME)["filter"]}
