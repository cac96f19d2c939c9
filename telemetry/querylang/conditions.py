"""A query line as conditions on turns; values are always bound, never part of the SQL."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Select, and_, cast, exists, false, func, not_, or_, true
from sqlalchemy import select as sa_select
from sqlalchemy.orm import aliased
from sqlmodel import col

from telemetry import textindex
from telemetry.formats import HOUR
from telemetry.phases import Phase
from telemetry.queries import EVERYBODY
from telemetry.querylang.errors import QueryError
from telemetry.querylang.line import Between, Line, Term, Value, Words
from telemetry.tables import LlmCall, ToolCall, Turn

Condition = ColumnElement[bool]
ESCAPE: Final = "\\"
SKEW: Final = 24 * HOUR
"""How long before its turn a call may have begun by another machine's clock. Nanoseconds."""


@dataclass(frozen=True)
class Scope:
    """Who asks, and whose turns.

    Attributes:
        user_id: whose turns; `EVERYBODY` only for administrators.
        reader_id: who asks; texts are looked for in their turns alone.
        administers: may ask for users.
        dialect: the database's, by SQLAlchemy's name.
        period: the turns start within it anyway (Unix nanoseconds); it narrows what is listed.
    """

    user_id: str
    reader_id: str
    administers: bool = False
    dialect: str = "sqlite"
    period: tuple[int, int] | None = None


def conditions(line: Line, scope: Scope, rare: Set[Term] = frozenset()) -> list[Condition]:
    """What must hold of a turn; whose it is stands first.

    Args:
        rare: terms of which few turns are `candidates`: those are listed once instead of asked for turn by turn.

    Raises:
        QueryError: a user is asked for by somebody who may not.
    """
    for term in line.of("user"):
        if not scope.administers:
            sentence = "Only administrators may ask for other people's turns. Leave user: out."
            raise QueryError(term.start, term.end, sentence)
    everybody = scope.user_id == EVERYBODY or line.of("user")
    whose = true() if everybody else col(Turn.user_id) == scope.user_id
    return [whose, *(condition(term, scope, term in rare) for term in line.terms)]


def condition(term: Term, scope: Scope, listed: bool) -> Condition:
    """What a term says of a turn; what is unknown does not fit, so that it fits the negated term."""
    found = candidates(term, scope) if listed else None
    if found is not None:
        holds: Condition = col(Turn.turn_id).in_(found)
    else:
        holds = or_(false(), *(READERS[term.field](value, scope) for value in term.values))
    return not_(func.coalesce(holds, false())) if term.negated else holds


def candidates(term: Term, scope: Scope) -> "Select[Any] | None":
    """The ids of the turns that a term fits, from an index of their own; None where there is none."""
    if term.field == "text":
        return textindex.turns_with(sought((term,)), scope.reader_id, scope.dialect, scope.period)
    if term.field == "latency":
        other = aliased(Turn)
        mine = [] if scope.user_id == EVERYBODY else [col(other.user_id) == scope.user_id]
        fits = or_(*(within(col(other.latency_ns), value) for value in term.values))
        return sa_select(col(other.turn_id)).where(*mine, fits)
    if term.field == "tool" and scope.user_id != EVERYBODY and not wild(term):
        query = sa_select(col(ToolCall.turn_id)).where(col(ToolCall.user_id) == scope.user_id)
        query = query.where(col(ToolCall.tool).in_([only(value) for value in term.values]))
        return query if scope.period is None else query.where(col(ToolCall.start_ns) >= scope.period[0] - SKEW)
    return None


def matches_of(term: Term) -> list[textindex.Match]:
    """The texts of a term as the index looks for them."""
    return [textindex.Match(only(value), exact(value)) for value in term.values]


def sought(terms: Sequence[Term]) -> textindex.Sought:
    """What turns have to say, by terms of texts; with unwanted ones alone, what those say that do not fit."""
    wanted = [tuple(matches_of(term)) for term in terms if not term.negated]
    if not wanted:
        return textindex.Sought((tuple(match for term in terms for match in matches_of(term)),))
    return textindex.Sought(tuple(wanted), tuple(match for term in terms if term.negated for match in matches_of(term)))


def saying(terms: Sequence[Term], scope: Scope, few: bool) -> Condition:
    """Whether a turn of the reader's says what terms of texts want, one at least, and nothing that they do not.

    Args:
        few: Few turns do; they are listed at once.
    """
    wanted = sought(terms)
    if few:
        return col(Turn.turn_id).in_(textindex.turns_with(wanted, scope.reader_id, scope.dialect, scope.period))
    says = textindex.says(wanted, scope.reader_id, scope.dialect, scope.period)
    return and_(col(Turn.user_id) == scope.reader_id, says)


def wild(term: Term) -> bool:
    """Whether some name of a term has a star."""
    return any(isinstance(value, Words) and len(value.pieces) > 1 for value in term.values)


def only(value: Value) -> str:
    """A text without stars."""
    assert isinstance(value, Words)
    return value.pieces[0]


def exact(value: Value) -> bool:
    """Whether a text stood in quotation marks."""
    return isinstance(value, Words) and value.exact


def named(column: Any, value: Value, before: str = "") -> Condition:
    """Whether a column is a name, or fits its pattern, whatever the case of its letters.

    Args:
        before: what may stand before it, as a pattern of LIKE.
    """
    assert isinstance(value, Words)
    pattern = "%".join(like(piece) for piece in value.pieces)
    found: Condition = column.ilike(before + pattern, escape=ESCAPE)
    return found


def like(text: str) -> str:
    """A text in a pattern of LIKE, each letter for itself."""
    return text.replace(ESCAPE, ESCAPE * 2).replace("%", ESCAPE + "%").replace("_", ESCAPE + "_")


def within(number: Any, value: Value) -> Condition:
    """Whether a number lies within bounds; an unknown one does not."""
    assert isinstance(value, Between)
    parts = [] if value.low is None else [number >= value.low]
    parts += [] if value.high is None else [number <= value.high]
    return and_(number.is_not(None), *parts)


def called(table: type[LlmCall] | type[ToolCall], scope: Scope, *fits: Condition) -> Condition:
    """Whether a turn has such a call."""
    mine = [] if scope.user_id == EVERYBODY else [col(table.user_id) == col(Turn.user_id)]
    return exists().where(col(table.turn_id) == col(Turn.turn_id), *mine, *fits).correlate(Turn)


def failing(scope: Scope) -> Condition:
    """Whether a model or tool call failed."""
    return or_(*(called(table, scope, col(table.status) == "error") for table in (ToolCall, LlmCall)))


def level(value: Value, scope: Scope) -> Condition:
    """How bad a turn was."""
    bad = col(Turn.status).in_(("failed", "interrupted"))
    warned = or_(col(Turn.status) == "stopped", and_(col(Turn.status) == "done", failing(scope)))
    fine = and_(col(Turn.status) == "done", not_(failing(scope)))
    return {"error": bad, "warning": warned, "ok": fine}[only(value)]


def agent(value: Value, scope: Scope) -> Condition:
    """Whether an agent took part; the list of agents is JSON."""
    expand = func.json_each if scope.dialect == "sqlite" else func.json_array_elements_text
    title = expand(col(Turn.agents)).table_valued("value", name="title")
    return exists().select_from(title).where(named(title.c.value, value)).correlate(Turn)


def model(value: Value, scope: Scope) -> Condition:
    """Whether a model was asked; its maker may be left out."""

    def fits(column: Any) -> Condition:
        return or_(named(column, value), named(column, value, "%/"))

    return or_(fits(col(Turn.model)), called(LlmCall, scope, fits(col(LlmCall.model))))


def tool(value: Value, scope: Scope) -> Condition:
    """Whether a tool was called."""
    assert isinstance(value, Words)
    fits = named(col(ToolCall.tool), value) if len(value.pieces) > 1 else col(ToolCall.tool) == value.pieces[0]
    return called(ToolCall, scope, fits)


def happened(value: Value, scope: Scope) -> Condition:
    """What `has:` asks for."""
    found: Mapping[str, Callable[[], Condition]] = {
        "approval": lambda: waited() > 0,
        "error": lambda: failing(scope),
        "tool": lambda: col(Turn.tools) > 0,
        "google": lambda: col(Turn.google_requests) > 0,
        "cache": lambda: col(Turn.cached).is_(True),
        "unpriced": lambda: col(Turn.unpriced) > 0,
        "estimate": lambda: col(Turn.estimated).is_(True),
        "reasoning": lambda: col(Turn.reasoning_tokens) > 0,
        "question": lambda: col(Turn.question).is_not(None),
    }
    return found[only(value)]()


def waited() -> ColumnElement[int]:
    """Nanoseconds that a turn waited for a person; phases without time are left out of the stored account."""
    return func.coalesce(cast(col(Turn.phases)[Phase.APPROVAL_WAIT.value].as_string(), BigInteger), 0)


def said(value: Value, scope: Scope) -> Condition:
    """Whether something was said in a turn of the reader's own."""
    one = textindex.Sought(((textindex.Match(only(value), exact(value)),),))
    says = textindex.says(one, scope.reader_id, scope.dialect, scope.period)
    return and_(col(Turn.user_id) == scope.reader_id, says)


def tokens() -> ColumnElement[Any]:
    """Tokens in and out, as the pages show them."""
    return col(Turn.input_tokens) + func.coalesce(col(Turn.output_tokens), 0)


READERS: Final[Mapping[str, Callable[[Value, Scope], Condition]]] = {
    "level": level,
    "status": lambda value, _: col(Turn.status) == only(value),
    "latency": lambda value, _: within(col(Turn.latency_ns), value),
    "first": lambda value, _: within(col(Turn.first_token_ns), value),
    "cost": lambda value, _: within(col(Turn.cost_pico_usd), value),
    "tokens": lambda value, _: within(tokens(), value),
    "calls": lambda value, _: within(col(Turn.tools), value),
    "tool": tool,
    "agent": agent,
    "model": model,
    "route": lambda value, _: named(col(Turn.route), value),
    "has": happened,
    "text": said,
    "conv": lambda value, _: named(col(Turn.conversation_id), value),
    "turn": lambda value, _: named(col(Turn.turn_id), value),
    "user": lambda value, _: named(col(Turn.user_id), value),
}


def resolved(line: Line, tools: Sequence[str]) -> Line:
    """The line with the names of tools in place of patterns, so that an index finds them.

    Args:
        tools: all that were ever called.
    """
    return Line(tuple(with_names(term, tools) if term.field == "tool" else term for term in line.terms))


def with_names(term: Term, tools: Sequence[str]) -> Term:
    """A term with each name that fits it; one that nothing fits stays, and finds nothing."""
    names = [name for name in tools if any(fits(value, name) for value in term.values)]
    values = tuple(Words((name,)) for name in names)
    return Term(term.field, values or term.values[:1], term.negated, term.start, term.end)


def fits(value: Value, name: str) -> bool:
    """Whether a name fits a pattern, whatever the case of its letters."""
    assert isinstance(value, Words)
    first, *rest = (piece.lower() for piece in value.pieces)
    text = name.lower()
    if not rest:
        return text == first
    if not text.startswith(first):
        return False
    at = len(first)
    for piece in rest[:-1]:
        at = text.find(piece, at) + len(piece)
        if at < len(piece):
            return False
    return len(text) - at >= len(rest[-1]) and text.endswith(rest[-1])
