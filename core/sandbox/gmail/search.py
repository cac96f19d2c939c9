"""A search's conditions as SQL over the stored mails."""

import sqlite3
from typing import cast
from zoneinfo import ZoneInfo

from sqlalchemy import and_, func, not_, or_, true
from sqlmodel import Session, col

from core.sandbox.calls import Call
from core.sandbox.gmail.mailbox import HIDDEN_LABELS, invalid, label_names
from core.sandbox.gmail.operators import SPECIAL, Condition, Scope, label_key, labelled
from core.sandbox.gmail.query import AllOf, AnyOf, Near, Node, Not, Term, parse
from core.sandbox.gmail.tables import MessageRow
from core.sandbox.gmail.words import near, needles, variants

MAX_LENGTH = 1500
WORD_COLUMNS = {
    "": MessageRow.all_words,
    "from": MessageRow.from_words,
    "to": MessageRow.to_words,
    "cc": MessageRow.cc_words,
    "bcc": MessageRow.bcc_words,
    "subject": MessageRow.subject_words,
    "filename": MessageRow.file_words,
    "list": MessageRow.list_words,
    "deliveredto": MessageRow.delivered_words,
}


def scope(session: Session, call: Call) -> Scope:
    """The scope of a request."""
    named = {label_key(name): label_id for label_id, name in label_names(session, call.account).items()}
    return Scope(call.account, call.now(), ZoneInfo(call.world.zone), named)


def wanted(session: Session, call: Call) -> Condition:
    """What a list request asks for: `q`, `labelIds`, and no spam or trash unless it is named.

    Raises:
        ApiError: 400 for a query that is too long.
    """
    text, labels = call.arg("q"), call.args("labelIds")
    node = parse(checked(text))
    parts = [col(MessageRow.account) == call.account, *(labelled(label) for label in labels)]
    parts.append(compile_node(node, scope(session, call)))
    named = {*labels, *(HIDDEN_LABELS if names_hidden(node) else ())}
    if not call.flag("includeSpamTrash"):
        parts += [not_(labelled(label)) for label in HIDDEN_LABELS if not named & {*HIDDEN_LABELS}]
    learn_near(session)
    return and_(*parts)


def checked(text: str) -> str:
    """A query of bearable length."""
    if len(text) > MAX_LENGTH:
        raise invalid(f"Query too long: at most {MAX_LENGTH} characters")
    return text


def learn_near(session: Session) -> None:
    """Teach this connection the function behind AROUND."""
    connection = cast(sqlite3.Connection, session.connection().connection.driver_connection)
    connection.create_function("near", 4, near, deterministic=True)


def names_hidden(node: Node) -> bool:
    """Whether a search looks into spam or trash by name."""
    match node:
        case Term("in" | "label" | "is", text):
            return text.lower() in ("spam", "trash", "anywhere")
        case AllOf(parts) | AnyOf(parts):
            return any(names_hidden(part) for part in parts)
    return False


def compile_node(node: Node, seen: Scope) -> Condition:
    """A condition as SQL."""
    match node:
        case AllOf(parts):
            return and_(true(), *(compile_node(part, seen) for part in parts))
        case AnyOf(parts):
            return or_(*(compile_node(part, seen) for part in parts)) if parts else true()
        case Not(part):
            return not_(compile_node(part, seen))
        case Near(left, right, distance):
            both = and_(compile_node(left, seen), compile_node(right, seen))
            row, needle = MessageRow.all_words, [(needles(term.text) or [""])[0] for term in (left, right)]
            return and_(both, func.near(row, needle[0], needle[1], distance) == 1)
        case Term():
            return compile_term(node, seen)


def compile_term(term: Term, seen: Scope) -> Condition:
    """One field's condition; a value that the field cannot have is searched for as words."""
    special = SPECIAL.get(term.field)
    if special is None:
        return holds(term, seen)
    found = special(term.text.strip(), seen)
    return found if found is not None else holds(Term("", f"{term.field} {term.text}", exact=True), seen)


def holds(term: Term, seen: Scope) -> Condition:
    """That a row of words holds a text."""
    own = term.text.lower() == "me" and term.field in ("from", "to", "cc", "bcc", "deliveredto")
    column = WORD_COLUMNS[term.field]
    wanted_needles = needles(seen.account if own else term.text)
    return and_(true(), *(or_(*spellings(column, needle, term.exact)) for needle in wanted_needles))


def spellings(column: str, needle: str, exact: bool) -> list[Condition]:
    """A needle, and its plural or singular unless it is to be taken exactly."""
    return [func.instr(column, spelling) > 0 for spelling in ([needle] if exact else variants(needle))]
