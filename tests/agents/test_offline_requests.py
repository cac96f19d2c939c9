"""What people ask every day, in several languages, and the call that it must become."""

import pytest

from core.agents.offline.acts import Call
from tests.agents.offline_desk import Desk, brain, specialist_offers

SEARCH, EVENTS, FREE = "search_gmail_messages", "get_events", "query_freebusy"


def day(first: str, after: str) -> dict[str, str]:
    return {"time_min": f"2026-{first}T00:00:00+01:00", "time_max": f"2026-{after}T00:00:00+01:00"}


def hours(date: str, first: str, after: str) -> dict[str, str]:
    return {"time_min": f"2026-{date}T{first}:00+01:00", "time_max": f"2026-{date}T{after}:00+01:00"}


NOW = "2026-11-30T15:30:00+01:00"
TODAY, TOMORROW = day("11-30", "12-01"), day("12-01", "12-02")
THIS_WEEK, NEXT_WEEK, COMING = day("11-30", "12-07"), day("12-07", "12-14"), {**day("11-30", "12-07"), "time_min": NOW}
MONTH = {"time_min": NOW, "time_max": "2026-12-30T00:00:00+01:00", "max_results": 10}
QUARTER = {"time_min": NOW, "time_max": "2027-02-28T00:00:00+01:00", "max_results": 10}

MAIL = [
    ("Show my unread emails", {"query": "is:unread"}),
    ("any unread mail from Ana?", {"query": "is:unread from:Ana"}),
    ("Find the mail from Ana about the invoice", {"query": "from:Ana invoice"}),
    ("mails about the offsite", {"query": "offsite"}),
    ("emails with attachments", {"query": "has:attachment"}),
    ("what came in this week", {"query": "after:2026/11/30 before:2026/12/07"}),
    ("mails from yesterday", {"query": "after:2026/11/29 before:2026/11/30"}),
    ("important emails from last week", {"query": "is:important after:2026/11/23 before:2026/11/30"}),
    ("Which mails came in on 25 November?", {"query": "after:2026/11/25 before:2026/11/26"}),
    ("mails from this morning", {"query": "after:1796014800 before:1796036400"}),
    ("mails since Friday", {"query": "after:2026/11/27"}),
    ("starred mails", {"query": "is:starred"}),
    ("messages labelled Invoices", {"query": "label:Invoices"}),
    ("mails in the folder Travel", {"query": "label:Travel"}),
    ("did Lena write to me today?", {"query": "from:Lena after:2026/11/30 before:2026/12/01"}),
    ("has Tom replied?", {"query": "from:Tom"}),
    ("what's in my inbox", {"query": "in:inbox"}),
    ("last 5 mails from Tom", {"query": "from:Tom", "page_size": 5}),
    ("emails I sent to Priya", {"query": "in:sent to:Priya"}),
    ('find "purchase order"', {"query": '"purchase order"'}),
    ("PDFs from Marta", {"query": "filename:pdf from:Marta"}),
    ("check for new emails from the hotel", {"query": "is:unread from:hotel"}),
    ("any news from priya@lumenworks.example?", {"query": "from:priya@lumenworks.example"}),
    ("find mails from Jonas Weber about the hotel booking", {"query": "from:Jonas from:Weber hotel booking"}),
    ("show me drafts", {"query": "in:drafts"}),
    ("invoice", {"query": "invoice"}),
    ("how many unread emails do I have", {"query": "is:unread", "page_size": 50}),
    ("read the mail from Kenji about the roadmap", {"query": "from:Kenji roadmap", "page_size": 5}),
    ("What did Ana write about the invoice?", {"query": "from:Ana invoice", "page_size": 5}),
    ("open my latest email", {"query": "in:inbox", "page_size": 5}),
    ("show the whole thread about the offsite", {"query": "offsite", "page_size": 5}),
    ("Zeig mir meine ungelesenen E-Mails", {"query": "is:unread"}),
    ("Mails von Ana über die Rechnung", {"query": "from:Ana {invoice Rechnung}"}),
    ("Wie viele ungelesene E-Mails habe ich?", {"query": "is:unread", "page_size": 50}),
    ("請求書のメールを探して", {"query": "{invoice 請求書}"}),
    ("Mails mit Anhang von Marta", {"query": "has:attachment from:Marta"}),
    ("Mails von gestern", {"query": "after:2026/11/29 before:2026/11/30"}),
    ("Montre-moi mes emails non lus", {"query": "is:unread"}),
    ("Courriels de Chloé cette semaine", {"query": "from:Chloé after:2026/11/30 before:2026/12/07"}),
    ("Muéstrame mis correos sin leer", {"query": "is:unread"}),
    ("未読メールを見せて", {"query": "is:unread"}),
    ("Anaさんからのメール", {"query": "from:Ana"}),
]

CALENDAR = [
    ("What's on my calendar tomorrow?", EVENTS, TOMORROW),
    ("what do I have today", EVENTS, TODAY),
    ("my schedule this week", EVENTS, THIS_WEEK),
    ("meetings next week", EVENTS, NEXT_WEEK),
    ("do I have anything on Friday?", EVENTS, day("12-04", "12-05")),
    ("what's on on 3 December", EVENTS, day("12-03", "12-04")),
    ("what's on tomorrow afternoon", EVENTS, hours("12-01", "12:00", "18:00")),
    ("what's happening this weekend", EVENTS, day("12-05", "12-07")),
    ("show all my events for the rest of the week", EVENTS, COMING),
    ("agenda", EVENTS, COMING),
    ("meetings with Kenji next week", EVENTS, {**NEXT_WEEK, "query": "Kenji"}),
    ("how many meetings do I have this week", EVENTS, {**THIS_WEEK, "max_results": 100}),
    ("what's my next meeting?", EVENTS, MONTH),
    ("next meeting with Kenji", EVENTS, {**MONTH, "query": "Kenji"}),
    ("when is the board meeting?", EVENTS, {**QUARTER, "query": "board"}),
    ("when do I meet with Priya", EVENTS, {**QUARTER, "query": "Priya"}),
    ("where is the offsite?", EVENTS, {**QUARTER, "query": "offsite"}),
    ("what time is the standup tomorrow", EVENTS, {**TOMORROW, "query": "standup", "max_results": 10}),
    (
        "who is invited to the roadmap review?",
        EVENTS,
        {**QUARTER, "query": "roadmap review", "detailed": True},
    ),
    ("am I free tomorrow at 3?", FREE, hours("12-01", "15:00", "16:00")),
    ("am I free Friday afternoon", FREE, hours("12-04", "12:00", "18:00")),
    ("am I busy today between 16 and 17", FREE, hours("11-30", "16:00", "17:00")),
    ("do I have time for a call at 16:00 today?", FREE, hours("11-30", "16:00", "17:00")),
    ("next free slot", FREE, COMING),
    ("find a free slot of 45 minutes this week", FREE, THIS_WEEK),
    ("when am I free tomorrow", FREE, TOMORROW),
    ("which calendars do I have", "list_calendars", {}),
    ("Was steht morgen in meinem Kalender?", EVENTS, TOMORROW),
    ("Termine nächste Woche", EVENTS, NEXT_WEEK),
    ("nächster Termin", EVENTS, MONTH),
    ("Wann ist das Board-Meeting?", EVENTS, {**QUARTER, "query": "Board"}),
    ("Bin ich morgen um 15 Uhr frei?", FREE, hours("12-01", "15:00", "16:00")),
    ("Qu'est-ce que j'ai demain ?", EVENTS, TOMORROW),
    ("Suis-je libre vendredi après-midi ?", FREE, hours("12-04", "12:00", "18:00")),
    ("¿Qué tengo mañana?", EVENTS, TOMORROW),
    ("明日の予定は？", EVENTS, TOMORROW),
    ("今週の予定", EVENTS, THIS_WEEK),
    ("来週の会議", EVENTS, NEXT_WEEK),
    ("明日の15時は空いていますか？", FREE, hours("12-01", "15:00", "16:00")),
    ("is Kenji free tomorrow?", "list_calendars", {}),
    ("when does Ana have time this week", "list_calendars", {}),
    ("Hat Kenji morgen Zeit?", "list_calendars", {}),
    ("Ist Kenji am Freitag frei?", "list_calendars", {}),
    ("Kenji est-il libre demain ?", "list_calendars", {}),
    ("¿Kenji está libre mañana?", "list_calendars", {}),
    ("Kenjiさんは明日空いていますか", "list_calendars", {}),
]


@pytest.fixture(scope="module")
def mind():
    return brain()


@pytest.mark.parametrize(("question", "args"), MAIL)
def test_a_question_about_mail_becomes_a_search(mind, question, args):
    assert Desk(mind, specialist_offers("gmail")).decide(question) == [Call(SEARCH, args)]


@pytest.mark.parametrize(("question", "tool", "args"), CALENDAR)
def test_a_question_about_the_calendar_becomes_a_call(mind, question, tool, args):
    assert Desk(mind, specialist_offers("calendar")).decide(question) == [Call(tool, args)]


@pytest.mark.parametrize(
    ("question", "tool"),
    [
        ("which labels do I have?", "list_gmail_labels"),
        ("show my filters", "list_gmail_filters"),
        ("Welche Ordner habe ich?", "list_gmail_labels"),
    ],
)
def test_a_question_about_the_mailbox_itself_takes_its_own_tool(mind, question, tool):
    assert Desk(mind, specialist_offers("gmail")).decide(question) == [Call(tool, {})]
