"""The parts of a request as tasks for specialists, each of which can be understood alone."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.agents.offline.mind import Mind
from core.registry.router import Part

DONE = "✓ "
"""How the answer to a request begins that was carried out."""
MARKUP = re.compile(r"\*\*|\\(?=[^\w\s])")


@dataclass(frozen=True)
class Task:
    """What a specialist is asked; `tells` where it passes on what came of the tasks before it."""

    domain: str
    text: str
    tells: bool = False

    def telling(self, answers: Sequence[str]) -> str | None:
        """The same with what is to be told; None where something before it was not carried out."""
        if not all(answer.startswith(DONE) for answer in answers):
            return None
        return f"{self.text}: {' '.join(sentence(answer) for answer in answers)}"


def tasks(parts: Sequence[Part], mind: Mind, now: datetime) -> list[Task]:
    """Tasks: "it" is the item that the part before named, and its time the one that is said there."""
    found: list[Task] = []
    for number, part in enumerate(parts):
        text = whole(part.text, parts[number - 1].text, mind, now) if number else part.text
        glossed = mind.languages.gloss(text)
        silent = mind.sayings.find(text, glossed.language) is None
        found.append(Task(part.domain, text, bool(number) and silent and mind.deeds.only_tells(glossed.text)))
    return found


def whole(text: str, before: str, mind: Mind, now: datetime) -> str:
    """A part of a request with what it takes from the part before it."""
    named = next((match[0] for pattern in mind.references.items if (match := pattern.search(before))), None)
    pronoun = next((match for pattern in mind.references.pronouns if (match := pattern.search(text))), None)
    if not named or not pronoun:
        return text
    text = f"{text[: pronoun.start()]}{named.strip()}{text[pronoun.end() :]}"
    said = mind.sayings.find(before, mind.languages.gloss(before).language)
    if said is None or mind.ears.times.find(text, now, "future").value is not None:
        return text
    times = mind.ears.times.find(said.text, now, "future").places
    return " ".join([text, *(said.text[start:end].strip() for start, end in sorted(times))])


def sentence(answer: str) -> str:
    """The first line of an answer, as plain words."""
    return MARKUP.sub("", answer.removeprefix(DONE).split("\n", 1)[0]).strip()
