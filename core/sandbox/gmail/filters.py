"""users.settings.filters: kept in Google's terms, and applied to arriving mail by the search itself."""

from typing import Any
from uuid import uuid4

from sqlalchemy import and_, not_
from sqlmodel import Session, col, select

from core.sandbox.calls import ApiError, Call, Reply
from core.sandbox.gmail import mailbox, search
from core.sandbox.gmail.operators import Condition, Scope
from core.sandbox.gmail.query import AllOf, Node, parse, within
from core.sandbox.gmail.tables import FilterRow, MessageRow

CRITERIA = {
    "from": str,
    "to": str,
    "subject": str,
    "query": str,
    "negatedQuery": str,
    "hasAttachment": bool,
    "excludeChats": bool,
    "size": int,
    "sizeComparison": str,
}
NOT_BY_FILTER = {"SENT", "DRAFT", "CHAT"}


def shown(row: FilterRow) -> dict[str, Any]:
    """A filter in Google's form."""
    return {"id": row.id, "criteria": row.criteria, "action": row.action}


def all_filters(session: Session, account: str) -> list[FilterRow]:
    """An account's filters, in a steady order."""
    return list(session.exec(select(FilterRow).where(col(FilterRow.account) == account).order_by(col(FilterRow.id))))


def list_filters(call: Call) -> dict[str, Any]:
    """All filters; the key is Google's, `filter`."""
    with call.world.session() as session:
        found = [shown(row) for row in all_filters(session, call.account)]
    return {"filter": found} if found else {}


def find_filter(session: Session, call: Call) -> FilterRow:
    """The filter that a request names.

    Raises:
        ApiError: 404.
    """
    row = session.get(FilterRow, call.params["id"])
    if row is None or row.account != call.account:
        raise mailbox.not_found()
    return row


def get_filter(call: Call) -> dict[str, Any]:
    """One filter."""
    with call.world.session() as session:
        return shown(find_filter(session, call))


def create_filter(call: Call) -> dict[str, Any]:
    """Make a filter for mail that arrives from now on."""
    body = call.json()
    criteria, action = checked_criteria(body.get("criteria")), body.get("action") or {}
    with call.world.change() as session:
        check_action(session, call.account, action)
        if any((row.criteria, row.action) == (criteria, action) for row in all_filters(session, call.account)):
            raise ApiError(400, "failedPrecondition", "Filter already exists")
        row = FilterRow(id=f"ANe1Bm{uuid4().hex}", account=call.account, criteria=criteria, action=action)
        session.add(row)
    return shown(row)


def checked_criteria(criteria: Any) -> dict[str, Any]:
    """Criteria that a filter can have.

    Raises:
        ApiError: 400, naming what is wrong.
    """
    if not isinstance(criteria, dict) or not criteria:
        raise mailbox.invalid("Filter must have criteria")
    for name, value in criteria.items():
        if name not in CRITERIA:
            raise mailbox.invalid(f"Invalid JSON payload received. Unknown name \"{name}\" at 'filter.criteria'")
        if not isinstance(value, CRITERIA[name]):
            raise mailbox.invalid(f"Invalid value at 'filter.criteria.{name}': {value!r}")
    if criteria.get("sizeComparison", "larger") not in ("larger", "smaller", "unspecified"):
        raise mailbox.invalid("Invalid value at 'filter.criteria.size_comparison'")
    return criteria


def check_action(session: Session, account: str, action: Any) -> None:
    """Refuse an action that a filter cannot take.

    Raises:
        ApiError: 400, naming what is wrong.
    """
    adding, removing = labels(action, "addLabelIds"), labels(action, "removeLabelIds")
    if isinstance(action, dict) and action.get("forward"):
        raise ApiError(400, "failedPrecondition", "Unrecognized forwarding address")
    if not adding and not removing:
        raise mailbox.invalid("Filter must have an action")
    for label in {*adding, *removing} & NOT_BY_FILTER:
        raise mailbox.invalid(f"Invalid label: {label}")
    mailbox.check_labels(session, account, [*adding, *removing])


def labels(action: Any, name: str) -> list[str]:
    """The label ids of an action."""
    found = action.get(name) if isinstance(action, dict) else None
    return [str(label) for label in found] if isinstance(found, list) else []


def delete_filter(call: Call) -> Reply:
    """Forget a filter."""
    with call.world.change() as session:
        session.delete(find_filter(session, call))
    return Reply(None)


def condition(criteria: dict[str, Any], seen: Scope) -> Condition:
    """Criteria as a search over stored mails."""
    nodes: list[Node] = [within(name, parse(criteria[name])) for name in ("from", "to", "subject") if name in criteria]
    nodes += [parse(criteria["query"])] if criteria.get("query") else []
    nodes += [parse("has:attachment")] if criteria.get("hasAttachment") else []
    if criteria.get("size") and criteria.get("sizeComparison", "unspecified") != "unspecified":
        nodes.append(parse(f"{criteria['sizeComparison']}:{criteria['size']}"))
    found = search.compile_node(AllOf(tuple(nodes)), seen)
    negated = criteria.get("negatedQuery")
    return and_(found, not_(search.compile_node(parse(negated), seen))) if negated else found


def apply_filters(session: Session, call: Call, row: MessageRow) -> None:
    """Do with an arrived mail what the account's filters say."""
    session.flush()
    seen = search.scope(session, call)
    search.learn_near(session)
    for rule in all_filters(session, call.account):
        matches = select(MessageRow.id).where(col(MessageRow.id) == row.id, condition(rule.criteria, seen))
        if session.exec(matches).first():
            mailbox.relabel(session, row, labels(rule.action, "addLabelIds"), labels(rule.action, "removeLabelIds"))
