"""Whether a column has a text in it, whatever the case of its letters, in every database."""

from typing import Any

from sqlalchemy import ColumnElement, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import col


class CaseOfAnyScript(FunctionElement[str]):
    """A text whose letters PostgreSQL tells apart by Unicode's rules: a database's own may know ASCII alone."""

    type = String()
    inherit_cache = True
    name = "case_of_any_script"


@compiles(CaseOfAnyScript)
def as_it_is(element: CaseOfAnyScript, compiler: Any, **options: Any) -> str:
    """SQLite has one rule."""
    return str(compiler.process(element.clauses, **options))


@compiles(CaseOfAnyScript, "postgresql")
def by_unicode(element: CaseOfAnyScript, compiler: Any, **options: Any) -> str:
    """ICU's root collation is in every PostgreSQL that was built with ICU."""
    return f'({compiler.process(element.clauses, **options)} COLLATE "und-x-icu")'


def holds(text: str | None, term: str) -> ColumnElement[bool]:
    """Whether a column has a term.

    Args:
        text: the column, as the table's class has it.
        term: each of its characters stands for itself.
    """
    return CaseOfAnyScript(col(text)).icontains(term, autoescape=True)
