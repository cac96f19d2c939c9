"""What people ask to have done, in several languages, and the calls that it must become."""

import pytest

from core.agents.offline.acts import Call
from core.mcp_server.results import MailPage
from tests.agents.offline_desk import Desk, brain, specialist_offers
from tests.agents.offline_results import INVOICE, NOTHING, UNREAD
from tests.agents.offline_results import TOMORROW as AGENDA

SEND, DRAFT, LABEL, LABELS = (
    "send_gmail_message", "draft_gmail_message", "modify_gmail_message_labels", "batch_modify_gmail_message_labels",
)  # fmt: skip
CREATE, MOVE, CANCEL = "create_event", "modify_event", "delete_event"
ANA, KENJI, LENA = "ana@lumenworks.example", "kenji@lumenworks.example", "lena@lumenworks.example"


def mail(to, subject, body):
    return {"to": to, "subject": subject, "body": body}


def reply(to, thread, body):
    return {"to": to, "subject": "", "body": body, "thread_id": thread}


def event(summary, start, end):
    return {"summary": summary, "start_time": start, "end_time": end}


NEW_MAIL = [
    (
        f"mail {KENJI} about the roadmap saying I'll read it tonight",
        SEND,
        mail(KENJI, "Roadmap", "I'll read it tonight."),
    ),
    (
        f"send {ANA} a mail that the invoice is approved",
        SEND,
        mail(ANA, "The invoice is approved", "The invoice is approved."),
    ),
    (f"write to {LENA}: date A is fine!", SEND, mail(LENA, "Date A is fine", "Date A is fine!")),
    (f"tell {ANA} that the invoice is paid", SEND, mail(ANA, "The invoice is paid", "The invoice is paid.")),
    (f"please let {ANA} know I'm late", SEND, mail(ANA, "I'm late", "I'm late.")),
    (
        f"ask {ANA} if the invoice is paid",
        SEND,
        mail(ANA, "Could you tell me if the invoice is paid", "Could you tell me if the invoice is paid?"),
    ),
    (f"tell {KENJI} to look at the build", SEND, mail(KENJI, "Please look at the build", "Please look at the build.")),
    (f"draft a mail to {ANA} that I agree", DRAFT, mail(ANA, "I agree", "I agree.")),
    (
        f"Schreib eine Mail an {ANA}: die Rechnung ist freigegeben",
        SEND,
        mail(ANA, "Die Rechnung ist freigegeben", "Die Rechnung ist freigegeben."),
    ),
    (
        f"Envoie un email à {ANA} que la facture est approuvée",
        SEND,
        mail(ANA, "La facture est approuvée", "La facture est approuvée."),
    ),
    (
        f"Escribe a {ANA} que la factura está aprobada",
        SEND,
        mail(ANA, "La factura está aprobada", "La factura está aprobada."),
    ),
    (
        f"{ANA}に「請求書を承認しました」とメールを送って",
        SEND,
        mail(ANA, "請求書を承認しました", "請求書を承認しました"),
    ),
    ("create a label Travel", "manage_gmail_label", {"action": "create", "name": "Travel"}),
    (
        "rename the label Travel to Trips",
        "manage_gmail_label",
        {"action": "update", "label_id": "Travel", "name": "Trips"},
    ),
    ("delete the label Travel", "manage_gmail_label", {"action": "delete", "label_id": "Travel"}),
]

SHOWN_MAIL = [
    (
        "reply to the second one that I'll be there at ten",
        SEND,
        reply("kenji@lumenworks.example", "t2", "I'll be there at ten."),
    ),
    ("answer the first one: yes, go ahead", SEND, reply(ANA, "t1", "Yes, go ahead.")),
    ("reply yes to the first one", SEND, reply(ANA, "t1", "Yes.")),
    ("draft a reply to the fourth one saying date A is fine", DRAFT, reply(LENA, "t4", "Date A is fine.")),
    ("Antworte auf die zweite: ich bin um zehn da", SEND, reply(KENJI, "t2", "Ich bin um zehn da.")),
    ("Réponds au premier que c'est d'accord", SEND, reply(ANA, "t1", "C'est d'accord.")),
    ("Responde al segundo que estoy de acuerdo", SEND, reply(KENJI, "t2", "Estoy de acuerdo.")),
    ("2番目に「十時に行きます」と返信して", SEND, reply(KENJI, "t2", "十時に行きます")),
    ("star the second one", LABEL, {"message_id": "m2", "add_label_ids": ["STARRED"]}),
    ("label the second one Invoices", LABEL, {"message_id": "m2", "add_label_ids": ["Invoices"]}),
    ("archive the first one", LABEL, {"message_id": "m1", "remove_label_ids": ["INBOX"]}),
    ("mark the third one as read", LABEL, {"message_id": "m3", "remove_label_ids": ["UNREAD"]}),
    ("mark number 2 as unread", LABEL, {"message_id": "m2", "add_label_ids": ["UNREAD"]}),
    ("delete the last one", LABEL, {"message_id": "m5", "add_label_ids": ["TRASH"]}),
    (
        "move the first one to Travel",
        LABEL,
        {"message_id": "m1", "add_label_ids": ["Travel"], "remove_label_ids": ["INBOX"]},
    ),
    ("delete the one from Lena", LABEL, {"message_id": "m4", "add_label_ids": ["TRASH"]}),
    ("archive all of them", LABELS, {"message_ids": ["m1", "m2", "m3", "m4", "m5"], "remove_label_ids": ["INBOX"]}),
    ("mark them all as read", LABELS, {"message_ids": ["m1", "m2", "m3", "m4", "m5"], "remove_label_ids": ["UNREAD"]}),
    ("Archiviere die zweite", LABEL, {"message_id": "m2", "remove_label_ids": ["INBOX"]}),
    ("Lösche die erste", LABEL, {"message_id": "m1", "add_label_ids": ["TRASH"]}),
    ("Supprime le premier", LABEL, {"message_id": "m1", "add_label_ids": ["TRASH"]}),
    ("Archiva el segundo", LABEL, {"message_id": "m2", "remove_label_ids": ["INBOX"]}),
    ("2番目をアーカイブして", LABEL, {"message_id": "m2", "remove_label_ids": ["INBOX"]}),
    (f"tell {KENJI} that I read it", SEND, mail(KENJI, "I read it", "I read it.")),
    ("tell Kenji that I read it", SEND, mail(KENJI, "I read it", "I read it.")),
]

NEW_EVENT = [
    (
        "put lunch with Tom on Friday at 12:30 for an hour in my calendar",
        event("Lunch with Tom", "2026-12-04T12:30", "2026-12-04T13:30"),
    ),
    (
        "add dentist to my calendar tomorrow at 8:15 for 40 minutes",
        event("Dentist", "2026-12-01T08:15", "2026-12-01T08:55"),
    ),
    ("block tomorrow from 9 to 11 for the budget", event("Budget", "2026-12-01T09:00", "2026-12-01T11:00")),
    ("remind me to call the hotel on Wednesday at 10", event("Call the hotel", "2026-12-02T10:00", "2026-12-02T11:00")),
    ("put the trade fair on 10 December in my calendar", event("Trade fair", "2026-12-10", "2026-12-11")),
    ('create an event "Budget talk" on Friday at 3pm', event("Budget talk", "2026-12-04T15:00", "2026-12-04T16:00")),
    (
        "schedule a 45 minute review of the roadmap tomorrow at 14:00",
        event("Review of the roadmap", "2026-12-01T14:00", "2026-12-01T14:45"),
    ),
    ("Erstelle einen Termin Zahnarzt morgen um 8:15", event("Zahnarzt", "2026-12-01T08:15", "2026-12-01T09:15")),
    (
        "Trag Mittagessen mit Tom am Freitag um 12:30 in meinen Kalender ein",
        event("Mittagessen mit Tom", "2026-12-04T12:30", "2026-12-04T13:30"),
    ),
    (
        "Ajoute déjeuner avec Tom vendredi à 12h30 à mon agenda",
        event("Déjeuner avec Tom", "2026-12-04T12:30", "2026-12-04T13:30"),
    ),
    (
        "Añade comida con Tom el viernes a las 12:30 a mi calendario",
        event("Comida con Tom", "2026-12-04T12:30", "2026-12-04T13:30"),
    ),
    ("明日の15時に歯医者の予定を入れて", event("歯医者", "2026-12-01T15:00", "2026-12-01T16:00")),
]

FIND = [
    (
        "gmail",
        "send Ana a mail that the invoice is approved",
        "search_gmail_messages",
        {"query": "from:Ana", "page_size": 25},
    ),
    (
        "gmail",
        "reply to the last mail from Priya that I'll be late",
        "search_gmail_messages",
        {"query": "in:inbox from:Priya", "page_size": 10},
    ),
    ("gmail", "answer Ana that I agree", "search_gmail_messages", {"query": "in:inbox from:Ana", "page_size": 10}),
    (
        "gmail",
        "archive the mail about the offsite",
        "search_gmail_messages",
        {"query": "in:inbox offsite", "page_size": 10},
    ),
    (
        "gmail",
        "delete the newsletter mails",
        "search_gmail_messages",
        {"query": "in:inbox category:promotions", "page_size": 100},
    ),
    (
        "gmail",
        "mark all unread mails from Tom as read",
        "search_gmail_messages",
        {"query": "in:inbox from:Tom is:unread", "page_size": 100},
    ),
    (
        "calendar",
        "move my 3 o'clock to Friday",
        "get_events",
        {"time_min": "2026-12-01T15:00:00+01:00", "time_max": "2026-12-01T16:00:00+01:00", "max_results": 25},
    ),
    (
        "calendar",
        "cancel my meeting with Tom on Friday",
        "get_events",
        {
            "time_min": "2026-12-04T00:00:00+01:00",
            "time_max": "2026-12-05T00:00:00+01:00",
            "query": "Tom",
            "max_results": 25,
        },
    ),
    (
        "calendar",
        "move the board meeting to 4 pm",
        "get_events",
        {
            "time_min": "2026-11-30T15:30:00+01:00",
            "time_max": "2026-12-30T00:00:00+01:00",
            "query": "board",
            "max_results": 25,
        },
    ),
    (
        "calendar",
        "Verschiebe das Board-Meeting auf Freitag",
        "get_events",
        {
            "time_min": "2026-11-30T15:30:00+01:00",
            "time_max": "2026-12-30T00:00:00+01:00",
            "query": "Board",
            "max_results": 25,
        },
    ),
    (
        "calendar",
        "schedule a 30 minute call with Ana tomorrow at 3",
        "get_events",
        {
            "time_min": "2026-11-30T15:30:00+01:00",
            "time_max": "2027-02-28T00:00:00+01:00",
            "query": "Ana",
            "max_results": 6,
            "detailed": True,
        },
    ),
]

ASKED_BACK = [
    ("gmail", "send Ana a mail", "What shall the mail say?"),
    ("gmail", "send a mail that I'm late", "Who shall it go to?"),
    ("gmail", "reply to the mail from Ana", "What shall the mail say?"),
    ("calendar", "schedule a call with Ana", "When shall it be?"),
    ("calendar", "put lunch with Tom in my calendar tomorrow afternoon", "When shall it be?"),
    ("calendar", "add an event tomorrow at 3", "What shall the event be called?"),
]

CANNOT = [
    ("gmail", "forward the mail from Ana to Tom"),
    ("gmail", "reply to everyone that I agree"),
    ("calendar", "accept the invitation from Kenji"),
]


@pytest.fixture(scope="module")
def mind():
    return brain()


@pytest.fixture
def desk(mind):
    return lambda domain: Desk(mind, specialist_offers(domain))


@pytest.mark.parametrize(("question", "tool", "args"), NEW_MAIL)
def test_a_request_about_mail_becomes_its_call(desk, question, tool, args):
    assert desk("gmail").decide(question) == [Call(tool, args)]


@pytest.mark.parametrize(("question", "tool", "args"), SHOWN_MAIL)
def test_a_request_about_mail_that_was_shown_becomes_its_call(desk, question, tool, args):
    mails = desk("gmail")
    mails.ask("Show my unread emails", UNREAD)
    assert mails.decide(question) == [Call(tool, args)]


@pytest.mark.parametrize(("question", "args"), NEW_EVENT)
def test_a_new_event_gets_its_title_and_its_time(desk, question, args):
    assert desk("calendar").decide(question) == [Call(CREATE, args)]


@pytest.mark.parametrize(("domain", "question", "tool", "args"), FIND)
def test_what_is_meant_is_looked_up_first(desk, domain, question, tool, args):
    assert desk(domain).decide(question) == [Call(tool, args)]


@pytest.mark.parametrize(("domain", "question", "said"), ASKED_BACK)
def test_what_is_missing_is_asked_for(desk, domain, question, said):
    assert desk(domain).ask(question).startswith(said)


@pytest.mark.parametrize(("domain", "question"), CANNOT)
def test_what_no_tool_does_is_declined_honestly(desk, domain, question):
    assert "Nothing was done." in desk(domain).ask(question)


ASIDE = [
    ("archive it", "I do not know which of the 5 you mean."),
    ("delete this mail", "I do not know which of the 5 you mean."),
    ("answer it with: thanks", "I do not know which of the 5 you mean."),
]


@pytest.mark.parametrize(("question", "said"), ASIDE)
def test_what_does_not_say_which_mail_it_means_changes_none(desk, question, said):
    mails = desk("gmail")
    mails.ask("Show my unread emails", UNREAD)
    assert mails.ask(question).startswith(said)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("archive all newsletters", "in:inbox category:promotions"),
        ("delete everything from Elena", "in:inbox from:Elena"),
        ("Lösche alle Newsletter", "in:inbox category:promotions"),
    ],
)
def test_all_of_something_is_never_all_that_was_shown(desk, question, query):
    mails = desk("gmail")
    mails.ask("Show my unread emails", UNREAD)
    assert mails.decide(question) == [Call("search_gmail_messages", {"query": query, "page_size": 100})]


def test_of_those_that_were_shown_only_the_ones_that_fit_are_changed(desk):
    mails = desk("gmail")
    mails.ask("Show my unread emails", UNREAD)
    assert mails.decide("archive those from Lena") == [
        Call(LABELS, {"message_ids": ["m4"], "remove_label_ids": ["INBOX"]})
    ]


def test_nobody_who_was_named_is_left_out(desk):
    mails = desk("gmail")
    mails.ask("Show my unread emails", UNREAD)
    assert mails.decide("send a mail to Ana and Kenji that lunch is ready") == [
        Call(SEND, mail(f"{ANA}, {KENJI}", "Lunch is ready", "Lunch is ready."))
    ]
    nobody = desk("gmail").ask("send a mail to Ana and Bob that lunch is ready", NOTHING)
    assert nobody.startswith("I found no address of Ana and Bob.")


def test_of_two_addresses_of_one_name_none_is_guessed(desk):
    other = INVOICE.model_copy(update={"sender_email": "ana@lookalike.example"})
    found = MailPage(query="from:Ana", messages=[INVOICE, other], total_estimate=2)
    answer = desk("gmail").ask("tell Ana that the invoice is approved", found)
    assert answer.startswith("There are several addresses of that name.")
    assert "ana@lookalike.example" in answer and ANA in answer


def test_several_events_that_fit_are_listed_and_one_is_chosen(desk):
    dates = desk("calendar")
    answer = dates.ask("cancel my meeting tomorrow", AGENDA)
    assert answer.startswith("Several events fit. Which one do you mean? Nothing was done yet.")
    (act,) = dates.decide("the second one")
    assert act.name == CANCEL and act.args["event_id"] == AGENDA.events[1].event_id
