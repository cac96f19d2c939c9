"""Every phrase of the answers is there in every language, with the same parts."""

import re

import pytest

from core.agents.offline.mind import SmallTalk
from core.agents.offline.render import ANSWERS
from core.agents.offline.tongue import FORMS, load_tongues, tongue_of
from core.registry.manifests import load_catalogue

TONGUES = load_tongues()
OTHERS = sorted(set(TONGUES) - {"en"})
SAID = re.compile(r'say\("((?:[^"])+)"')
RESPONSES = {"yes", "no", "maybe", "no answer yet"}


def phrases():
    texts = [path.read_text(encoding="utf-8") for path in ANSWERS.glob("*.j2")]
    return {phrase for text in texts for phrase in SAID.findall(text)} | RESPONSES


def examples():
    talk = SmallTalk.load()
    shown = [example for domain in load_catalogue().domains.values() for example in talk.examples(domain)[:6]]
    return set(shown)


def parts(phrase):
    return [set(re.findall(r"\{\w+\}", form)) for form in phrase.split(FORMS)]


@pytest.mark.parametrize("language", OTHERS)
def test_no_phrase_is_missing(language):
    assert phrases() | examples() <= set(TONGUES[language].phrases)


@pytest.mark.parametrize("language", OTHERS)
def test_no_phrase_is_left_over(language):
    assert set(TONGUES[language].phrases) <= phrases() | examples()


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_parts_of_its_phrase(language):
    for english, translated in TONGUES[language].phrases.items():
        assert set().union(*parts(english)) == set().union(*parts(translated)), english


def test_a_language_that_is_not_on_record_is_english():
    assert tongue_of("xx", TONGUES) is TONGUES["en"]


def test_one_and_many_have_their_forms():
    german = TONGUES["de"]
    assert german.phrase("{n} mail{which} | {n} mails{which}", 1) == "{n} E-Mail{which}"
    assert german.phrase("{n} mail{which} | {n} mails{which}", 2) == "{n} E-Mails{which}"
    assert TONGUES["en"].phrase("{n} mail{which} | {n} mails{which}", 0) == "{n} mails{which}"
