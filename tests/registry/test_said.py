"""What is to be said is found in the words of the person, and what is to be done remains."""

import pytest

from core.registry.glossary import load_languages
from core.registry.said import load_sayings

SAYINGS, LANGUAGES = load_sayings(), load_languages()


def find(question):
    return SAYINGS.find(question, LANGUAGES.gloss(question).language)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("send Ana a mail that the invoice is approved", "The invoice is approved."),
        ("mail kenji@lumenworks.example about the roadmap saying i'll read it tonight", "I'll read it tonight."),
        ("write to Lena: date A is fine!", "Date A is fine!"),
        ("reply to the second one that I'll be there at ten", "I'll be there at ten."),
        ("Reply to the second one that I'll be there at ten, and put it in my calendar", "I'll be there at ten."),
        ("reply to that mail that I agree", "I agree."),
        ("tell Ana the invoice is approved and archive it", "The invoice is approved."),
        ("Please let Tom know I'm running late", "I'm running late."),
        ("ask Ana if the invoice is paid", "Could you tell me if the invoice is paid?"),
        ("tell Kenji to look at the build", "Please look at the build."),
        ('answer Ana "Yes, go ahead"', "Yes, go ahead."),
        ("reply yes to the first one", "Yes."),
        ("thank Lena for the dates", "Thank you for the dates."),
        ("can you email Tom that the call moved to Friday at 3?", "The call moved to Friday at 3."),
        ("Schreib Ana, dass alles gut ist", "Ich wollte kurz Bescheid geben, dass alles gut ist."),
        ("Antworte auf die zweite: ich bin um zehn da", "Ich bin um zehn da."),
        ("Réponds à Chloé que j'arrive demain", "J'arrive demain."),
        ("Responde a Elena que estoy de acuerdo", "Estoy de acuerdo."),
        ("Anaさんに「承認しました」と返信して", "承認しました"),
        ("Anaさんに請求書を承認しましたと伝えて", "請求書を承認しました"),
    ],
)  # fmt: skip
def test_what_is_to_be_said_is_found(question, said):
    assert find(question).text == said


@pytest.mark.parametrize(
    "question",
    [
        "find the mail that Ana sent",
        "answer the mail that Ana sent",
        "delete that mail",
        "reply to that one",
        "send Ana a mail",
        "tell Ana",
        "tell me about the invoice",
        "move my 3 o'clock to Friday and tell Ana",
        "what did Ana say about the invoice",
        "show me the emails from Tom that are unread",
        "put lunch with Tom on Friday at 12:30 in my calendar",
        "Zeig mir die E-Mail, die Ana geschickt hat",
    ],
)
def test_where_nothing_is_to_be_said_nothing_is_found(question):
    assert find(question) is None


def test_the_rest_of_the_question_remains():
    question = "Reply to the second one that I'll be there at ten, and put it in my calendar"
    assert find(question).cut_from(question, "□") == "Reply to the second one that □ , and put it in my calendar"
