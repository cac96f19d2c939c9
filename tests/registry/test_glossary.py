import pytest

from core.registry.glossary import load_languages

LANGUAGES = load_languages()


@pytest.mark.parametrize(
    ("text", "language", "english"),
    [
        ("Show my unread emails", "en", "Show my unread emails"),
        ("mails since Friday", "en", "mails since Friday"),
        ("Zeig mir meine ungelesenen E-Mails", "de", "show my unread mail"),
        ("Was steht morgen in meinem Kalender?", "de", "what is on tomorrow in my calendar ?"),
        ("Bin ich morgen um 15 Uhr frei?", "de", "am i tomorrow at 15 free ?"),
        ("Termine am 3. Dezember", "de", "appointments on 3 december"),
        ("Montre-moi mes emails non lus", "fr", "show my mail unread"),
        ("Qu’est-ce que j’ai demain ?", "fr", "what is on tomorrow ?"),
        ("Suis-je libre vendredi à 15h30 ?", "fr", "am i free friday at 15:30 ?"),
        ("Muéstrame mis correos sin leer", "es", "show my mail unread"),
        ("Mostre meus e-mails não lidos", "pt", "show my mail unread"),
        ("未読メールを見せて", "ja", "unread mail show"),
        ("Anaさんからのメール", "ja", "from Ana mail"),
        ("12月3日の予定", "ja", "3.12. schedule"),
        ("", "en", ""),
        ("Szia, hogy vagy", "en", "Szia, hogy vagy"),
    ],
)
def test_words_on_record_become_english_and_others_stay(text, language, english):
    glossed = LANGUAGES.gloss(text)
    assert (glossed.language, glossed.text) == (language, english)


def test_names_and_hyphenated_words_stay_whole():
    assert LANGUAGES.gloss("Wann ist das Board-Meeting mit Maria?").text == "when is the Board-Meeting with Maria?"
