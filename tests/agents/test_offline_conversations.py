"""Whole conversations: what was shown is what a person may refer to."""

import pytest

from core.mcp_server.results import Label, LabelList, MailPage, MailThread
from tests.agents.offline_desk import Desk, brain, orchestrator_offers, specialist_offers
from tests.agents.offline_results import (
    CALENDARS,
    INVOICE,
    NOTHING,
    OFFSITE,
    PDF,
    RELEASE,
    REVIEW,
    ROADMAP,
    STANDUP,
    TOMORROW,
    UNREAD,
    free_busy,
    hour,
    page,
    whole,
)


@pytest.fixture(scope="module")
def mind():
    return brain()


@pytest.fixture
def mail(mind):
    return Desk(mind, specialist_offers("gmail"))


@pytest.fixture
def dates(mind):
    return Desk(mind, specialist_offers("calendar"))


def test_unread_mail_is_a_numbered_list_with_human_dates(mail):
    answer = mail.ask("Show my unread emails", UNREAD)
    assert answer.splitlines()[:4] == [
        "5 unread mails, newest first:",
        "",
        "1. **Invoice 2041 is due on Friday** — Ana Ruiz · Today 09:12 · with attachment",
        "   About Invoice 2041 is due on Friday",
    ]
    assert "4. **Offsite: two dates** — Lena Vogt · Yesterday 16:25 · ★" in answer
    assert "5. Colaboración \\| feria — Elena Gómez · Fri 28 Nov 2025 12:44" in answer
    assert "\\[lumen-firmware\\] Release 4.2" in answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which of those is the newest?", "Release 4.2 failed on main**” from Build bot"),
        ("which one is the oldest", "from Elena Gómez"),
        ("lequel est le plus récent ?", "de Build bot"),
        ("who sent the second?", "from Kenji Mori (kenji@lumenworks.example)"),
        ("when did the last one come?", "Fri 28 Nov 2025 12:44"),
        ("Welche davon ist die neueste?", "von Build bot (build@lumenworks.example), Heute 12:58, ungelesen."),
        ("¿Cuál es el más reciente?", "de Build bot"),
        ("一番新しいのはどれ？", "Build botさん"),
        ("how many are from Ana?", "1 of the 5 shown."),
        ("how many of those are unread", "4 of the 5 shown."),
        ("which of them are starred", "1 of the 5 shown:\n\n1. Offsite: two dates — Lena Vogt"),
        ("only the ones from Lena", "1 of the 5 shown:\n\n1. Offsite: two dates — Lena Vogt"),
        ("which of those are about the roadmap or release 9", "None of the 5 shown."),
    ],
)
def test_questions_about_the_list_are_answered_from_it(mail, question, said):
    mail.ask("Show my unread emails", UNREAD)
    assert said in mail.ask(question)
    assert len(mail.calls) == 1


@pytest.mark.parametrize(
    ("question", "message_id"),
    [
        ("open the second one", "m2"),
        ("the third", "m3"),
        ("read number 4", "m4"),
        ("3", "m3"),
        ("#2", "m2"),
        ("open the last one", "m5"),
        ("show me the one from Lena", "m4"),
        ("open the newest one", "m3"),
        ("summarise the first one", "m1"),
        ("Öffne die zweite", "m2"),
        ("ouvre le premier", "m1"),
    ],
)
def test_an_item_of_the_list_is_opened_by_what_singles_it_out(mail, question, message_id):
    mail.ask("Show my unread emails", UNREAD)
    mail.ask(question, whole(ROADMAP))
    assert mail.calls[-1] == ("get_gmail_message_content", {"message_id": message_id})


def test_it_is_what_was_spoken_of_last(mail):
    mail.ask("Show my unread emails", UNREAD)
    mail.ask("Which of those is the newest?")
    mail.ask("open it", whole(RELEASE))
    assert mail.calls[-1][1] == {"message_id": "m3"}
    mail.ask("what attachments does it have?", whole(RELEASE))
    assert mail.calls[-1][1] == {"message_id": "m3"}
    mail.ask("show the whole thread", MailThread(thread_id="t3", subject="x", messages=[whole(RELEASE)]))
    assert mail.calls[-1] == ("get_gmail_thread_content", {"thread_id": "t3"})


def test_the_list_stays_while_its_items_are_read(mail):
    mail.ask("Show my unread emails", UNREAD)
    mail.ask("open the second one", whole(ROADMAP))
    mail.ask("and the first one", whole(INVOICE))
    assert [args for _, args in mail.calls[1:]] == [{"message_id": "m2"}, {"message_id": "m1"}]


def test_a_choice_among_the_list_is_the_list_from_then_on(mail):
    mail.ask("Show my unread emails", UNREAD)
    mail.ask("which of those are unread")
    mail.ask("open the last one", whole(OFFSITE))
    assert mail.calls[-1][1] == {"message_id": "m4"}


def test_reading_by_description_searches_and_then_opens(mail):
    found = MailPage(query="from:Ana invoice", messages=[INVOICE, ROADMAP], total_estimate=2)
    answer = mail.ask("read the mail from Ana about the invoice", found, whole(INVOICE, "Due *soon*", (PDF,)))
    assert [name for name, _ in mail.calls] == ["search_gmail_messages", "get_gmail_message_content"]
    assert mail.calls[1][1] == {"message_id": "m1"}
    assert "> Due \\*soon\\*" in answer
    assert "1. invoice-2041.pdf (80 kB)" in answer
    assert "2 mails matched; this is the newest." in answer


def test_reading_by_description_says_when_nothing_was_found(mail):
    assert mail.ask("read the mail from Bob", NOTHING) == "There is no mail from Bob."
    assert len(mail.calls) == 1


def test_a_summary_is_declined_honestly(mail):
    mail.ask("Show my unread emails", UNREAD)
    assert "cannot summarise" in mail.ask("summarise the first one", whole(INVOICE))


def test_an_attachment_is_fetched_from_the_mail_that_was_read(mail):
    mail.ask("Show my unread emails", UNREAD)
    mail.ask("open the first one", whole(INVOICE, attachments=(PDF,)))
    acts = mail.decide("download the attachment")
    assert acts[0].args == {"message_id": "m1", "attachment_id": "a1"}


def test_more_is_the_next_page(mail):
    first = MailPage(query="in:inbox", messages=[INVOICE, ROADMAP], total_estimate=40, next_page_token="p2")
    assert "There are more: ask for *more*." in mail.ask("what's in my inbox", first)
    last = MailPage(query="in:inbox", messages=[RELEASE], total_estimate=40)
    mail.ask("show more", last)
    assert mail.calls[-1][1] == {"query": "in:inbox", "page_token": "p2"}
    assert mail.ask("more") == "That was all."


@pytest.mark.parametrize("question", ["open it", "the second one", "show more", "which of those is the newest?"])
def test_a_reference_to_nothing_is_said(mail, question):
    assert "I do not know which one you mean" in mail.ask(question)


def test_a_reference_beyond_the_list_is_said(mail):
    mail.ask("Show my unread emails", UNREAD)
    assert "I do not know which of the 5 you mean" in mail.ask("open the ninth one")


def test_a_failing_tool_is_said_in_its_own_words(mail):
    answer = mail.ask("Show my unread emails", "Gmail is asked too often. Wait a minute, then ask again.")
    assert answer == "That did not work. Gmail is asked too often. Wait a minute, then ask again."


def test_labels_are_a_table_that_no_name_can_break(mail):
    labels = [Label(label_id="l", name="A|B", kind="user", total=3, unread=None)]
    assert "| A\\|B | 3 | – |" in mail.ask("which labels do I have", LabelList(labels=labels))


def test_mail_text_has_no_power_over_the_page(mail):
    mail.ask("Show my unread emails", UNREAD)
    body = "# Big\n![x](https://evil.example/p_i_x.png) <b>hi</b>\n:red[now] $x$ see https://a.example/b_c"
    answer = mail.ask("open the first one", whole(INVOICE, body))
    assert "> \\# Big" in answer
    assert "\\!\\[x\\]" in answer or "!\\[x\\]" in answer
    assert "\\<b\\>hi\\</b\\>" in answer
    assert "\\:red\\[now\\] \\$x\\$" in answer
    assert "https://a.example/b_c" in answer


def test_a_day_is_listed_under_its_name(dates):
    answer = dates.ask("What's on my calendar tomorrow?", TOMORROW)
    assert answer.splitlines() == [
        "3 events tomorrow:",
        "",
        "**Tomorrow, Tuesday 1 December**",
        "",
        "1. All day **Invoice is due**",
        "2. 09:15–09:30 **Stand-up**",
        "3. 14:00–15:00 **Roadmap review** · Lantern room",
    ]


@pytest.mark.parametrize(
    ("question", "first", "day"),
    [
        ("Was steht morgen in meinem Kalender?", "3 Termine morgen:", "**Morgen, Dienstag, 1. Dezember**"),
        ("Qu'est-ce que j'ai demain ?", "3 événements demain :", "**Demain, mardi 1 décembre**"),
        ("¿Qué tengo mañana?", "3 eventos mañana:", "**Mañana, martes 1 de diciembre**"),
        ("明日の予定は？", "明日の予定3件:", "**明日, 12月1日(火曜日)**"),
    ],
)
def test_the_answer_is_in_the_language_of_the_question(dates, question, first, day):
    lines = dates.ask(question, TOMORROW).splitlines()
    assert (lines[0], lines[2]) == (first, day)


def test_an_empty_day_is_said(dates):
    assert dates.ask("What's on my calendar tomorrow?", page()) == "Nothing is on your calendar tomorrow."


def test_the_next_meeting_is_the_next_with_a_time(dates):
    answer = dates.ask("what's my next meeting?", TOMORROW)
    assert answer.startswith("Next: **Stand-up**, tomorrow 09:15–09:30.\n\nWith Kenji Mori.")


def test_who_is_invited_to_one_of_them(dates):
    dates.ask("What's on my calendar tomorrow?", TOMORROW)
    answer = dates.ask("who is invited to the second one?", page(STANDUP))
    assert dates.calls[-1] == ("get_events", {"event_id": "e2", "calendar_id": "primary", "detailed": True})
    assert "- Kenji Mori: maybe" in answer


def test_when_is_one_of_them(dates):
    dates.ask("What's on my calendar tomorrow?", TOMORROW)
    assert "**Roadmap review**, tomorrow 14:00–15:00 · Lantern room" in dates.ask("when is the last one?")


def test_the_same_question_for_another_day(dates):
    dates.ask("What's on my calendar tomorrow?", TOMORROW)
    dates.ask("and on Friday?", page(REVIEW))
    assert dates.calls[-1][1]["time_min"] == "2026-12-04T00:00:00+01:00"
    dates.ask("what about next week", page())
    assert dates.calls[-1][1]["time_max"] == "2026-12-14T00:00:00+01:00"


@pytest.mark.parametrize(
    ("busy", "free", "said"),
    [
        ([], [hour("15:00", "16:00")], "Yes, you are free tomorrow 15:00–16:00."),
        ([hour("14:00", "17:00")], [], "No, you are busy tomorrow 15:00–16:00:\n\n- 15:00–16:00"),
        ([hour("15:00", "15:15")], [hour("15:15", "16:00")], "Partly. You are busy tomorrow 15:00–16:00:"),
    ],
)
def test_being_free_is_yes_no_or_partly(dates, busy, free, said):
    assert said in dates.ask("am I free tomorrow at 3?", free_busy(busy, free))


def test_the_next_free_slot_is_long_enough_and_in_working_hours(dates):
    gaps = [hour("00:00", "09:15"), hour("09:30", "14:00"), hour("17:30", "23:00")]
    answer = dates.ask("next free slot of 45 minutes", free_busy([], gaps))
    assert answer == "Your next free time of at least 45 minutes is **Tomorrow, 09:30–14:00**."


def test_the_length_of_a_slot_is_heard_in_other_languages(dates):
    answer = dates.ask("Nächster freier Termin von 45 Minuten", free_busy([], [hour("09:30", "14:00")]))
    assert answer == "Deine nächste freie Zeit von mindestens 45 Minuten: **Morgen, 09:30–14:00**."


def test_another_persons_free_time_is_looked_up_in_their_calendar(dates):
    dates.ask("is Kenji free tomorrow?", CALENDARS, free_busy([], []))
    assert dates.calls[-1][1]["calendar_ids"] == ["kenji@lumenworks.example"]


def test_a_calendar_that_is_not_shared_is_said(dates):
    assert "I cannot see a calendar of Bob." in dates.ask("is Bob free tomorrow?", CALENDARS)


@pytest.fixture
def front(mind):
    return Desk(mind, orchestrator_offers())


@pytest.mark.parametrize(
    ("question", "task"),
    [
        ("when is the offsite", "google_calendar_task"),
        ("who is invited to the roadmap review?", "google_calendar_task"),
        ("PDFs from Marta", "gmail_task"),
        ("is there anything from Lena", "gmail_task"),
        ("Show my unread emails", "gmail_task"),
    ],
)
def test_the_orchestrator_hands_a_question_to_its_specialist(front, question, task):
    assert front.ask(question, "The answer.") == "The answer."
    assert front.calls == [(task, {"query": question})]


def test_two_domains_are_asked_at_once_and_answered_under_their_names(front):
    answer = front.ask("Show my unread mail and what is on my calendar tomorrow", "No mail.", "No events.")
    assert front.calls == [
        ("gmail_task", {"query": "Show my unread mail"}),
        ("google_calendar_task", {"query": "what is on my calendar tomorrow"}),
    ]
    assert answer == "**Gmail**\n\nNo mail.\n\n**Calendar**\n\nNo events."


@pytest.mark.parametrize("question", ["Order me a pizza", "play some music", "what is the capital of France"])
def test_what_nobody_can_do_is_answered_honestly(front, question):
    answer = front.ask(question)
    assert "built-in offline assistant, not a language model" in answer
    assert "“show my unread mail”" in answer
    assert "GLASSDESK_MODEL_BASE_URL" in answer


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("hello", "Hello! I am Glassdesk's built-in offline assistant."),
        ("Guten Tag!", "Hallo! Ich bin Glassdesks eingebauter Offline-Assistent."),
        ("what can you do?", "no language model is in use"),
        ("who are you", "I am not a language model"),
        ("Thanks!", "You are welcome."),
        ("gracias", "De nada."),
        ("what time is it?", "It is 15:30 on Monday 30 November 2026 (Europe/Berlin)."),
    ],
)
def test_small_talk_has_its_answers(front, question, said):
    assert said in front.ask(question)


def test_the_same_input_gives_the_same_acts(mind):
    desks = [Desk(mind, specialist_offers("gmail")) for _ in range(2)]
    assert len({desk.ask("Show my unread emails", UNREAD) for desk in desks}) == 1


@pytest.mark.parametrize("question", ["", " ", "?", "🙂", "x" * 100_000, "the " * 20_000])
def test_odd_questions_get_an_answer(mail, front, question):
    assert front.ask(question, "There.", "There.")
    assert mail.ask(question, NOTHING)
