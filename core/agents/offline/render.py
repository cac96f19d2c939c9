"""Answers: templates over structured results. Whatever a template prints is escaped."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from core.agents.offline.markdown import cut, escape, inline, quote
from core.agents.offline.moments import Moments
from core.agents.offline.things import matching
from core.agents.offline.tongue import load_tongues, tongue_of
from core.registry.glossary import ENGLISH
from core.settings import ROOT

ANSWERS = ROOT / "data" / "answers"
SUFFIX = ".md.j2"
UNITS = ("bytes", "kB", "MB", "GB")


class Answers:
    """All answer templates.

    Args:
        folder: where they are.
    """

    def __init__(self, folder: Path = ANSWERS) -> None:
        self._tongues = load_tongues()
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(folder),
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=True,
            finalize=finalized,
            undefined=jinja2.ChainableUndefined,
        )
        self._environment.filters |= {
            "inline": inline, "quote": quote, "cut": cut, "size": size, "pairs": pairs, "mentioning": mentioning,
            "bearing": bearing,
        }  # fmt: skip
        for name in ("day", "when", "hours", "event_when", "span", "by_day", "upcoming", "open_slots", "others"):
            self._environment.filters[name] = at_moment(name)

    def render(self, name: str, now: datetime, language: str = ENGLISH, **values: Any) -> str:
        """An answer in Markdown.

        Args:
            name: of the template, without its suffix.
            now: aware, in the user's zone.
            language: of the answer; English where it is not on record.
            values: what the template uses.

        Raises:
            jinja2.TemplateError: the template is not there, or wrong.
        """
        tongue = tongue_of(language, self._tongues)

        def say(english: str, **parts: Any) -> Markup:
            safe = {key: finalized(part) for key, part in parts.items()}
            return Markup(tongue.phrase(english, parts.get("n")).format(**safe))

        template = self._environment.get_template(name + SUFFIX)
        return tidy(template.render(moments=Moments(now, tongue.dates), say=say, **values))


def at_moment(name: str) -> Any:
    """A filter that is a method of `Moments`."""

    @jinja2.pass_context
    def apply(context: jinja2.runtime.Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(value, jinja2.Undefined) or value is None:
            return ""
        return getattr(context["moments"], name)(value, *args, **kwargs)

    return apply


def finalized(value: Any) -> Any:
    """What a template prints."""
    return escape(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def tidy(text: str) -> str:
    """No more than one empty line, none at the ends."""
    lines: list[str] = []
    for line in text.strip().splitlines():
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line)
    return "\n".join(lines)


def size(number: int) -> str:
    """Bytes for people."""
    value, unit = float(number), 0
    while value >= 1000 and unit < len(UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} {UNITS[unit]}" if value >= 10 or unit == 0 else f"{value:.1f} {UNITS[unit]}"


def mentioning(text: str | None, words: str | None) -> str:
    """The lines of a text that have one of the words, each once; all of them where nothing was said."""
    said = [word for word in (words or "").casefold().split() if len(word) > 2]
    lines = [line for line in (text or "").splitlines() if any(word.rstrip("s") in line.casefold() for word in said)]
    return "\n".join(dict.fromkeys(lines)) if words else text or ""


def bearing(items: list[dict[str, Any]], name: str | None) -> list[dict[str, Any]]:
    """The items of which the title has a name; all of them where none was said."""
    return [dict(item) for item in matching(name, items, ["title", "name"])] if name else items


def pairs(values: Mapping[str, Any]) -> str:
    """`from: a, subject: b`, lists joined."""
    parts = [
        f"{name}: {' '.join(map(str, value)) if isinstance(value, list) else value}" for name, value in values.items()
    ]
    return ", ".join(parts) or "nothing"
