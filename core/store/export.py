"""A conversation as a file: Markdown to read, JSON that is complete."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from core.store.tables import Approval, Conversation, Exchange, Feedback

VERSION = 1
SUPERSEDED = "(asked again later)"
Numbers = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Record:
    """A conversation with all that belongs to it.

    Attributes:
        exchanges: those that were asked again too, oldest first.
        approvals: of all turns.
        feedback: turn id → what the person thought.
        numbers: turn id → what the HTTP contract says about the turn; may lack turns.
    """

    conversation: Conversation
    exchanges: Sequence[Exchange]
    approvals: Sequence[Approval] = ()
    feedback: Mapping[str, Feedback] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=dict)

    def approvals_of(self, turn_id: str) -> list[Approval]:
        """The approvals of a turn."""
        return [approval for approval in self.approvals if approval.turn_id == turn_id]


def as_json(record: Record) -> str:
    """Everything, as JSON in which every script is readable; times are RFC 3339."""
    made = {
        "format": "glassdesk.conversation",
        "version": VERSION,
        **plain(record.conversation, "id", "title", "created_at", "updated_at"),
        "turns": [turn_json(record, exchange) for exchange in record.exchanges],
    }
    return json.dumps(made, ensure_ascii=False, indent=2)


def turn_json(record: Record, exchange: Exchange) -> dict[str, Any]:
    """One question with its answer and all that came of it."""
    about = ["turn_id", "account", "question", "answer", "status", "error", "domain"]
    names = [*about, "files", "plan", "shortened", "steps", "items"]
    given = record.feedback.get(exchange.turn_id)
    return {
        **plain(exchange, *names, "superseded_by", "started_at", "finished_at"),
        "approvals": [
            plain(approval, *(name for name in Approval.model_fields if name not in ("user_id", "turn_id")))
            for approval in record.approvals_of(exchange.turn_id)
        ],
        "feedback": plain(given, "thumb", "note", "given_at") if given else None,
        "numbers": dict(record.numbers.get(exchange.turn_id, {})),
    }


def plain(row: object, *names: str) -> dict[str, Any]:
    """Some fields of a row; times as text."""
    values = {name: getattr(row, name) for name in names}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


def as_markdown(record: Record, zone: ZoneInfo) -> str:
    """Questions, answers, steps, approvals and feedback, to read; times are the zone's."""
    head = [f"# {one_line(record.conversation.title)}", "", moment(record.conversation.created_at, zone)]
    turns = [turn_markdown(record, exchange, zone) for exchange in record.exchanges]
    return "\n".join(["\n".join(head), *turns]) + "\n"


def turn_markdown(record: Record, exchange: Exchange, zone: ZoneInfo) -> str:
    """One question with its answer and what was done for it."""
    again = f" {SUPERSEDED}" if exchange.superseded_by else ""
    lines = ["", f"## {moment(exchange.started_at, zone)}{again}", "", quoted(exchange.question), ""]
    lines += [f"- Attached: {one_line(file['name'])} ({file['size']:,} bytes)" for file in exchange.files]
    lines += [step_line(step) for step in exchange.steps]
    lines += [approval_line(approval) for approval in record.approvals_of(exchange.turn_id)]
    lines += ["", exchange.answer or f"*No answer: {exchange.status}.*"]
    lines += ["", f"*{exchange.error}*"] if exchange.error else []
    given = record.feedback.get(exchange.turn_id)
    if given:
        lines += ["", f"Feedback: thumb {given.thumb}{'. ' + one_line(given.note) if given.note else ''}"]
    return "\n".join(lines)


def step_line(step: Mapping[str, Any]) -> str:
    """One tool call."""
    took = f"{step.get('ns', 0) / 1e6:,.0f} ms"
    told = ", ".join(part for part in (step.get("status"), took, one_line(str(step.get("summary") or ""))) if part)
    return f"- {step.get('agent')}: `{step.get('tool')}` ({told})"


def approval_line(approval: Approval) -> str:
    """One write with what was decided, and what came of it."""
    reason = f", because: {one_line(approval.reason)}" if approval.reason else ""
    return f"- Approval of `{approval.tool}`: {one_line(approval.summary)} → {approval.state}{reason}"


def moment(at: datetime, zone: ZoneInfo) -> str:
    """A time in the zone, which is named."""
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M} ({zone.key})"


def quoted(text: str) -> str:
    """A text as a Markdown quotation."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def one_line(text: str) -> str:
    """A text without line breaks."""
    return " ".join(text.split())
