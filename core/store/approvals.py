"""Approvals: asked, decided, run once, and kept as an audit; every call names its user."""

import hashlib
import json
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Engine, bindparam, case, func, or_, update
from sqlalchemy import select as columns
from sqlmodel import Session, col, select

from core.errors import BadInput, GlassdeskError, NotFound
from core.store.matching import holds
from core.store.processes import Alone, Processes, elsewhere
from core.store.sessions import fetch, reading, table_of, writing
from core.store.tables import Approval, Exchange, Policy
from core.users import ANYBODY

LIFETIME = timedelta(days=7)
"""How long a question for a yes stays open."""
Verdict = Literal["approve", "reject"]
Ending = Literal["done", "failed", "unknown"]
APPROVAL = table_of(Approval)
OF_TURN = (
    columns(APPROVAL)
    .where(APPROVAL.c.user_id == bindparam("whose"), APPROVAL.c.turn_id == bindparam("turn"))
    .order_by(APPROVAL.c.asked_at, APPROVAL.c.id)
)
POLICY = "policy"
"""Who decided where nobody was asked."""
RUN = ("approved", "running", "done", "failed", "unknown")
"""States of what was approved."""
CHECK = "Whether it happened is unknown: Glassdesk stopped in the middle. Check before you ask again."


class Decided(GlassdeskError):
    """Somebody decided before, or too late."""

    code = "decided"
    http_status = 409


@dataclass(frozen=True)
class Tally:
    """How often a tool asked for a yes, and what became of it; `allowed`: a policy let it through unasked."""

    asked: int = 0
    approved: int = 0
    rejected: int = 0
    expired: int = 0
    pending: int = 0
    allowed: int = 0


@dataclass(frozen=True)
class Asked:
    """A write that a model wants: who, where, what."""

    turn_id: str
    conversation_id: str
    user_id: str
    account: str
    call_id: str
    agent: str
    tool: str
    arguments: Mapping[str, Any]
    summary: str


class Approvals:
    """All approvals of the app database."""

    def __init__(self, engine: Engine, processes: Processes | None = None) -> None:
        self._engine, self._processes = engine, processes or Alone()

    def ask(self, asked: Asked) -> Approval:
        """Keep a question for a yes; the same call is asked about once."""
        now = datetime.now(UTC)
        with writing(self._engine, "approval", asked.turn_id, asked.call_id) as session:
            query = select(Approval).where(Approval.turn_id == asked.turn_id, Approval.call_id == asked.call_id)
            known = session.exec(query).first()
            if known is not None:
                return known
            arguments = dict(asked.arguments)
            row = Approval(
                **{**vars(asked), "arguments": arguments},
                id=uuid.uuid4().hex,
                state="pending",
                proposed=arguments,
                arguments_hash=hash_of(arguments),
                asked_at=now,
                expires_at=now + LIFETIME,
            )
            session.add(row)
        return row

    def allow(self, asked: Asked) -> Approval:
        """Keep a write that the user's policy lets through without asking, as one that is being made.

        Raises:
            BadInput: this call was made before.
        """
        row = self.ask(asked)
        values = {"state": "running", "decided_at": datetime.now(UTC), "decided_by": POLICY}
        if not self._move(row.id, "pending", values):
            raise BadInput("This call was made before. It was not made again.")
        return self.get(asked.user_id, row.id)

    def get(self, user_id: str, approval_id: str) -> Approval:
        """One approval.

        Raises:
            NotFound: there is none of this id that belongs to the user.
        """
        with reading(self._engine) as session:
            found = session.get(Approval, approval_id)
        if found is None or found.user_id != user_id:
            raise NotFound("There is no such approval. It may belong to a conversation that was deleted.")
        return found

    def asked_about(self, user_id: str, turn_id: str, call_id: str) -> bool:
        """Whether a call was asked about, or made, before."""
        return any(row.call_id == call_id for row in self.of_turn(user_id, turn_id))

    def of_turn(self, user_id: str, turn_id: str) -> Sequence[Approval]:
        """The approvals of a turn, in the order in which they were asked."""
        return [Approval(**row._mapping) for row in fetch(self._engine, OF_TURN, whose=user_id, turn=turn_id)]

    def of_conversation(self, user_id: str, conversation_id: str) -> Sequence[Approval]:
        """The approvals of a conversation, in the order in which they were asked."""
        query = select(Approval).where(Approval.user_id == user_id, Approval.conversation_id == conversation_id)
        with reading(self._engine) as session:
            return session.exec(query.order_by(col(Approval.asked_at), col(Approval.id))).all()

    def pending(self, user_id: str) -> Sequence[Approval]:
        """What waits for the user's decision."""
        with reading(self._engine) as session:
            query = select(Approval).where(Approval.user_id == user_id, Approval.state == "pending")
            return session.exec(query.order_by(col(Approval.asked_at))).all()

    def asked_users(self) -> Sequence[str]:
        """The ids of the users whose decision something waits for."""
        with reading(self._engine) as session:
            return session.exec(select(Approval.user_id).where(Approval.state == "pending").distinct()).all()

    def audit(self, user_id: str, limit: int = 100, offset: int = 0, text: str = "") -> Sequence[Approval]:
        """What was asked and decided, the latest first.

        Args:
            offset: how many of the latest are left out.
            text: words, all of which an entry must have.
        """
        query = select(Approval).where(Approval.user_id == user_id, *having(text))
        order = col(Approval.asked_at).desc(), col(Approval.id)
        with reading(self._engine) as session:
            return session.exec(query.order_by(*order).offset(offset).limit(limit)).all()

    def audited(self, user_id: str, text: str = "") -> int:
        """How many entries the audit has."""
        query = select(func.count()).select_from(Approval).where(Approval.user_id == user_id, *having(text))
        with reading(self._engine) as session:
            return session.exec(query).one()

    def decide(
        self,
        user_id: str,
        approval_id: str,
        verdict: Verdict,
        arguments: Mapping[str, Any] | None = None,
        reason: str | None = None,
        summary: str | None = None,
    ) -> Approval:
        """Take a person's decision; the first one counts.

        Args:
            arguments: replace what the model proposed.
            summary: says what the arguments do, where they replace others.

        Raises:
            NotFound: the approval is not the user's.
            Decided: it was decided before, or has expired.
        """
        row = self.get(user_id, approval_id)
        decision = {
            **wording(row, arguments, summary),
            "state": "approved" if verdict == "approve" else "rejected",
            "reason": reason,
            "decided_at": datetime.now(UTC),
            "decided_by": user_id,
        }
        return self._change_pending(row, decision)

    def revise(self, user_id: str, approval_id: str, arguments: Mapping[str, Any], summary: str) -> Approval:
        """Change what would be done, without deciding; what the model proposed stays known.

        Raises:
            NotFound: the approval is not the user's.
            Decided: it was decided before, or has expired.
        """
        row = self.get(user_id, approval_id)
        return self._change_pending(row, wording(row, arguments, summary))

    def claim(self, user_id: str, turn_id: str, call_id: str, proposed: Mapping[str, Any]) -> Approval:
        """Take an approved call to run it; nobody can take it again.

        Args:
            proposed: the arguments as the model has them; they must be the ones that were asked about.

        Returns:
            The approval; its `arguments` are what must run.

        Raises:
            BadInput: nobody approved this call, or it ran before, or it is another than was approved.
        """
        query = select(Approval).where(Approval.turn_id == turn_id, Approval.call_id == call_id)
        with reading(self._engine) as session:
            row = session.exec(query).first()
        if (
            row is None
            or row.user_id != user_id
            or row.proposed != dict(proposed)
            or row.arguments_hash != hash_of(row.arguments)
        ):
            raise BadInput("Nobody approved this call. It was not made.")
        if not self._move(row.id, "approved", {"state": "running"}):
            raise BadInput("This call is not open: it was rejected, has expired, or ran before. It was not made again.")
        return row

    def finish(self, approval_id: str, ending: Ending, result: str) -> None:
        """Keep what came of a call that was made."""
        self._move(approval_id, "running", {"state": ending, "result": result, "ended_at": datetime.now(UTC)})

    def recover(self) -> None:
        """At start: a call that a killed process was making has an unknown outcome; one not begun waits again."""
        now = datetime.now(UTC)
        with writing(self._engine) as session:
            begun = select(Approval.turn_id).where(col(Approval.state).in_(("running", "approved"))).distinct()
            turns = set(session.exec(begun))  # before it is asked who is at work: what begins meanwhile is not in it
            gone = col(Approval.turn_id).in_(sorted(turns - set(self._at_work(session))))
            lost = update(Approval).where(col(Approval.state) == "running", gone)
            open_again = update(Approval).where(col(Approval.state) == "approved", gone)
            session.execute(lost.values(state="unknown", result=CHECK, ended_at=now))
            session.execute(open_again.values(state="pending", decided_at=None, decided_by=None))

    def _at_work(self, session: Session) -> Sequence[str]:
        """The turns that other processes go on with, now or when the rest is decided."""
        undecided = col(Exchange.status).in_(("running", "waiting"))
        names = session.exec(select(Exchange.process).where(undecided).distinct()).all()
        living = sorted(elsewhere(self._processes, names))
        return session.exec(select(Exchange.turn_id).where(undecided, col(Exchange.process).in_(living))).all()

    def tally(self, user_id: str, start: datetime, end: datetime) -> dict[str, Tally]:
        """Tool → what was asked in [start, end), aware, and what became of it; `ANYBODY`: of all users together."""
        allowed = col(Approval.decided_by) == POLICY
        outcome = case((allowed, "allowed"), (col(Approval.state).in_(RUN), "approved"), else_=col(Approval.state))
        query = select(Approval.tool, outcome, func.count())
        if user_id != ANYBODY:
            query = query.where(Approval.user_id == user_id)
        query = query.where(Approval.asked_at >= start, Approval.asked_at < end).group_by(col(Approval.tool), outcome)
        found: dict[str, dict[str, int]] = defaultdict(dict)
        with reading(self._engine) as session:
            for tool, word, number in session.exec(query):
                found[tool][word] = number
        return {
            tool: Tally(**words, asked=sum(words.values()) - words.get("allowed", 0)) for tool, words in found.items()
        }

    def policies(self, user_id: str) -> dict[str, str]:
        """What the user lets tools do: tool → ask, always_ask or none."""
        with reading(self._engine) as session:
            rows = session.exec(select(Policy).where(Policy.user_id == user_id)).all()
        return {row.tool: row.approval for row in rows}

    def set_policy(self, user_id: str, tool: str, approval: str) -> None:
        """Remember when the user wants to be asked about a tool."""
        with writing(self._engine, "policy", user_id, tool) as session:
            session.merge(Policy(user_id=user_id, tool=tool, approval=approval))

    def _change_pending(self, row: Approval, values: Mapping[str, Any]) -> Approval:
        if row.expires_at <= datetime.now(UTC):
            self._move(row.id, "pending", {"state": "expired", "ended_at": datetime.now(UTC)})
            raise Decided("This waited too long and has expired. Ask for it again.")
        if not self._move(row.id, "pending", values):
            raise Decided(f"This was decided before: {self.get(row.user_id, row.id).state}. Nothing was changed.")
        return self.get(row.user_id, row.id)

    def _move(self, approval_id: str, state: str, values: Mapping[str, Any]) -> bool:
        """Change a row only from a known state; False where it was in another."""
        change = update(Approval).where(col(Approval.id) == approval_id, col(Approval.state) == state)
        with writing(self._engine) as session:
            return bool(getattr(session.execute(change.values(**values)), "rowcount", 0))


def having(text: str) -> list[ColumnElement[bool]]:
    """The conditions that an entry has all words of a text, in whatever case."""
    fields = (Approval.summary, Approval.tool, Approval.account, Approval.state, Approval.reason, Approval.result)
    return [or_(*(holds(field, word) for field in fields)) for word in text.split()]


def wording(row: Approval, arguments: Mapping[str, Any] | None, summary: str | None) -> dict[str, Any]:
    """The columns that say what would be done."""
    final = dict(arguments if arguments is not None else row.arguments)
    return {"arguments": final, "arguments_hash": hash_of(final), "summary": summary or row.summary}


def hash_of(arguments: Mapping[str, Any]) -> str:
    """The SHA-256 of arguments in canonical JSON."""
    text = json.dumps(arguments, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def intact(row: Approval, proposed: Mapping[str, Any]) -> bool:
    """Whether a call is the one that was asked about, and its arguments are the ones that were approved."""
    return row.proposed == dict(proposed) and row.arguments_hash == hash_of(row.arguments)
